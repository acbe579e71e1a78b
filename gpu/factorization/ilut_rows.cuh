#pragma once

#include "gpu/device/bisection.cuh"
#include "gpu/factorization/ilut_lists.cuh"

/// The row under elimination of ILUT and of ICT, in the hands of one subgroup: its columns in increasing order beside
/// their values. The next column to eliminate stands in front of those still to come, fill is merged in, and what is
/// left at the end is in order.
namespace linden::LINDEN_GPU_NAMESPACE::ilut {

/// Chunks of a list that are on their way at a time, as it makes room for fill.
inline constexpr int chunks_moved = 2;

template <class V, class I>
class WorkingRow {
public:
    using R = device_real<V>;

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
        Lanes::sync();  // what was kept last is there
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
        return Entries<V, I>(list_, 0, num_kept_).store_largest(most, cols, values);
    }
    __device__ I store_rest(size_type most, I* cols, V* values) const
    {
        return Entries<V, I>(list_, next_, end_).store_largest(most, cols, values);
    }

private:
    __device__ static size_type least(size_type a, size_type b) { return a < b ? a : b; }

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

    ColumnList<V, I> list_;
    I* places_;
    I num_kept_ = 0;  ///< of those taken, from the first place on
    I next_ = 0;      ///< the first that was not taken
    I end_ = 0;
};

}  // namespace linden::LINDEN_GPU_NAMESPACE::ilut
