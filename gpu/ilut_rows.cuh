#pragma once

#include "core/kernels/ilut.hpp"
#include "core/kernels/ilut_values.hpp"
#include "gpu/awaited.cuh"
#include "gpu/bisection.cuh"
#include "gpu/bits.cuh"

/// The row under elimination of ILUT and of ICT, in the hands of one subgroup: its columns in increasing order beside
/// their values. The next column to eliminate stands in front of those still to come, fill is merged in, and what is
/// left at the end is in order.
namespace linden::LINDEN_GPU_NAMESPACE::ilut {

#if defined(LINDEN_HIP_PLATFORM_HOST)  // small, so that modest matrices have lists of each length
inline constexpr int block_size = 32;
inline constexpr int row_lanes = 8;
inline constexpr int short_list = 32;
inline constexpr int medium_list = 128;
#else
inline constexpr int block_size = 256;
inline constexpr int row_lanes = 32;
inline constexpr int short_list = 192;
inline constexpr int medium_list = 2048;
#endif
/// Blocks of a multiprocessor.
inline constexpr int resident_blocks = 3;
/// Chunks of a list that are on their way at a time, as it makes room for fill.
inline constexpr int chunks_moved = 2;
using Lanes = Subgroup<row_lanes>;

/// a / b
template <class R>
__device__ inline R divide(R a, R b)
{
    return a / b;
}
template <class R>
__device__ inline Complex<R> divide(Complex<R> a, Complex<R> b)
{
    const auto result = quotient(ComplexParts<R>{a.re, a.im}, ComplexParts<R>{b.re, b.im});
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
    return absolute_value(ComplexParts<R>{z.re, z.im});
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

template <class V, class I>
class WorkingRow {
public:
    using R = device_real<V>;
    using Key = access_t<R>;

    /// `places`: shared memory for a number per lane.
    __device__ explicit WorkingRow(I* places) : places_(places) {}

    /// Empty but for the entry (col, value).
    __device__ void begin(const ColumnList<V, I>& list, I col, V value)
    {
        Lanes::sync();  // some lane may still read the row before
        list_ = list;
        num_kept_ = next_ = 0;
        end_ = 1;
        if (Lanes::lane() == 0) {
            list_.cols[0] = col;
            list_.values[0] = V{} + value;
        }
        Lanes::sync();
    }

    /// Whether `more` of n columns can be added.
    __device__ bool has_room(size_type more, size_type n) const { return least(end_ + more, n) <= list_.capacity; }
    /// What a list has to hold then, without the columns that are gone.
    __device__ size_type wanted_room(size_type more, size_type n) const
    {
        return least(end_ - (next_ - num_kept_) + more, n);
    }
    __device__ size_type capacity() const { return list_.capacity; }
    /// Does without the columns that are gone.
    __device__ void compact() { move_to(list_); }
    /// The same in another list.
    __device__ void move_to(ColumnList<V, I> list)
    {
        if (list.cols != list_.cols) {
            copy(list, 0, num_kept_, 0);
        }
        copy(list, next_, end_, num_kept_);
        end_ -= next_ - num_kept_;
        next_ = num_kept_;
        list_ = list;
    }

    /// The first column that was not taken; there is one.
    __device__ I next_col() const { return list_.cols[next_]; }
    /// The column `ahead` places after that; -1 if there is none.
    __device__ I col_ahead(int ahead) const { return ahead < end_ - next_ ? list_.cols[next_ + ahead] : I{-1}; }
    __device__ V next_value() const { return list_.values[next_]; }
    __device__ void take_next() { ++next_; }
    /// Keeps an entry that was taken.
    __device__ void keep(I col, V value)
    {
        Lanes::sync();  // its old value may stand here, and is read by all
        if (Lanes::lane() == 0) {
            list_.cols[num_kept_] = col;
            list_.values[num_kept_] = value;
        }
        ++num_kept_;
    }

    /// Adds `value` in column `col` of the lanes where it exists; columns increase with the lane, none was taken, and
    /// there is room.
    __device__ void add(bool exists, I col, V value)
    {
        const I at = exists ? lower_bound(list_.cols, next_, end_, col) : end_;
        const bool is_new = exists && (at == end_ || list_.cols[at] != col);
        if (exists && !is_new) {
            list_.values[at] += value;
        }
        const LaneMask added = Lanes::ballot(is_new);
        if (added == 0) {
            Lanes::sync();
            return;
        }
        const I place = at + static_cast<I>(popcount(added & lanes_before()));
        if (is_new) {
            places_[place - at] = place;
        }
        Lanes::sync();
        make_places(static_cast<I>(popcount(added)));
        if (is_new) {
            list_.cols[place] = col;
            list_.values[place] = V{} + value;
        }
        Lanes::sync();
    }

    /// Calls `scale` for the values that were not taken, and drops those below `cutoff`.
    template <class Scale>
    __device__ void drop_rest(R cutoff, Scale scale)
    {
        I to = next_;
        for (I base = next_; base < end_; base += Lanes::size) {
            const I from = base + Lanes::lane();
            const I col = from < end_ ? list_.cols[from] : I{};
            const V value = from < end_ ? scale(list_.values[from]) : V{};
            const bool stays = from < end_ && !(magnitude_of(value) < cutoff);
            const LaneMask staying = Lanes::ballot(stays);
            Lanes::sync();
            if (stays) {
                const I target = to + static_cast<I>(popcount(staying & lanes_before()));
                list_.cols[target] = col;
                list_.values[target] = value;
            }
            to += static_cast<I>(popcount(staying));
        }
        end_ = to;
        Lanes::sync();
    }

    __device__ I num_kept() const { return num_kept_; }
    /// The `most` largest of the entries kept, and of those that were not taken, in their order. Returns their number.
    __device__ I store_kept(size_type most, I* cols, V* values) const
    {
        return store(0, num_kept_, most, cols, values);
    }
    __device__ I store_rest(size_type most, I* cols, V* values) const { return store(next_, end_, most, cols, values); }

private:
    __device__ static size_type least(size_type a, size_type b) { return a < b ? a : b; }
    __device__ static LaneMask lanes_before() { return (LaneMask{1} << Lanes::lane()) - 1; }

    /// Entries [begin, end) to place `to` of `list`, which is no later in the same one.
    __device__ void copy(const ColumnList<V, I>& list, I begin, I end, I to) const
    {
        for (I base = begin; base < end; base += Lanes::size) {
            const I from = base + Lanes::lane();
            const I col = from < end ? list_.cols[from] : I{};
            const V value = from < end ? list_.values[from] : V{};
            Lanes::sync();
            if (from < end) {
                list.cols[to + from - begin] = col;
                list.values[to + from - begin] = value;
            }
            Lanes::sync();
        }
    }

    /// Moves entries back so that the first num_new of places_, which increase, are free.
    __device__ void make_places(I num_new)
    {
        const I first = places_[0];
        for (I top = end_ + num_new; top > first; top -= chunks_moved * Lanes::size) {
            I cols[chunks_moved];
            V values[chunks_moved];
            bool moves[chunks_moved];
            LINDEN_UNROLL
            for (int chunk = 0; chunk < chunks_moved; ++chunk) {
                const I to = top - 1 - chunk * Lanes::size - Lanes::lane();
                const I num_before = lower_bound(places_, I{0}, num_new, to);
                moves[chunk] = to > first && !(num_before < num_new && places_[num_before] == to);
                cols[chunk] = moves[chunk] ? list_.cols[to - num_before] : I{};
                values[chunk] = moves[chunk] ? list_.values[to - num_before] : V{};
            }
            Lanes::sync();
            LINDEN_UNROLL
            for (int chunk = 0; chunk < chunks_moved; ++chunk) {
                if (moves[chunk]) {
                    const I to = top - 1 - chunk * Lanes::size - Lanes::lane();
                    list_.cols[to] = cols[chunk];
                    list_.values[to] = values[chunk];
                }
            }
            Lanes::sync();
        }
        end_ += num_new;
    }

    /// Which entries stay of too many: those with larger keys, and the first of those with this one.
    struct Bound {
        Key key;
        I num_equal;
    };

    /// The keys of entries [begin, end), those of short lists in registers; 0 where there is none.
    struct Keys {
        Key held[short_list / Lanes::size];
    };
    __device__ Keys keys_of(I begin, I end) const
    {
        Keys keys;
        LINDEN_UNROLL
        for (int chunk = 0; chunk < short_list / Lanes::size; ++chunk) {
            const I e = begin + chunk * Lanes::size + Lanes::lane();
            keys.held[chunk] = e < end ? key_of(list_.values[e]) : Key{0};
        }
        return keys;
    }
    /// How many are at least `least` > 0.
    __device__ I num_from(const Keys& keys, I begin, I end, Key least) const
    {
        I num = 0;
        LINDEN_UNROLL
        for (int chunk = 0; chunk < short_list / Lanes::size; ++chunk) {
            if (chunk * Lanes::size < end - begin) {
                num += static_cast<I>(popcount(Lanes::ballot(keys.held[chunk] >= least)));
            }
        }
        for (I base = begin + short_list; base < end; base += Lanes::size) {
            const I e = base + Lanes::lane();
            num += static_cast<I>(popcount(Lanes::ballot(e < end && key_of(list_.values[e]) >= least)));
        }
        return num;
    }

    /// The `most`th key, or one that as many keys reach, bit by bit from the first.
    __device__ Bound bound_for(I begin, I end, I most) const
    {
        const Keys keys = keys_of(begin, end);
        Key key = 0;
        I num = end - begin;
        for (Key bit = Key{1} << (8 * sizeof(Key) - 2); bit != 0 && num != most; bit >>= 1) {
            const I num_here = num_from(keys, begin, end, key | bit);
            key = num_here >= most ? key | bit : key;
            num = num_here >= most ? num_here : num;
        }
        return {key, num == most ? most : most - num_from(keys, begin, end, key + 1)};
    }

    __device__ I store(I begin, I end, size_type limit, I* cols, V* values) const
    {
        if (limit == 0) {
            return 0;
        }
        const bool is_limited = end - begin > limit;
        const Bound bound = is_limited ? bound_for(begin, end, static_cast<I>(limit)) : Bound{0, end - begin};
        I stored = 0;
        I equal = 0;
        for (I base = begin; base < end; base += Lanes::size) {
            const I e = base + Lanes::lane();
            const V value = e < end ? list_.values[e] : V{};
            const Key key = key_of(value);
            const bool is_equal = e < end && key == bound.key;
            const LaneMask equals = Lanes::ballot(is_equal);
            const bool stays =
                is_equal ? equal + popcount(equals & lanes_before()) < bound.num_equal : e < end && key > bound.key;
            const LaneMask staying = Lanes::ballot(stays);
            if (stays) {
                const I to = stored + static_cast<I>(popcount(staying & lanes_before()));
                cols[to] = list_.cols[e];
                values[to] = value;
            }
            stored += static_cast<I>(popcount(staying));
            equal += static_cast<I>(popcount(equals));
        }
        return stored;
    }

    ColumnList<V, I> list_;
    I* places_;
    I num_kept_ = 0;  ///< of those taken, from the first place on
    I next_ = 0;      ///< the first that was not taken
    I end_ = 0;
};

}  // namespace linden::LINDEN_GPU_NAMESPACE::ilut
