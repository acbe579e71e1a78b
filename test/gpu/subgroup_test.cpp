#include "gpu/device/subgroup.cuh"

#include <bit>

#include "test/gpu/gpu_support.cuh"

namespace linden::LINDEN_GPU_NAMESPACE::test {
namespace {

using SubgroupTest = GpuTest;

/// Calls f for every subgroup size that the device runs, as a constant.
template <int N = 1, class F>
void for_each_size(F f)
{
    if constexpr (N <= max_wave_size) {
        if (N <= wave_size_of(0)) {
            SCOPED_TRACE(testing::Message() << "subgroup of " << N);
            f(std::integral_constant<int, N>{});
        }
        for_each_size<2 * N>(f);
    }
}

constexpr int num_threads = 192;
constexpr int num_exchanges = 6;

template <int N, class T>
__global__ void exchange_all(const T* in, T* out)
{
    using Group = Subgroup<N>;
    const int i = global_id<int>();
    const T mine = in[i];
    T* r = out + i * num_exchanges;
    r[0] = Group::shuffle(mine, (Group::lane() * 3 + 1) % N);
    r[1] = Group::shuffle_xor(mine, N - 1);
    r[2] = Group::shuffle_down(mine, 3);
    r[3] = Group::shuffle_up(mine, 2);
    r[4] = Group::sum(mine);
    r[5] = Group::shuffle(mine, 0);
}

template <int N, class T>
void expect_exchanges()
{
    constexpr int n = 2 * num_threads;
    std::vector<T> values(n);
    Random random(N);
    for (T& v : values) {
        v = static_cast<T>(std::floor(random() * 1000));  // sums are exact
        if constexpr (sizeof(T) == 8 && std::is_integral_v<T>) {
            v *= 1'000'000'007;
        }
    }
    DeviceArray<T> in(values), out(n * num_exchanges);
    expect_ok(launch(exchange_all<N, T>, 2, num_threads, 0, nullptr, in.data(), out.data()));
    const auto got = out.host();
    for (int i = 0; i < n; ++i) {
        const int lane = i % N, first = i - lane;
        T sum{};
        for (int k = 0; k < N; ++k) {
            sum += values[first + k];
        }
        const T expected[num_exchanges] = {values[first + (lane * 3 + 1) % N],
                                           values[first + N - 1 - lane],
                                           values[lane + 3 < N ? i + 3 : i],
                                           values[lane >= 2 ? i - 2 : i],
                                           sum,
                                           values[first]};
        for (int k = 0; k < num_exchanges; ++k) {
            ASSERT_EQ(got[i * num_exchanges + k], expected[k]) << "exchange " << k << " thread " << i;
        }
    }
}

TEST_F(SubgroupTest, ExchangesValuesOfEveryType)
{
    for_each_size([](auto size) {
        constexpr int N = size;
        expect_exchanges<N, float>();
        expect_exchanges<N, double>();
        expect_exchanges<N, std::int32_t>();
        expect_exchanges<N, std::int64_t>();
        expect_exchanges<N, Complex<float>>();
        expect_exchanges<N, Complex<double>>();
    });
}

template <int N>
__global__ void vote(const int* in, LaneMask* ballots, int* any_all)
{
    const int i = global_id<int>();
    ballots[i] = Subgroup<N>::ballot(in[i] == 1);
    any_all[i] = 2 * Subgroup<N>::any(in[i] == 1) + Subgroup<N>::all(in[i] == 1);
}

TEST_F(SubgroupTest, Votes)
{
    for_each_size([](auto size) {
        constexpr int N = size;
        std::vector<int> values(num_threads);
        for (int i = 0; i < num_threads; ++i) {
            const int group = i / N;
            values[i] = group % 3 == 0 ? 1 : group % 3 == 1 ? 0 : (i * 7 % 5 < 2);
        }
        DeviceArray<int> in(values), any_all(num_threads);
        DeviceArray<LaneMask> ballots(num_threads);
        expect_ok(launch(vote<N>, 1, num_threads, 0, nullptr, in.data(), ballots.data(), any_all.data()));
        const auto masks = ballots.host();
        const auto flags = any_all.host();
        for (int i = 0; i < num_threads; ++i) {
            LaneMask expected = 0;
            for (int k = 0; k < N; ++k) {
                expected |= LaneMask(values[i / N * N + k]) << k;
            }
            ASSERT_EQ(masks[i], expected);
            ASSERT_EQ(flags[i], 2 * (expected != 0) + (std::popcount(expected) == N));
        }
    });
}

/// Every subgroup makes another number of rounds; every third one leaves early.
template <int N>
__global__ void diverge(int* out)
{
    using Group = Subgroup<N>;
    const int group = Group::template index<int>();
    if (group % 3 == 2) {
        out[global_id()] = -1;
        return;
    }
    int total = 0;
    for (int round = 0; round <= group % 5; ++round) {
        total += Group::sum(Group::lane() + round);
        if (group % 2 == 0) {
            total += static_cast<int>(Group::ballot(Group::lane() == round) != 0);
        }
    }
    out[global_id()] = total;
}

TEST_F(SubgroupTest, SubgroupsOfAWaveMayDiverge)
{
    for_each_size([](auto size) {
        constexpr int N = size;
        DeviceArray<int> out(num_threads);
        expect_ok(launch(diverge<N>, 1, num_threads, 0, nullptr, out.data()));
        const auto got = out.host();
        for (int i = 0; i < num_threads; ++i) {
            const int group = i / N;
            int expected = 0;
            for (int round = 0; round <= group % 5; ++round) {
                expected += N * (N - 1) / 2 + N * round + (group % 2 == 0 && round < N);
            }
            ASSERT_EQ(got[i], group % 3 == 2 ? -1 : expected);
        }
    });
}

/// Lanes leave one by one; those that stay go on voting.
template <int N>
__global__ void leave_one_by_one(LaneMask* out)
{
    using Group = Subgroup<N>;
    for (int round = 0; round < N; ++round) {
        if (Group::lane() < round) {
            return;
        }
        out[global_id()] = Group::ballot(true);
    }
}

TEST_F(SubgroupTest, EndedLanesNeitherVoteNorBlock)
{
    for_each_size([](auto size) {
        constexpr int N = size;
        DeviceArray<LaneMask> out(num_threads);
        expect_ok(launch(leave_one_by_one<N>, 1, num_threads, 0, nullptr, out.data()));
        const auto got = out.host();
        for (int i = 0; i < num_threads; ++i) {
            const int lane = i % N;
            ASSERT_EQ(got[i], (~LaneMask{0} >> (64 - N)) & (~LaneMask{0} << lane));
        }
    });
}

/// The last subgroup is not full, as at the end of a matrix.
template <int N>
__global__ void partial_block(LaneMask* out)
{
    out[thread_id()] = Subgroup<N>::ballot(true);
}

TEST_F(SubgroupTest, BlockNeedNotBeAMultipleOfTheSubgroup)
{
    for_each_size([](auto size) {
        constexpr int N = size;
        constexpr int threads = 77;
        DeviceArray<LaneMask> out(threads);
        expect_ok(launch(partial_block<N>, 1, threads, 0, nullptr, out.data()));
        const auto got = out.host();
        for (int i = 0; i < threads; ++i) {
            const int lanes = std::min(N, threads - i / N * N);
            ASSERT_EQ(got[i], ~LaneMask{0} >> (64 - lanes));
        }
    });
}

template <int N>
__global__ void pass_through_shared(int* out)
{
    LINDEN_SHARED(tile, int[num_threads]);
    const int first = thread_id() - Subgroup<N>::lane();
    for (int round = 0; round < 3; ++round) {
        tile[thread_id()] = round * 1000 + thread_id();
        Subgroup<N>::sync();
        out[round * num_threads + thread_id()] = tile[first + N - 1 - Subgroup<N>::lane()];
        Subgroup<N>::sync();
    }
}

TEST_F(SubgroupTest, SyncOrdersSharedMemory)
{
    for_each_size([](auto size) {
        constexpr int N = size;
        DeviceArray<int> out(3 * num_threads);
        expect_ok(launch(pass_through_shared<N>, 1, num_threads, 0, nullptr, out.data()));
        const auto got = out.host();
        for (int i = 0; i < 3 * num_threads; ++i) {
            const int thread = i % num_threads;
            ASSERT_EQ(got[i], i / num_threads * 1000 + thread / N * N + N - 1 - thread % N);
        }
    });
}

template <int N>
__global__ void butterfly(const double* in, double* out)
{
    out[2 * global_id()] = Subgroup<N>::sum(in[global_id()]);
    out[2 * global_id() + 1] = Subgroup<N>::reduce(in[global_id()], Max{});
}

/// What Subgroup::sum promises: the tree whose leaves 2^j lanes apart meet in step j, from the widest.
double tree_sum(const double* values, int n)
{
    std::vector<double> v(values, values + n);
    for (int distance = n / 2; distance > 0; distance /= 2) {
        for (int i = 0; i < distance; ++i) {
            v[i] += v[i + distance];
        }
    }
    return v[0];
}

TEST_F(SubgroupTest, SumIsTheSameTreeInEveryLane)
{
    for_each_size([](auto size) {
        constexpr int N = size;
        std::vector<double> values(num_threads);
        Random random(99);
        for (double& v : values) {
            v = random();
        }
        DeviceArray<double> in(values), out(2 * num_threads);
        expect_ok(launch(butterfly<N>, 1, num_threads, 0, nullptr, in.data(), out.data()));
        const auto got = out.host();
        for (int i = 0; i < num_threads; ++i) {
            const auto begin = values.begin() + i / N * N;
            ASSERT_EQ(got[2 * i], tree_sum(&*begin, N));
            ASSERT_EQ(got[2 * i + 1], *std::max_element(begin, begin + N));
        }
    });
}

}  // namespace
}  // namespace linden::LINDEN_GPU_NAMESPACE::test
