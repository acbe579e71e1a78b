#include "core/kernels/nested_dissection.hpp"

#include <limits>

#include "gpu/device/reduce.cuh"
#include "gpu/vector/elements.cuh"

/// A row of the gathering product is a block's, one of the expanding product a wave's: separators are few, their rows
/// long. Threads load their first entries of the matrix and what these are multiplied with, both there all along,
/// before they wait for the vectors.
namespace linden::LINDEN_GPU_NAMESPACE {
namespace {

constexpr int threads = 256;
using Subgroup32 = Subgroup<32>;

/// The entries of a row: columns [begin, begin + length), then `count` - length columns of the separators.
template <class V>
struct Entries {
    NestedDissectionView<V> m;
    const V* row;
    size_type begin, length, count;

    __device__ V value(size_type e) const { return row[e < length ? begin + e : m.separators + e - length]; }
    /// The row of b that it is multiplied with, or i - 2^31 for row i of t.
    __device__ std::int32_t source(size_type e) const
    {
        return e < length ? m.order[begin + e]
                          : static_cast<std::int32_t>(e - length) + std::numeric_limits<std::int32_t>::min();
    }
};

/// Products of entries with columns of b and t, of which thread `lane` of `lanes` has every lanes-th.
template <class V>
struct Terms {
    static constexpr int in_flight = sizeof(V) > 8 ? 8 : 14;

    Entries<V> entries;
    int lane, lanes;
    V values[in_flight] = {};
    std::int32_t sources[in_flight] = {};

    __device__ Terms(const Entries<V>& of_row, int lane_, int lanes_) : entries(of_row), lane(lane_), lanes(lanes_)
    {
        LINDEN_UNROLL
        for (int i = 0; i < in_flight; ++i) {
            if (lane + i * lanes < entries.count) {
                values[i] = entries.value(lane + i * lanes);
                sources[i] = entries.source(lane + i * lanes);
            }
        }
    }
    __device__ V sum(DenseView<const V> b, DenseView<const V> t, size_type col) const
    {
        const auto factor = [&](std::int32_t source) {
            return source >= 0 ? b(source, col) : t(source - std::numeric_limits<std::int32_t>::min(), col);
        };
        V result{};
        LINDEN_UNROLL
        for (int i = 0; i < in_flight; ++i) {
            result += lane + i * lanes < entries.count ? values[i] * factor(sources[i]) : V{};
        }
#pragma unroll 4
        for (size_type e = lane + in_flight * lanes; e < entries.count; e += lanes) {
            result += entries.value(e) * factor(entries.source(e));
        }
        return result;
    }
};

template <class V>
__global__ void __launch_bounds__(threads)
    gather_kernel(NestedDissectionView<V> m, DenseView<const V> b, DenseView<V> t)
{
    let_next_kernel_begin();
    const size_type position = m.separators + block_id();
    const auto range = m.ranges[position];
    const std::int32_t row = m.order[position];
    const size_type length = range.end - range.begin;
    const Terms<V> terms({m, m.values + position * m.size, range.begin, length, length}, thread_id(), threads);
    wait_for_previous_kernel();
    for (size_type col = 0; col < b.cols; ++col) {
        const V own = b(row, col);
        V sum[1] = {terms.sum(b, b, col)};
        block_reduce<threads>(sum);
        if (thread_id() == 0) {
            t(block_id(), col) = own + sum[0];
        }
    }
}

template <class V>
__global__ void __launch_bounds__(threads)
    expand_kernel(NestedDissectionView<V> m, DenseView<const V> b, DenseView<const V> t, DenseView<V> x)
{
    let_next_kernel_begin();
    const size_type position = Subgroup32::index();
    if (position >= m.size) {
        return;
    }
    const auto range = position < m.separators ? m.ranges[position] : ColumnRange{};
    const std::int32_t row = m.order[position];
    const size_type length = range.end - range.begin;
    const Terms<V> terms({m, m.values + position * m.size, range.begin, length, length + m.size - m.separators},
                         Subgroup32::lane(), Subgroup32::size);
    wait_for_previous_kernel();
    for (size_type col = 0; col < b.cols; ++col) {
        const V sum = Subgroup32::sum(terms.sum(b, t, col));
        if (Subgroup32::lane() == 0) {
            x(row, col) = sum;
        }
    }
}

template <class V>
auto on_device(const NestedDissectionView<V>& m)
{
    return NestedDissectionView<device_type<V>>{m.size, m.separators, as_device(m.values), m.order, m.ranges};
}

template <class V>
void gather(const Executor& exec, NestedDissectionView<V> m, DenseView<const V> b, DenseView<V> t)
{
    if (t.rows != 0 && t.cols != 0) {
        launch_overlapped_on(exec, gather_kernel<device_type<V>>, t.rows, threads, 0, on_device(m), as_device(b),
                             as_device(t));
    }
}

template <class V>
void expand(const Executor& exec, NestedDissectionView<V> m, DenseView<const V> b, DenseView<const V> t, DenseView<V> x)
{
    if (x.rows != 0 && x.cols != 0) {
        launch_overlapped_on(exec, expand_kernel<device_type<V>>, blocks_for(m.size, threads / Subgroup32::size),
                             threads, 0, on_device(m), as_device(b), as_device(t), as_device(x));
    }
}

}  // namespace

void register_nested_dissection()
{
    for_each_value([]<class V>() {
        nested_dissection_gather<V>.bind(this_backend, gather<V>);
        nested_dissection_expand<V>.bind(this_backend, expand<V>);
    });
}

}  // namespace linden::LINDEN_GPU_NAMESPACE
