#include "gpu/device/memory_order.cuh"

#include <numeric>

#include "gpu/device/complex.cuh"
#include "test/gpu/gpu_support.cuh"

namespace linden::LINDEN_GPU_NAMESPACE::test {
namespace {

using Memory = GpuTest;

template <class T>
__global__ void copy_vectors(int n, const T* in, T* out)
{
    constexpr int width = max_vec<T>;
    const int i = global_id<int>() * width;
    if (i + width <= n) {
        auto v = load_vec<width>(in + i);
        for (int k = 0; k < width / 2; ++k) {
            const T first = v[k];
            v[k] = v[width - 1 - k];
            v[width - 1 - k] = first;
        }
        store_vec(out + i, v);
    }
}

template <class T>
void expect_reversed_vectors()
{
    constexpr int n = 240, width = max_vec<T>;
    std::vector<T> values(n);
    for (int i = 0; i < n; ++i) {
        values[i] = static_cast<T>(i + 1);
    }
    DeviceArray<T> in(values), out(n);
    expect_ok(launch(copy_vectors<T>, 4, 64, 0, nullptr, n, in.data(), out.data()));
    const auto got = out.host();
    for (int i = 0; i < n; ++i) {
        ASSERT_EQ(got[i], values[i / width * width + width - 1 - i % width]);
    }
}

TEST_F(Memory, VectorsMoveSixteenBytesInOrder)
{
    static_assert(max_vec<float> == 4 && max_vec<double> == 2 && max_vec<std::int64_t> == 2);
    static_assert(max_vec<Complex<float>> == 2 && max_vec<Complex<double>> == 1 && alignof(Vec<float, 4>) == 16);
    expect_reversed_vectors<float>();
    expect_reversed_vectors<double>();
    expect_reversed_vectors<std::int32_t>();
    expect_reversed_vectors<std::int64_t>();
    expect_reversed_vectors<Complex<float>>();
    expect_reversed_vectors<Complex<double>>();
}

template <class T>
__global__ void copy_hinted(int n, const T* in, T* streamed, T* global, T* vectors)
{
    const int i = global_id<int>();
    if (i < n) {
        store_streaming(streamed + i, load_streaming(in + i));
        global[i] = load_cached_global(in + i);
    }
    constexpr int width = max_vec<T>;
    if ((i + 1) * width <= n) {
        store_vec(vectors + i * width, load_vec_streaming<width>(in + i * width));
    }
}

template <class T>
void expect_hinted_copies()
{
    constexpr int n = 320;
    std::vector<T> values(n);
    for (int i = 0; i < n; ++i) {
        values[i] = static_cast<T>(i % 100 + 1);
    }
    DeviceArray<T> in(values), streamed(n), global(n), vectors(n);
    expect_ok(launch(copy_hinted<T>, 5, 64, 0, nullptr, n, in.data(), streamed.data(), global.data(), vectors.data()));
    EXPECT_EQ(streamed.host(), values);
    EXPECT_EQ(global.host(), values);
    EXPECT_EQ(vectors.host(), values);
}

TEST_F(Memory, HintedAccessesKeepTheBits)
{
    expect_hinted_copies<std::int8_t>();
    expect_hinted_copies<std::int16_t>();
    expect_hinted_copies<std::int32_t>();
    expect_hinted_copies<std::int64_t>();
    expect_hinted_copies<float>();
    expect_hinted_copies<double>();
    expect_hinted_copies<Complex<float>>();
    expect_hinted_copies<Complex<double>>();
}

template <class T>
__global__ void count_and_order(T* sum, T* tickets, T* seen)
{
    atomic_add(sum, static_cast<T>(thread_id() % 2 ? 3 : T(-1)));
    const T mine = atomic_add(tickets, 1);
    seen[mine] = mine;
}

template <class T>
void expect_atomic_add()
{
    DeviceArray<T> sum(1), tickets(1), seen(2048, T(77));
    expect_ok(launch(count_and_order<T>, 16, 128, 0, nullptr, sum.data(), tickets.data(), seen.data()));
    EXPECT_EQ(sum.host()[0], T(2048));
    EXPECT_EQ(tickets.host()[0], T(2048));
    const auto got = seen.host();
    for (int i = 0; i < 2048; ++i) {
        ASSERT_EQ(got[i], T(i)) << "every ticket is given once";
    }
}

TEST_F(Memory, AtomicAddLosesNothing)
{
    expect_atomic_add<std::int32_t>();
    expect_atomic_add<std::uint32_t>();
    expect_atomic_add<std::int64_t>();
    expect_atomic_add<std::uint64_t>();
}

/// The largest of all values by compare-and-swap, and the bits that were replaced.
template <class T>
__global__ void cas_max(T* largest, T* last, const T* values)
{
    const T mine = values[global_id()];
    T old = load_acquire(largest);
    while (old < mine) {
        const T seen = atomic_cas(largest, old, mine);
        if (seen == old) {
            break;
        }
        old = seen;
    }
    atomic_exchange(last, mine);
}

template <class T>
void expect_cas_max()
{
    std::vector<T> values(1024);
    Random random(3);
    for (T& v : values) {
        v = static_cast<T>(random() * 1e9);
    }
    values[700] = T(2'000'000'000);
    DeviceArray<T> in(values), largest(1, T(-2'000'000'000)), last(1, T(-2'000'000'000));
    expect_ok(launch(cas_max<T>, 8, 128, 0, nullptr, largest.data(), last.data(), in.data()));
    EXPECT_EQ(largest.host()[0], T(2'000'000'000));
    EXPECT_NE(std::find(values.begin(), values.end(), last.host()[0]), values.end());
}

TEST_F(Memory, CompareAndSwapAndExchange)
{
    expect_cas_max<std::int32_t>();
    expect_cas_max<std::int64_t>();
}

/// A chain through all blocks: block t (by ticket) waits for the value of block t - 1, twice the one before plus t.
/// Values travel both by plain stores behind the flag and inside a released value.
__global__ void chain(std::uint32_t* ticket, std::uint32_t* flags, std::uint64_t* plain, double* released)
{
    LINDEN_SHARED(mine, std::uint32_t);
    if (thread_id() == 0) {
        mine = atomic_add(ticket, 1);
    }
    block_barrier();
    const std::uint32_t t = mine;
    if (thread_id() != 0) {
        return;
    }
    if (t > 0) {
        spin_until([=] { return load_acquire(flags + t - 1) == 1; });
        plain[t] = 2 * load_cached_global(plain + t - 1) + t;
        spin_until([=] { return load_acquire(released + t - 1) >= 0; });
        store_release(released + t, load_acquire(released + t - 1) + 0.5);
    } else {
        plain[0] = 1;
        store_release(released, 0.0);
    }
    store_release(flags + t, 1);
}

TEST_F(Memory, ReleaseAndAcquireHandOverBetweenBlocks)
{
    constexpr int n = 60;
    DeviceArray<std::uint32_t> ticket(1), flags(n);
    DeviceArray<std::uint64_t> plain(n);
    DeviceArray<double> released(n, -1.0);
    expect_ok(launch(chain, n, 64, 0, nullptr, ticket.data(), flags.data(), plain.data(), released.data()));
    const auto got = plain.host();
    const auto sums = released.host();
    std::uint64_t expected = 1;
    for (std::uint64_t t = 0; t < n; ++t) {
        expected = t ? 2 * expected + t : 1;
        ASSERT_EQ(got[t], expected);
        ASSERT_EQ(sums[t], 0.5 * static_cast<double>(t));
    }
}

/// Two blocks that are resident together add in turns: neither could end without the other.
__global__ void ping_pong(int rounds, std::int32_t* turn, std::int64_t* sum)
{
    if (thread_id() != 0) {
        return;
    }
    for (int r = 0; r < rounds; ++r) {
        spin_until([=] { return load_acquire(turn) == 2 * r + block_id(); });
        *sum = load_cached_global(sum) * 3 + block_id();
        store_release(turn, 2 * r + block_id() + 1);
    }
}

TEST_F(Memory, ResidentBlocksTakeTurns)
{
    DeviceArray<std::int32_t> turn(1);
    DeviceArray<std::int64_t> sum(1);
    expect_ok(launch(ping_pong, 2, 64, 0, nullptr, 15, turn.data(), sum.data()));
    std::int64_t expected = 0;
    for (int i = 0; i < 30; ++i) {
        expected = expected * 3 + i % 2;
    }
    EXPECT_EQ(sum.host()[0], expected);
    EXPECT_EQ(turn.host()[0], 30);
}

}  // namespace
}  // namespace linden::LINDEN_GPU_NAMESPACE::test
