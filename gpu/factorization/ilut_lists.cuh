#pragma once

#include "core/kernels/ilut.hpp"
#include "core/portable/ilut_arithmetic.hpp"
#include "gpu/device/bits.cuh"
#include "gpu/device/subgroup.cuh"

/// Lists of columns and their values, in the hands of a subgroup, and the largest entries of them.
namespace linden::LINDEN_GPU_NAMESPACE::ilut {

#if defined(LINDEN_HIP_PLATFORM_HOST)  // small, so that modest matrices have lists of each length
inline constexpr int block_size = 32;
inline constexpr int row_lanes = 8;
inline constexpr int short_list = 32;
inline constexpr size_type medium_list = 128;
inline constexpr size_type most_medium_list = medium_list;
#else
inline constexpr int block_size = 256;
inline constexpr int row_lanes = 32;
inline constexpr int short_list = 192;
inline constexpr size_type medium_list = 2048;
inline constexpr size_type most_medium_list = std::numeric_limits<size_type>::max();
#endif
/// Blocks of a multiprocessor: leaves a thread registers enough.
template <class V>
inline constexpr int resident_blocks = sizeof(V) > 8 ? 2 : 3;
/// What launch bounds say of them.
template <class V>
inline constexpr int bound_blocks = blocks_on_cuda(resident_blocks<V>);
using Lanes = Subgroup<row_lanes>;

/// The lanes before this one.
__device__ inline LaneMask lanes_before() { return (LaneMask{1} << Lanes::lane()) - 1; }

/// a / b
template <class R>
__device__ inline R divide(R a, R b)
{
    return a / b;
}
template <class R>
__device__ inline Complex<R> divide(Complex<R> a, Complex<R> b)
{
    const auto result = quotient(ComplexComponents<R>{a.re, a.im}, ComplexComponents<R>{b.re, b.im});
    return {result.re, result.im};
}

/// |x|
template <class R>
__device__ inline R size_of(R x)
{
    return abs(x);
}
template <class R>
__device__ inline R size_of(Complex<R> z)
{
    return absolute_value(ComplexComponents<R>{z.re, z.im});
}

/// |x|, infinite where x is not a number: the order of magnitudes is total.
template <class V>
__device__ inline device_real<V> magnitude_of(V x)
{
    const auto size = size_of(x);
    return is_nan(size) ? std::numeric_limits<device_real<V>>::infinity() : size;
}

/// A magnitude as an integer, in the same order.
template <class V>
__device__ inline access_t<device_real<V>> key_of(V x)
{
    return bits_to<access_t<device_real<V>>>(magnitude_of(x));
}

/// Memory for the columns of a row and their values.
template <class V, class I>
struct ColumnList {
    V* values = nullptr;
    I* cols = nullptr;
    size_type capacity = 0;
};

/// Entries [begin, end) of a list.
template <class V, class I>
class Entries {
public:
    __device__ Entries(const ColumnList<V, I>& list, I begin, I end) : list_(list), begin_(begin), end_(end) {}

    /// Writes the `limit` largest in their order, of equal ones the first. Returns their number.
    __device__ I store_largest(size_type limit, I* cols, V* values) const
    {
        if (limit == 0) {
            return 0;
        }
        const I size = end_ - begin_;
        const Bound bound = size > limit ? bound_for(static_cast<I>(limit)) : Bound{0, size};
        I num_stored = 0;
        I num_equal = 0;
        for (I base = begin_; base < end_; base += Lanes::size) {
            const I e = base + Lanes::lane();
            const V value = e < end_ ? list_.values[e] : V{};
            const Key key = key_of(value);
            const bool is_equal = e < end_ && key == bound.key;
            const LaneMask equal = Lanes::ballot(is_equal);
            const bool stays =
                is_equal ? num_equal + popcount(equal & lanes_before()) < bound.num_equal : e < end_ && key > bound.key;
            const LaneMask staying = Lanes::ballot(stays);
            if (stays) {
                const I to = num_stored + static_cast<I>(popcount(staying & lanes_before()));
                cols[to] = list_.cols[e];
                values[to] = value;
            }
            num_stored += static_cast<I>(popcount(staying));
            num_equal += static_cast<I>(popcount(equal));
        }
        return num_stored;
    }

private:
    using Key = access_t<device_real<V>>;
    static constexpr int held_chunks = short_list / Lanes::size;

    /// Which entries stay of too many: those with larger keys, and the first of those with this one.
    struct Bound {
        Key key;
        I num_equal;
    };

    /// The first keys of each lane, which are all of a short list; 0 where there is none.
    struct Keys {
        Key held[held_chunks];
    };
    __device__ Keys load_keys() const
    {
        Keys keys;
        LINDEN_UNROLL
        for (int chunk = 0; chunk < held_chunks; ++chunk) {
            const I e = begin_ + chunk * Lanes::size + Lanes::lane();
            keys.held[chunk] = e < end_ ? key_of(list_.values[e]) : Key{0};
        }
        return keys;
    }
    /// How many keys are at least `least` > 0.
    __device__ I num_from(const Keys& keys, Key least) const
    {
        I num = 0;
        LINDEN_UNROLL
        for (int chunk = 0; chunk < held_chunks; ++chunk) {
            if (chunk * Lanes::size < end_ - begin_) {
                num += static_cast<I>(popcount(Lanes::ballot(keys.held[chunk] >= least)));
            }
        }
        for (I base = begin_ + short_list; base < end_; base += Lanes::size) {
            const I e = base + Lanes::lane();
            num += static_cast<I>(popcount(Lanes::ballot(e < end_ && key_of(list_.values[e]) >= least)));
        }
        return num;
    }

    /// The `most`th key, or one that as many keys reach, bit by bit from the first.
    __device__ Bound bound_for(I most) const
    {
        const Keys keys = load_keys();
        Key key = 0;
        I num = end_ - begin_;
        for (Key bit = Key{1} << (8 * sizeof(Key) - 2); bit != 0 && num != most; bit >>= 1) {
            const I num_here = num_from(keys, key | bit);
            key = num_here >= most ? key | bit : key;
            num = num_here >= most ? num_here : num;
        }
        return {key, num == most ? most : most - num_from(keys, key + 1)};
    }

    const ColumnList<V, I>& list_;
    I begin_, end_;
};

}  // namespace linden::LINDEN_GPU_NAMESPACE::ilut
