// The host executor itself: that it finds wrong programs, and reports them with their place.
#include <cmath>
#include <cstring>
#include <thread>

#include "gpu/device/reduce.cuh"
#include "test/gpu/gpu_support.cuh"

namespace linden::hip::test {
namespace {

__global__ void other_width(int* out)
{
    out[thread_id()] = thread_id() % 2 ? Subgroup<4>::sum(1) : Subgroup<16>::sum(1);
}
__global__ void other_call(int* out)
{
    if (thread_id() % 2) {
        out[thread_id()] = Subgroup<32>::sum(1);
    } else {
        out[thread_id()] = static_cast<int>(Subgroup<32>::ballot(true));
    }
}
__global__ void other_place(int* out)
{
    if (thread_id() % 2) {
        out[thread_id()] = Subgroup<32>::any(true);
    } else {
        out[thread_id()] = Subgroup<32>::any(true);
    }
}
__global__ void runtime_width(int width) { static_cast<void>(hip_host::shuffle(1.0, 0, width)); }
__global__ void divergent_barrier()
{
    if (thread_id() < 10) {
        block_barrier();
    } else {
        block_barrier();
    }
}
__global__ void barrier_against_shuffle(int* out)
{
    if (thread_id() < 10) {
        block_barrier();
    } else {
        out[thread_id()] = Subgroup<32>::sum(1);
    }
}
__global__ void wait_for_nobody(const int* flag)
{
    spin_until([=] { return load_acquire(flag) == 1; });
}
__global__ void wait_for_block_that_cannot_run(int* flags)
{
    spin_until([=] { return block_id() == num_blocks() - 1 || load_acquire(flags + block_id() + 1) == 1; });
    store_release(flags + block_id(), 1);
}
__global__ void wait_for_earlier_block_number(int* flags)
{
    spin_until([=] { return block_id() == 0 || load_acquire(flags + block_id() - 1) == 1; });
    store_release(flags + block_id(), 1);
}
__global__ void take_too_much_shared()
{
    LINDEN_SHARED(a, double[8000]);
    LINDEN_SHARED(b, double[1000]);
    a[thread_id()] = b[thread_id()] = 0;
}
__global__ void wrong_block_size()
{
    double values[1] = {};
    block_reduce<64>(values);
}
__global__ void launch_inside(int* out)
{
    static_cast<void>(launch(runtime_width, 1, 1, 0, nullptr, 1));
    *out = 1;
}

template <class... P, class... A>
void run(void (*kernel)(P...), int grid, int block, A... arguments)
{
    expect_ok(launch(kernel, grid, block, 0, nullptr, arguments...));
}

class HipHostDeath : public ::testing::Test {
protected:
    HipHostDeath() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
    int out[1024] = {};
};

TEST_F(HipHostDeath, CollectivesOfOtherWidthKindOrPlace)
{
    EXPECT_DEATH(run(other_width, 1, 32, out), "divergence of collectives.*shuffle of width.*hip_host_test.cpp:");
    EXPECT_DEATH(run(other_call, 1, 32, out), "divergence of collectives.*\n.*thread");
    EXPECT_DEATH(run(other_place, 1, 32, out), "divergence of collectives: this work-item is in a ballot");
}

/// Narrow collectives in a branch, wide ones after it: allowed, in whichever order the lanes come.
__global__ void nested_groups(int* out)
{
    int sum = 0;
    if (thread_id() % 16 >= 8) {
        sum = Subgroup<4>::sum(1);
        if (thread_id() % 16 >= 12) {
            sum += Subgroup<2>::sum(1);
        }
        if (thread_id() % 16 == 15) {
            out[thread_id()] = sum;
            return;
        }
    }
    out[thread_id()] = sum + static_cast<int>(Subgroup<16>::ballot(true));
}

TEST(HipHost, GroupsMayNest)
{
    int out[64];
    expect_ok(launch(nested_groups, 1, 64, 0, nullptr, static_cast<int*>(out)));
    for (int i = 0; i < 64; ++i) {
        const int lane = i % 16;
        const int narrow = lane >= 12 ? 6 : lane >= 8 ? 4 : 0;
        ASSERT_EQ(out[i], lane == 15 ? 6 : narrow + 0x7fff);
    }
}

TEST_F(HipHostDeath, BadShuffleWidth)
{
    EXPECT_DEATH(run(runtime_width, 1, 64, 3), "shuffle of width 3 at .*must be a power of two and at most the wave");
    EXPECT_DEATH(run(runtime_width, 1, 64, 0), "shuffle of width 0");
    EXPECT_DEATH(run(runtime_width, 1, 64, 128), "shuffle of width 128");
    run(runtime_width, 1, 64, wave_size);
}

TEST_F(HipHostDeath, BarrierDivergence)
{
    EXPECT_DEATH(run(divergent_barrier, 1, 64), "block barrier divergence: this work-item waits at .*others at ");
    EXPECT_DEATH(run(barrier_against_shuffle, 1, 32, out),
                 "threads 0 to 9: at the block barrier at .*\n"
                 ".*threads 10 to 31: in a shuffle at .*\n.*deadlock");
}

TEST_F(HipHostDeath, SpinsThatCannotEnd)
{
    EXPECT_DEATH(run(wait_for_nobody, 1, 64, out), "spin on values that nobody will change");
    // The grid is larger than what is resident, and waits for what is not: in one of the two directions.
    constexpr int grid = 1000;
    const char* order = std::getenv("LINDEN_HIP_HOST_ORDER");
    const bool reversed = order && std::strcmp(order, "reverse") == 0;
    const auto good = reversed ? wait_for_block_that_cannot_run : wait_for_earlier_block_number;
    const auto bad = reversed ? wait_for_earlier_block_number : wait_for_block_that_cannot_run;
    std::memset(out, 0, sizeof out);
    EXPECT_DEATH(run(bad, grid, 64, out), "no further block fits");
    run(good, grid, 64, out);
    for (int i = 0; i < grid; ++i) {
        ASSERT_EQ(out[i], 1);
    }
}

TEST_F(HipHostDeath, SharedMemoryAndBlockSize)
{
    EXPECT_DEATH(run(take_too_much_shared, 1, 64), "more than 65536 bytes of shared memory");
    EXPECT_DEATH(run(wrong_block_size, 1, 128), "block_reduce<64> in a block of 128 threads");
    EXPECT_DEATH(run(launch_inside, 1, 1, out), "a kernel launches a kernel");
}

#if defined(LINDEN_HIP_HOST_ASAN)
__global__ void write_behind(int* p, int n) { p[n + thread_id()] = 1; }
__global__ void write_behind_shared(int n)
{
    LINDEN_SHARED(a, int[5]);
    LINDEN_SHARED(b, int[5]);
    volatile int* p = a;
    p[n] = b[0];
}
__global__ void write_behind_dynamic(int n) { dynamic_shared<volatile char>()[n] = 1; }

TEST_F(HipHostDeath, AddressSanitizerSeesDeviceAndSharedMemory)
{
    DeviceArray<int> array(7);
    EXPECT_DEATH(run(write_behind, 1, 1, array.data(), 7), "heap-buffer-overflow");
    EXPECT_DEATH(run(write_behind_shared, 1, 1, 5), "use-after-poison");
    EXPECT_DEATH(expect_ok(launch(write_behind_dynamic, 1, 1, 100, nullptr, 104)), "use-after-poison");
}
#endif

// ---- what may not be read is recognisable
// ----------------------------------------------------------------------------

__global__ void read_undefined(double* out)
{
    LINDEN_SHARED(never_written, double[4]);
    out[0] = never_written[3];
    out[1] = dynamic_shared<double>()[1];
}
__global__ void shuffle_from_ended(double* out)
{
    if (thread_id() == 1) {
        return;
    }
    out[thread_id()] = Subgroup<4>::shuffle(1.0, 1);
}

TEST(HipHost, UndefinedValuesAreNan)
{
    void* fresh = nullptr;
    expect_ok(hipMalloc(&fresh, 64));
    auto out = static_cast<double*>(fresh);
    EXPECT_TRUE(std::isnan(out[7]));
    // twice, so that the second block meets what the first one left
    expect_ok(launch(read_undefined, 2, 1, 64, nullptr, out));
    EXPECT_TRUE(std::isnan(out[0]) && std::isnan(out[1]));
    std::fill_n(out, 4, 0.0);
    expect_ok(launch(shuffle_from_ended, 1, 4, 0, nullptr, out));
    EXPECT_TRUE(std::isnan(out[0]) && std::isnan(out[2]) && std::isnan(out[3]));
    EXPECT_EQ(out[1], 0.0);
    expect_ok(hipFree(fresh));
}

__global__ void write_order(int* counter, int* out)
{
    out[global_id()] = atomic_add(counter, 1);
    block_barrier();
    out[global_id() + grid_threads()] = atomic_add(counter, 1);
}

TEST(HipHost, OrderFollowsTheEnvironment)
{
    constexpr int grid = 2, block = 100, n = grid * block;
    int counter = 0, out[2 * n];
    expect_ok(launch(write_order, grid, block, 0, nullptr, &counter, out));
    const char* order = std::getenv("LINDEN_HIP_HOST_ORDER");
    const bool reversed = order && std::strcmp(order, "reverse") == 0;
    for (int i = 0; i < n; ++i) {
        const int b = reversed ? grid - 1 - i / block : i / block;
        const int t = reversed ? block - 1 - i % block : i % block;
        ASSERT_EQ(out[i], b * 2 * block + t);
        ASSERT_EQ(out[i + n], b * 2 * block + block + t);
    }
}

/// A lock taken by every thread of a block in turn: waits by failing compare-and-swap, without pause().
__global__ void locked_increment(int* lock, int* count)
{
    while (atomic_cas(lock, 0, 1) != 0) {
    }
    const int old = *count;
    pause();  // others try meanwhile
    *count = old + 1;
    atomic_exchange(lock, 0);
}

TEST(HipHost, FailingAtomicsLetOthersRun)
{
    int lock = 0, count = 0;
    expect_ok(launch(locked_increment, 3, 40, 0, nullptr, &lock, &count));
    EXPECT_EQ(count, 120);
}

/// Block 0 loads what never changes, and waits for memory that it reads as if nobody wrote it.
__global__ void wait_for_plain_memory(const int* never, volatile int* flag)
{
    if (block_id() == 0) {
        while (*flag == 0) {
            static_cast<void>(load_relaxed(never));
            pause();
        }
    } else {
        for (int turn = 0; turn < 100; ++turn) {
            pause();
        }
        *flag = 1;
    }
}

TEST(HipHost, WaitsThatNoLoadShowsEnd)
{
    int never = 0, flag = 0;
    expect_ok(launch(wait_for_plain_memory, 2, 64, 0, nullptr, &never, &flag));
    EXPECT_EQ(flag, 1);
}

__global__ void three_dimensional_block(int* out)
{
    const unsigned i = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    out[i] = static_cast<int>(threadIdx.x * 100 + threadIdx.y * 10 + threadIdx.z);
    hip_host::barrier(hip_host::CallSite::current());
}

TEST(HipHost, BlocksMayHaveThreeDimensions)
{
    int out[24];
    expect_ok(hip_host::launch_kernel(three_dimensional_block, {1}, {4, 3, 2}, 0, nullptr, static_cast<int*>(out)));
    for (int i = 0; i < 24; ++i) {
        ASSERT_EQ(out[i], i % 4 * 100 + i / 4 % 3 * 10 + i / 12);
    }
}

__global__ void numbers_in_a_line(int* out)
{
    out[thread_id()] = static_cast<int>(threadIdx.x + threadIdx.y + threadIdx.z);
}

TEST(HipHost, BlocksOfOneDimensionFollowOthers)
{
    int out[24];
    expect_ok(hip_host::launch_kernel(three_dimensional_block, {1}, {4, 3, 2}, 0, nullptr, static_cast<int*>(out)));
    expect_ok(launch(numbers_in_a_line, 1, 24, 0, nullptr, out));
    for (int i = 0; i < 24; ++i) {
        ASSERT_EQ(out[i], i);
    }
}

__global__ void sum_slowly(int* out)
{
    for (int i = 0; i < 50; ++i) {
        const int sum = Subgroup<8>::sum(1);
        block_barrier();
        if (thread_id() == 0) {
            *out += sum;
        }
    }
}

TEST(HipHost, HostThreadsTakeTurns)
{
    int out[2] = {};
    std::thread other([&] { expect_ok(launch(sum_slowly, 3, 64, 0, nullptr, out)); });
    expect_ok(launch(sum_slowly, 3, 64, 0, nullptr, out + 1));
    other.join();
    expect_ok(launch(sum_slowly, 1, 64, 0, nullptr, out));  // on stacks that the other thread left
    EXPECT_EQ(out[0], 1600);
    EXPECT_EQ(out[1], 1200);
}

TEST(HipHost, MemoryIsCountedAndLimited)
{
    std::size_t free_before = 0, free_now = 0, total = 0;
    expect_ok(hipMemGetInfo(&free_before, &total));
    void* p = nullptr;
    EXPECT_EQ(hipMalloc(&p, total + 1), hipErrorOutOfMemory);
    EXPECT_EQ(p, nullptr);
    expect_ok(hipMalloc(&p, 1000));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(p) % 256, 0u);
    expect_ok(hipMemGetInfo(&free_now, &total));
    EXPECT_EQ(free_before - free_now, 1000u);
    int x = 0;
    EXPECT_EQ(hipFree(&x), hipErrorInvalidValue);
    EXPECT_EQ(hipGetLastError(), hipErrorInvalidValue);
    EXPECT_EQ(hipGetLastError(), hipSuccess);
    expect_ok(hipFree(p));
}

}  // namespace
}  // namespace linden::hip::test
