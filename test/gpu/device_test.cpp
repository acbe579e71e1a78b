#include "gpu/device/device.cuh"

#include <numeric>

#include "gpu/device/memory.cuh"
#include "test/gpu/gpu_support.cuh"

namespace linden::LINDEN_GPU_NAMESPACE::test {
namespace {

using Device = GpuTest;

__global__ void __launch_bounds__(64) write_ids(int* out)
{
    const int row = block_id_z() * 2 + block_id_y();
    out[row * grid_threads<int>() + global_id<int>()] =
        block_id() * 1000 + thread_id() + 100000 * row + (block_threads() == 64 && num_blocks() == 3 ? 0 : 1);
}

TEST_F(Device, ThreadsKnowTheirPlaceInAThreeDimensionalGrid)
{
    DeviceArray<int> out(3 * 64 * 4, -1);
    expect_ok(launch(write_ids, {3, 2, 2}, 64, 0, nullptr, out.data()));
    const auto got = out.host();
    for (int row = 0; row < 4; ++row) {
        for (int i = 0; i < 192; ++i) {
            ASSERT_EQ(got[row * 192 + i], i / 64 * 1000 + i % 64 + 100000 * row);
        }
    }
}

__global__ void write_first(std::int64_t n, double scale, const double* in, double* out)
{
    for (auto i = global_id(); i < n; i += grid_threads()) {
        out[i] = scale * in[i];
    }
}

TEST_F(Device, LaunchConvertsArgumentsAndCoversMoreItemsThanThreads)
{
    std::vector<double> values(1000);
    std::iota(values.begin(), values.end(), 1.0);
    DeviceArray<double> in(values), out(1000);
    expect_ok(launch(write_first, 3, 96, 0, nullptr, 1000, 2.0f, in.data(), out.data()));
    const auto got = out.host();
    for (int i = 0; i < 1000; ++i) {
        ASSERT_EQ(got[i], 2.0 * (i + 1));
    }
}

TEST_F(Device, EmptyGridIsSuccessAndBadOnesAreErrors)
{
    DeviceArray<int> out(1, 7);
    expect_ok(launch(write_ids, 0, 64, 0, nullptr, out.data()));
    expect_ok(launch(write_ids, {1, 0}, 64, 0, nullptr, out.data()));
    EXPECT_NE(launch(write_ids, -1, 64, 0, nullptr, out.data()), success);
    EXPECT_NE(launch(write_ids, size_type{1} << 31, 64, 0, nullptr, out.data()), success);
    EXPECT_NE(launch(write_ids, {1, 65536}, 64, 0, nullptr, out.data()), success);
    EXPECT_NE(launch(write_ids, 1, 2048, 0, nullptr, out.data()), success);
    static_cast<void>(take_last_error());
    EXPECT_EQ(out.host()[0], 7);
}

TEST(Grid, BlocksForRoundsUp)
{
    EXPECT_EQ(blocks_for(0, 256), 0);
    EXPECT_EQ(blocks_for(1, 256), 1);
    EXPECT_EQ(blocks_for(256, 256), 1);
    EXPECT_EQ(blocks_for(257, 256), 2);
    EXPECT_EQ(blocks_for(4097, 256, 8), 3);
}

TEST_F(Device, ReportsItsWaveSize)
{
    const int lanes = wave_size_of(0);
    EXPECT_TRUE(lanes == 32 || lanes == 64);
    EXPECT_LE(lanes, max_wave_size);
}

template <class T>
__global__ void reverse_blocks(T* data)
{
    LINDEN_SHARED(tile, T[128]);
    LINDEN_SHARED(offset, int);
    if (thread_id() == 5) {
        offset = block_id() * 128;
    }
    tile[thread_id()] = data[global_id()];
    block_barrier();
    data[offset + thread_id()] = tile[127 - thread_id()];
}

TEST_F(Device, StaticSharedMemoryBelongsToTheBlock)
{
    std::vector<double> values(512);
    std::iota(values.begin(), values.end(), 0.0);
    DeviceArray<double> data(values);
    expect_ok(launch(reverse_blocks<double>, 4, 128, 0, nullptr, data.data()));
    const auto got = data.host();
    for (int i = 0; i < 512; ++i) {
        ASSERT_EQ(got[i], i / 128 * 128 + 127 - i % 128);
    }
}

/// Inclusive prefix sums of one block by doubling, in dynamic shared memory: a barrier between reading and writing.
__global__ void scan_block(int n, std::int64_t* data)
{
    const auto tile = dynamic_shared<std::int64_t>();
    for (int i = thread_id(); i < n; i += block_threads()) {
        tile[i] = data[i];
    }
    block_barrier();
    for (int distance = 1; distance < n; distance *= 2) {
        constexpr int max_items = 8;
        std::int64_t mine[max_items];
        for (int k = 0; k < max_items; ++k) {
            const int i = thread_id() + k * block_threads();
            mine[k] = i < n && i >= distance ? tile[i - distance] : 0;
        }
        block_barrier();
        for (int k = 0; k < max_items; ++k) {
            const int i = thread_id() + k * block_threads();
            if (i < n) {
                tile[i] += mine[k];
            }
        }
        block_barrier();
    }
    for (int i = thread_id(); i < n; i += block_threads()) {
        data[i] = tile[i];
    }
}

TEST_F(Device, DynamicSharedMemoryHoldsWhatTheLaunchAsked)
{
    for (const int n : {1, 31, 1000, 7000}) {  // 7000 * 8 bytes is more than CUDA gives unasked
        std::vector<std::int64_t> values(n);
        std::iota(values.begin(), values.end(), 1);
        DeviceArray<std::int64_t> data(values);
        expect_ok(launch(scan_block, 1, 896, n * 8, nullptr, n, data.data()));
        const auto got = data.host();
        for (std::int64_t i = 0; i < n; ++i) {
            ASSERT_EQ(got[i], (i + 1) * (i + 2) / 2);
        }
    }
}

__global__ void barrier_with_ended_threads(int* out)
{
    if (thread_id() >= 70) {
        return;
    }
    LINDEN_SHARED(tile, int[70]);
    tile[thread_id()] = thread_id();
    block_barrier();
    out[thread_id()] = tile[69 - thread_id()];
}

TEST_F(Device, BarrierIgnoresEndedThreads)
{
    DeviceArray<int> out(70, -1);
    expect_ok(launch(barrier_with_ended_threads, 1, 256, 0, nullptr, out.data()));
    const auto got = out.host();
    for (int i = 0; i < 70; ++i) {
        ASSERT_EQ(got[i], 69 - i);
    }
}

__global__ void read_clock(std::uint64_t* out)
{
    out[0] = global_timer_ns();
    // at least one step of the slowest clock, 1 us, of waiting
    spin_until([begin = out[0]] { return global_timer_ns() > begin + 2000; });
    out[1] = global_timer_ns();
}

TEST_F(Device, ClockRuns)
{
    DeviceArray<std::uint64_t> out(2);
    expect_ok(launch(read_clock, 1, 1, 0, nullptr, out.data()));
    const auto t = out.host();
    EXPECT_GT(t[1], t[0] + 2000);
    EXPECT_LT(t[1], t[0] + 10'000'000'000u);
}

}  // namespace
}  // namespace linden::LINDEN_GPU_NAMESPACE::test
