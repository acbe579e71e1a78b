// needs: double int32
#include <thrust/execution_policy.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/sort.h>

#include <cub/device/device_partition.cuh>
#include <cub/device/device_radix_sort.cuh>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <stdexcept>

#include "benchmark/support/cusparse.hpp"
#include "benchmark/support/suite.hpp"

/// What CUDA's own libraries take for the median of the numbers of selection.cpp: CUB and thrust sort, and CUB's
/// partitions make a quickselect.
namespace linden::benchmarks {
namespace {

void check(cudaError_t status)
{
    if (status != cudaSuccess) {
        throw std::runtime_error(cudaGetErrorString(status));
    }
}

struct Below {
    double pivot;
    __device__ bool operator()(double value) const { return value < pivot; }
};
struct Equal {
    double pivot;
    __device__ bool operator()(double value) const { return value == pivot; }
};

std::vector<double> random_values(size_type n)
{
    std::mt19937_64 engine(1);
    std::vector<double> values(static_cast<std::size_t>(n));
    std::generate(values.begin(), values.end(),
                  [&] { return std::exp2(static_cast<double>(engine() >> 11) * 0x1p-50); });
    return values;
}

/// Values, arrays that take them in another order, and what CUB works in.
class Numbers {
public:
    Numbers(const Queue& queue, size_type n)
        : stream_(queue.stream),
          n_(n),
          values_(queue.exec, random_values(n)),
          parts_{Array<double>(queue.exec, n), Array<double>(queue.exec, n), Array<double>(queue.exec, n),
                 Array<double>(queue.exec, n)},
          counts_(queue.exec, 2),
          workspace_(queue.exec, 1)
    {
        std::size_t sort_bytes = 0;
        check(
            cub::DeviceRadixSort::SortKeys(nullptr, sort_bytes, values_.data(), parts_[0].data(), n_, 0, 64, stream_));
        check(partition(nullptr, bytes_, values_.data(), 0, n_, 0));
        bytes_ = std::max(sort_bytes, bytes_);
        workspace_ = Array<std::byte>(queue.exec, static_cast<size_type>(bytes_));
    }

    double sort_by_cub(size_type rank)
    {
        auto bytes = bytes_;
        check(cub::DeviceRadixSort::SortKeys(workspace_.data(), bytes, values_.data(), parts_[0].data(), n_, 0, 64,
                                             stream_));
        return middle_of(parts_[0].data() + rank, 1);
    }

    double sort_by_thrust(size_type rank)
    {
        check(cudaMemcpyAsync(parts_[0].data(), values_.data(), static_cast<std::size_t>(n_) * sizeof(double),
                              cudaMemcpyDeviceToDevice, stream_));
        thrust::sort(thrust::cuda::par_nosync.on(stream_), parts_[0].data(), parts_[0].data() + n_);
        return middle_of(parts_[0].data() + rank, 1);
    }

    /// A quickselect: values below and values above the median of 63 of them, and on with the part of that rank.
    double nth_element(size_type rank)
    {
        const double* from = values_.data();
        size_type n = n_;
        for (std::size_t turn = 0; n > 1; turn = 2 - turn) {
            const double pivot = middle_of(from, n);
            auto bytes = bytes_;
            check(partition(workspace_.data(), bytes, from, turn, n, pivot));
            std::array<std::int64_t, 2> counts{};
            check(cudaMemcpyAsync(counts.data(), counts_.data(), sizeof(counts), cudaMemcpyDeviceToHost, stream_));
            check(cudaStreamSynchronize(stream_));
            const auto [below, equal] = counts;
            if (rank < below) {
                from = parts_[turn].data();
                n = below;
            } else if (rank < below + equal) {
                return pivot;
            } else {
                from = parts_[turn + 1].data();
                rank -= below + equal;
                n -= below + equal;
            }
        }
        return middle_of(from, 1);
    }

private:
    cudaError_t partition(void* workspace, std::size_t& bytes, const double* from, std::size_t turn, std::int64_t n,
                          double pivot)
    {
        return cub::DevicePartition::If(workspace, bytes, from, parts_[turn].data(), thrust::make_discard_iterator(),
                                        parts_[turn + 1].data(), counts_.data(), n, Below{pivot}, Equal{pivot},
                                        stream_);
    }

    double middle_of(const double* values, size_type n)
    {
        constexpr size_type most = 63;
        std::array<double, most> sample{};
        const auto taken = std::min(n, most);
        check(cudaMemcpy2DAsync(sample.data(), sizeof(double), values,
                                static_cast<std::size_t>(n / taken) * sizeof(double), sizeof(double),
                                static_cast<std::size_t>(taken), cudaMemcpyDeviceToHost, stream_));
        check(cudaStreamSynchronize(stream_));
        auto* const middle = sample.begin() + taken / 2;
        std::nth_element(sample.begin(), middle, sample.begin() + taken);
        return *middle;
    }

    cudaStream_t stream_;
    size_type n_;
    Array<double> values_;
    std::array<Array<double>, 4> parts_;
    Array<std::int64_t> counts_;
    Array<std::byte> workspace_;
    std::size_t bytes_ = 0;
};

/// Of n values read once, which is what all of it is held against. Times have the answer's way to the host in them.
void add_case(std::string_view name, std::string_view whose, size_type n, double (*find)(Numbers&, size_type))
{
    add(name, whose, type_names<double>(), std::to_string(n), [=](benchmark::State& state) {
        const Queue queue;
        Numbers numbers(queue, n);
        const double found = find(numbers, n / 2);
        if (found != numbers.sort_by_cub(n / 2)) {
            state.SkipWithError("not the median");
            return;
        }
        measure(state, queue.exec, n * static_cast<size_type>(sizeof(double)), [&] { find(numbers, n / 2); });
    });
}

const Suite suite{[](const Executor& exec) {
    if (exec.backend() != Backend::cuda) {
        return;
    }
    for (const size_type n : {1'000'000, 10'000'000, 100'000'000}) {
        add_case("sort", "cub", n, [](Numbers& of, size_type rank) { return of.sort_by_cub(rank); });
        add_case("sort", "thrust", n, [](Numbers& of, size_type rank) { return of.sort_by_thrust(rank); });
        add_case("nth_element", "cub", n, [](Numbers& of, size_type rank) { return of.nth_element(rank); });
    }
}};

}  // namespace
}  // namespace linden::benchmarks
