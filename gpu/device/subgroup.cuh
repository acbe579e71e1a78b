#pragma once

#include "gpu/device/complex.cuh"
#include "gpu/device/memory_order.cuh"

/// Groups of 1 to 64 neighbouring lanes of a wave, their exchange of values, and reductions in fixed order.
namespace linden::LINDEN_GPU_NAMESPACE {

/// Bit i stands for lane i.
using LaneMask = std::uint64_t;

struct Sum {
    template <class T>
    __host__ __device__ static constexpr T identity()
    {
        return T{};
    }
    template <class T>
    __host__ __device__ constexpr T operator()(T a, T b) const
    {
        return a + b;
    }
};

/// The larger of two numbers; NaN if one is NaN, so that a norm cannot hide it.
struct Max {
    template <class T>
    __host__ __device__ static constexpr T identity()
    {
        return std::numeric_limits<T>::lowest();
    }
    template <class T>
    __host__ __device__ constexpr T operator()(T a, T b) const
    {
        return a > b || a != a ? a : b;
    }
};

/// N lanes whose first has a number that N divides. All functions but lane() and index() are collectives: every lane
/// of the subgroup that has not ended calls them together; other subgroups of the wave need not. Values may be of any
/// trivially copyable type of at most 32 bytes.
///
/// N <= wave_size. Code for N = 64 may be compiled for a device of 32 lanes (a fat binary); running it there traps.
template <int N>
struct Subgroup {
    static_assert(N >= 1 && N <= max_wave_size && (N & (N - 1)) == 0);
    static constexpr int size = N;

    /// Number of this lane in its subgroup.
    __device__ static int lane() { return thread_id() & (N - 1); }
    /// Number of this subgroup in the grid's first dimension.
    template <class I = size_type>
    __device__ static I index()
    {
        return global_id<I>() / N;
    }

    /// The value of lane `source`, 0 <= source < N. Undefined where that lane has ended.
    template <class T>
    __device__ static T shuffle(T value, int source, CallSite site = CallSite::current())
    {
        if constexpr (N == 1) {
            return value;
        } else {
            return exchange(value, source, site);
        }
    }
    template <class T>
    __device__ static T shuffle_xor(T value, int mask, CallSite site = CallSite::current())
    {
        return shuffle(value, lane() ^ mask, site);
    }
    /// The value of lane() + distance; the own value where there is no such lane.
    template <class T>
    __device__ static T shuffle_down(T value, int distance, CallSite site = CallSite::current())
    {
        return shuffle(value, lane() + distance < N ? lane() + distance : lane(), site);
    }
    /// The value of lane() - distance; the own value where there is no such lane.
    template <class T>
    __device__ static T shuffle_up(T value, int distance, CallSite site = CallSite::current())
    {
        return shuffle(value, lane() >= distance ? lane() - distance : lane(), site);
    }

    /// The lanes for which `predicate` holds. Lanes that have ended count as false.
    __device__ static LaneMask ballot(bool predicate, CallSite site = CallSite::current());
    __device__ static bool any(bool predicate, CallSite site = CallSite::current())
    {
        return ballot(predicate, site) != 0;
    }
    __device__ static bool all(bool predicate, CallSite site = CallSite::current())
    {
        return ballot(!predicate, site) == 0;
    }

    /// Orders the lanes' accesses to shared and global memory.
    __device__ static void sync(CallSite site = CallSite::current());

    /// The reduction over all N lanes, in every lane: a butterfly, the same bits on every platform. No lane has ended.
    template <class T, class Op>
    __device__ static T reduce(T value, Op op, CallSite site = CallSite::current())
    {
        LINDEN_UNROLL
        for (int distance = N / 2; distance > 0; distance /= 2) {
            value = op(value, shuffle_xor(value, distance, site));
        }
        return value;
    }
    template <class T>
    __device__ static T sum(T value, CallSite site = CallSite::current())
    {
        return reduce(value, Sum{}, site);
    }

private:
    template <class T>
    __device__ static T exchange(T value, int source, CallSite site);

    /// This subgroup's lanes in the wave.
    __device__ static LaneMask lanes_in_wave()
    {
        return (~LaneMask{0} >> (64 - N)) << (thread_id() & (wave_size - 1) & ~(N - 1));
    }
    __device__ static void require_wave()
    {
#if defined(LINDEN_HIP_PLATFORM_AMD)
        if constexpr (N > wave_size) {
            __builtin_trap();
        }
#endif
    }
};

template <int N>
template <class T>
__device__ inline T Subgroup<N>::exchange(T value, int source, [[maybe_unused]] CallSite site)
{
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 32);
    require_wave();
#if defined(LINDEN_HIP_PLATFORM_HOST)
    return hip_host::shuffle(value, source, N, site);
#else
    constexpr int num_words = static_cast<int>((sizeof(T) + 3) / 4);
    int words[num_words] = {};
    memcpy(words, &value, sizeof value);
    LINDEN_UNROLL
    for (int i = 0; i < num_words; ++i) {
#if defined(LINDEN_HIP_PLATFORM_AMD)
        words[i] = __shfl(words[i], source, N);
#else
        words[i] = __shfl_sync(static_cast<unsigned>(lanes_in_wave()), words[i], source, N);
#endif
    }
    memcpy(&value, words, sizeof value);
    return value;
#endif
}

template <int N>
__device__ inline LaneMask Subgroup<N>::ballot(bool predicate, [[maybe_unused]] CallSite site)
{
    require_wave();
    if constexpr (N == 1) {
        return predicate;
    }
#if defined(LINDEN_HIP_PLATFORM_HOST)
    return hip_host::ballot(predicate, N, site);
#else
    const int first = thread_id() & (wave_size - 1) & ~(N - 1);
#if defined(LINDEN_HIP_PLATFORM_AMD)
    const LaneMask wave = __ballot(predicate);
#else
    const LaneMask wave = __ballot_sync(static_cast<unsigned>(lanes_in_wave()), predicate);
#endif
    return (wave & lanes_in_wave()) >> first;
#endif
}

template <int N>
__device__ inline void Subgroup<N>::sync([[maybe_unused]] CallSite site)
{
    require_wave();
#if defined(LINDEN_HIP_PLATFORM_HOST)
    hip_host::sync(N, site);
#elif defined(LINDEN_HIP_PLATFORM_AMD)
    // Lanes run in lockstep: only the compiler and the order of memory need to be told.
    __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "wavefront");
    __builtin_amdgcn_wave_barrier();
#else
    __syncwarp(static_cast<unsigned>(lanes_in_wave()));
#endif
}

}  // namespace linden::LINDEN_GPU_NAMESPACE
