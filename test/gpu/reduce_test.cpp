#include "gpu/device/reduce.cuh"

#include <algorithm>
#include <cmath>
#include <limits>

#include "test/gpu/gpu_support.cuh"

namespace linden::LINDEN_GPU_NAMESPACE::test {
namespace {

using Reduce = GpuTest;

template <int B, int K, class T, class Op>
__global__ void __launch_bounds__(B) reduce_block(const T* in, T* out)
{
    T values[K];
    for (int repeat = 0; repeat < 2; ++repeat) {  // shared memory is used again at once
        for (int k = 0; k < K; ++k) {
            values[k] = in[k * grid_threads<int>() + global_id<int>()];
        }
        block_reduce<B, Op>(values);
    }
    if (thread_id() == 0) {
        for (int k = 0; k < K; ++k) {
            out[block_id() * K + k] = values[k];
        }
    }
}

/// Butterfly over n values; n is padded to a power of two with zeros.
template <class T>
T tree(std::vector<T> v)
{
    std::size_t n = 1;
    while (n < v.size()) {
        n *= 2;
    }
    v.resize(n, T{});
    for (std::size_t distance = n / 2; distance > 0; distance /= 2) {
        for (std::size_t i = 0; i < distance; ++i) {
            v[i] += v[i + distance];
        }
    }
    return v[0];
}

/// The order that block_reduce promises: trees over 32 threads, then a tree over their results.
template <class T>
T block_tree(const T* values, int num_threads)
{
    std::vector<T> partials;
    for (int i = 0; i < num_threads; i += 32) {
        partials.push_back(tree(std::vector<T>(values + i, values + i + 32)));
    }
    return tree(partials);
}

template <class T>
std::vector<T> random_values(int n, std::uint64_t seed)
{
    std::vector<T> values(n);
    Random random(seed);
    for (T& v : values) {
        v = T(static_cast<device_real<T>>(random()));
        if constexpr (!std::is_same_v<T, device_real<T>>) {
            v.im = static_cast<device_real<T>>(random());
        }
    }
    return values;
}

template <int B, int K, class T>
void expect_block_sums()
{
    constexpr int grid = 3;
    const auto values = random_values<T>(grid * B * K, B + K);
    DeviceArray<T> in(values), out(grid * K);
    expect_ok(launch(reduce_block<B, K, T, Sum>, grid, B, 0, nullptr, in.data(), out.data()));
    const auto got = out.host();
    for (int b = 0; b < grid; ++b) {
        for (int k = 0; k < K; ++k) {
            ASSERT_EQ(got[b * K + k], block_tree(values.data() + k * grid * B + b * B, B))
                << B << " threads, k = " << k;
        }
    }
}

TEST_F(Reduce, BlockSumsInTheStatedOrder)
{
    expect_block_sums<32, 1, double>();
    expect_block_sums<64, 2, double>();
    expect_block_sums<96, 1, float>();
    expect_block_sums<256, 3, double>();
    expect_block_sums<256, 2, Complex<double>>();
    expect_block_sums<512, 1, Complex<float>>();
    expect_block_sums<1024, 4, double>();
}

TEST_F(Reduce, MaximumKeepsNan)
{
    std::vector<double> values(3 * 96, -5.0);
    values[40] = 7;
    values[96 + 95] = std::numeric_limits<double>::quiet_NaN();
    DeviceArray<double> in(values), out(3);
    expect_ok(launch(reduce_block<96, 1, double, Max>, 3, 96, 0, nullptr, in.data(), out.data()));
    const auto got = out.host();
    EXPECT_EQ(got[0], 7);
    EXPECT_TRUE(std::isnan(got[1]));
    EXPECT_EQ(got[2], -5);
}

__global__ void broadcast(int* out)
{
    const int a = block_broadcast(thread_id() + 1, 3);
    const int b = block_broadcast(thread_id() + 1, 99);
    out[global_id()] = a * 1000 + b;
}

TEST_F(Reduce, Broadcast)
{
    DeviceArray<int> out(128);
    expect_ok(launch(broadcast, 1, 128, 0, nullptr, out.data()));
    EXPECT_EQ(out.host(), std::vector<int>(128, 4100));
}

template <int B, int K, class T>
__global__ void __launch_bounds__(B) reduce_grid(int n, const T* in, void* workspace, T* result, int* calls)
{
    T values[K] = {};
    for (int i = global_id<int>(); i < n; i += grid_threads<int>()) {
        for (int k = 0; k < K; ++k) {
            values[k] += in[k * n + i];
        }
    }
    grid_reduce_then<B>(values, workspace, [=](const T(&totals)[K]) {
        for (int k = 0; k < K; ++k) {
            result[k] = totals[k];
        }
        ++*calls;
    });
}

/// The order that grid_reduce promises: threads stride over the grid, blocks reduce, one block strides over blocks.
template <int B, class T>
T grid_tree(const T* in, int n, int grid)
{
    std::vector<T> blocks(grid), last(B);
    for (int b = 0; b < grid; ++b) {
        std::vector<T> threads(B);
        for (int t = 0; t < B; ++t) {
            for (int i = b * B + t; i < n; i += grid * B) {
                threads[t] += in[i];
            }
        }
        blocks[b] = block_tree(threads.data(), B);
    }
    for (int t = 0; t < B; ++t) {
        for (int i = t; i < grid; i += B) {
            last[t] += blocks[i];
        }
    }
    return block_tree(last.data(), B);
}

template <int B, int K, class T>
void expect_grid_sums(int n, int grid)
{
    SCOPED_TRACE(testing::Message() << n << " values, " << grid << " blocks");
    const auto values = random_values<T>(n * K, n);
    DeviceArray<T> in(values), result(K);
    DeviceArray<int> calls(1);
    // Only the counter is zero: the rest must not matter.
    std::vector<char> bytes(grid_reduce_bytes<T, K>(grid), '\x7f');
    std::fill_n(bytes.begin(), grid_reduce_counter_bytes, '\0');
    DeviceArray<char> workspace(bytes);
    std::vector<T> first;
    for (int repeat = 1; repeat <= 3; ++repeat) {
        expect_ok(launch(reduce_grid<B, K, T>, grid, B, 0, nullptr, n, in.data(), workspace.data(), result.data(),
                         calls.data()));
        expect_ok(launch(reduce_grid<B, K, T>, grid, B, 0, nullptr, n, in.data(), workspace.data(), result.data(),
                         calls.data()));
        const auto got = result.host();
        ASSERT_EQ(calls.host()[0], 2 * repeat) << "one thread finalises each launch";
        for (int k = 0; k < K; ++k) {
            ASSERT_EQ(got[k], (grid_tree<B>(values.data() + k * n, n, grid)));
        }
    }
    const auto after = workspace.host();
    EXPECT_TRUE(std::all_of(after.begin(), after.begin() + 4, [](char c) { return c == 0; }));
}

TEST_F(Reduce, GridSumsAreReproducibleAndLeaveTheWorkspaceReady)
{
    expect_grid_sums<256, 1, double>(10000, 1);
    expect_grid_sums<256, 2, double>(10000, 7);
    expect_grid_sums<64, 3, double>(20000, 150);  // more blocks than threads of the last block
    expect_grid_sums<128, 1, Complex<double>>(1000, 8);
    expect_grid_sums<128, 2, float>(0, 3);
}

__global__ void __launch_bounds__(64) columns(int n, const double* in, char* workspace, size_type bytes, double* out)
{
    double values[1] = {};
    const int column = block_id_y();
    for (int i = global_id<int>(); i < n; i += grid_threads<int>()) {
        values[0] += in[column * n + i];
    }
    if (grid_reduce<64>(values, workspace + column * bytes)) {
        out[column * 64 + thread_id()] = values[0];
    }
}

TEST_F(Reduce, EveryColumnOfTheGridHasItsOwnWorkspaceAndResultsReachTheWholeBlock)
{
    constexpr int n = 999, grid = 5, num_columns = 4;
    const auto values = random_values<double>(n * num_columns, 5);
    const size_type bytes = (grid_reduce_bytes<double, 1>(grid) + 127) / 128 * 128;
    DeviceArray<double> in(values), out(64 * num_columns);
    DeviceArray<char> workspace(bytes * num_columns);
    expect_ok(launch(columns, {grid, num_columns}, 64, 0, nullptr, n, in.data(), workspace.data(), bytes, out.data()));
    const auto got = out.host();
    for (int i = 0; i < 64 * num_columns; ++i) {
        ASSERT_EQ(got[i], grid_tree<64>(values.data() + i / 64 * n, n, grid));
    }
}

}  // namespace
}  // namespace linden::LINDEN_GPU_NAMESPACE::test
