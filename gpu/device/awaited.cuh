#pragma once

#include "gpu/device/subgroup.cuh"

/// Values that double as flags: one that is not there yet has all bits set, and is known by its upper 32 bits. A reader
/// sees at once whether it has come, without a flag beside it or an order between two accesses.
namespace linden::LINDEN_GPU_NAMESPACE {

/// Says that a loop that waits has got on without an atomic access. The host executor, which ends loops that wait for
/// ever, would not know.
__device__ inline void note_progress()
{
#if defined(LINDEN_HIP_PLATFORM_HOST)
    hip_host::note_progress();
#endif
}

/// One turn of a loop in which the lanes of `Group` wait: leaves the multiprocessor to others for some 100 ns unless a
/// lane has advanced. For loops in which most waves wait long; the others call pause().
template <class Group>
__device__ inline void rest_unless(bool advanced, CallSite site = CallSite::current())
{
    if (!Group::any(advanced, site)) {
#if defined(LINDEN_HIP_PLATFORM_HOST) || defined(LINDEN_HIP_PLATFORM_AMD)
        pause();
#else
        __nanosleep(100);
#endif
    }
}

/// Whether a number stands for one to come: a NaN that no arithmetic gives.
template <class R>
__device__ inline bool is_missing(R value)
{
    return bits_to<access_t<R>>(value) >> (8 * sizeof(R) - 32) == 0xffffffffu;
}
template <class R>
__device__ inline bool is_missing(Complex<R> value)
{
    return is_missing(value.re) || is_missing(value.im);
}

/// The number, or both parts of it, that stand for one to come.
template <class V>
__device__ inline V missing()
{
    const auto part = bits_to<device_real<V>>(static_cast<access_t<device_real<V>>>(~access_t<device_real<V>>{}));
    if constexpr (std::is_same_v<V, device_real<V>>) {
        return part;
    } else {
        return {part, part};
    }
}

/// The number itself, or another NaN in place of the one that stands for nothing.
template <class R>
__device__ inline R present(R value)
{
    return is_missing(value) ? std::numeric_limits<R>::quiet_NaN() : value;
}

template <class R>
__device__ inline Complex<R> present(Complex<R> value)
{
    return {present(value.re), present(value.im)};
}

/// Loads *p; whether it is there.
template <class R>
__device__ inline bool load_awaited(const R* p, R& value)
{
    value = load_relaxed(p);
    return !is_missing(value);
}
template <class R>
__device__ inline bool load_awaited(const Complex<R>* p, Complex<R>& value)
{
    const R* const parts = reinterpret_cast<const R*>(p);
    value = {load_relaxed(parts), load_relaxed(parts + 1)};
    return !is_missing(value);
}

template <class R>
__device__ inline void store_awaited(R* p, R value)
{
    store_relaxed(p, present(value));
}
template <class R>
__device__ inline void store_awaited(Complex<R>* p, Complex<R> value)
{
    R* const parts = reinterpret_cast<R*>(p);
    store_relaxed(parts, present(value.re));
    store_relaxed(parts + 1, present(value.im));
}

/// Takes *p away, for a later kernel.
template <class V>
__device__ inline void store_missing(V* p)
{
    *p = missing<V>();
}

/// The number of this subgroup of L lanes among those of a launch, whose blocks draw a ticket each: lower numbers are
/// those of blocks that run. All threads of the block call it once; *tickets is 0 before the launch.
template <int block_size, int L>
__device__ inline size_type next_in_turn(std::uint64_t* tickets)
{
    LINDEN_SHARED(drawn, std::uint64_t);
    if (thread_id() == 0) {
        drawn = atomic_add(tickets, 1);
    }
    block_barrier();
    return static_cast<size_type>(drawn) * (block_size / L) + thread_id() / L;
}

}  // namespace linden::LINDEN_GPU_NAMESPACE
