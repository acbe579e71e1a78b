#pragma once

#include "core/base/math.hpp"
#include "core/kernels/multigrid.hpp"
#include "core/portable/lanes.hpp"
#include "core/portable/sell.hpp"

/// How levels of multigrid are stored: in slices or row by row, with scaled and rounded values.
namespace linden {

/// diag(left) A diag(right) at entry k of row `row`.
template <class V, class I>
LINDEN_HOST_DEVICE V scaled_value(const ScaledView<V, I>& scaled, size_type row, size_type k)
{
    return scaled.left[row] * scaled.right[scaled.a.col_idxs[k]] * scaled.a.values[k];
}

/// The places of a row in slices, of which the last may have more than there are, and its entries.
struct PlacesOfRow {
    size_type first, last, step;  ///< places
    size_type begin, end;         ///< entries; the places behind them are padding

    template <class Pointer>
    LINDEN_HOST_DEVICE PlacesOfRow(const SellLayout<Pointer>& layout, const Pointer* row_ptrs, size_type row)
        : step(layout.slice_rows)
    {
        const bool exists = row < layout.rows;
        const size_type slice = row / layout.slice_rows;
        first = layout.slice_ptrs[slice] * layout.slice_rows + row - slice * layout.slice_rows;
        last = layout.slice_ptrs[slice + 1] * layout.slice_rows;
        begin = exists ? size_type{row_ptrs[row]} : 0;
        end = exists ? size_type{row_ptrs[row + 1]} : 0;
    }

    /// Calls put(place, get(k)) for all entries k, put(place, padding) behind them; several get(k) before their put.
    template <class T, class Get, class Put>
    LINDEN_HOST_DEVICE void fill(T padding, const Get& get, const Put& put) const
    {
        size_type k = begin;
        for (size_type place = first; place < last; place += in_flight * step, k += in_flight) {
            T values[in_flight];
            for (int i = 0; i < in_flight; ++i) {
                values[i] = k + i < end ? get(k + i) : padding;
            }
            for (int i = 0; i < in_flight; ++i) {
                if (place + i * step < last) {
                    put(place + i * step, values[i]);
                }
            }
        }
    }
    /// The same where entries have the places that these offsets say.
    template <class T, class Get, class Put>
    LINDEN_HOST_DEVICE void fill(const std::uint16_t* offsets, T padding, const Get& get, const Put& put) const
    {
        if (offsets == nullptr) {
            fill(padding, get, put);
            return;
        }
        size_type k = begin;
        for (size_type place = first; place < last; place += in_flight * step) {
            bool is_there[in_flight];
            T values[in_flight];
            for (int i = 0; i < in_flight; ++i) {
                is_there[i] = place + i * step < last && offsets[place + i * step] != no_column<std::uint16_t>;
            }
            for (int i = 0; i < in_flight; ++i) {
                values[i] = is_there[i] ? get(k) : padding;
                k += is_there[i] ? 1 : 0;
            }
            for (int i = 0; i < in_flight; ++i) {
                if (place + i * step < last) {
                    put(place + i * step, values[i]);
                }
            }
        }
    }

private:
    static constexpr int in_flight = 4;
};

/// Neighbouring rows lie side by side in a slice.
template <class I>
struct SliceColumns {
    SellLayout<I> layout;
    PatternView<I> a;
    I* col_idxs;

    LINDEN_HOST_DEVICE size_type size() const { return layout.num_slices() * layout.slice_rows; }
    LINDEN_HOST_DEVICE void operator()(size_type row) const
    {
        PlacesOfRow(layout, a.row_ptrs, row)
            .fill(
                no_column<I>, [&](size_type k) { return a.col_idxs[k]; },
                [&](size_type place, I col) { col_idxs[place] = col; });
    }
};

/// The columns of a slice one after the other, as narrow as 16 bits: the least of the rows' next entries, and of the
/// others those that are no further behind it. What is further waits, and leaves padding.
template <class Lanes>
class NarrowColumns {
public:
    static constexpr int rows_each = level_slice_rows / Lanes::size;

    LINDEN_HOST_DEVICE NarrowColumns(const PatternView<std::int32_t>& a, size_type slice) : cols_(a.col_idxs)
    {
        for (int i = 0; i < rows_each; ++i) {
            const size_type row = slice * level_slice_rows + i * Lanes::size + Lanes::lane();
            next_[i] = row < a.rows ? a.row_ptrs[row] : 0;
            end_[i] = row < a.rows ? a.row_ptrs[row + 1] : 0;
        }
    }

    LINDEN_HOST_DEVICE bool has_more() const
    {
        bool has = false;
        for (int i = 0; i < rows_each; ++i) {
            has = has || next_[i] < end_[i];
        }
        return Lanes::any(has);
    }
    /// Whether an entry has waited, behind a gap.
    LINDEN_HOST_DEVICE bool has_gaps() const { return Lanes::any(has_gaps_); }
    /// Returns the least, 0 if there is none.
    LINDEN_HOST_DEVICE std::int32_t take(std::uint16_t (&offsets)[rows_each])
    {
        std::uint32_t cols[rows_each];
        std::uint32_t complement = 0;  // lanes have a maximum; 0 is what no column is
        for (int i = 0; i < rows_each; ++i) {
            cols[i] = next_[i] < end_[i] ? static_cast<std::uint32_t>(cols_[next_[i]]) : ~std::uint32_t{0};
            complement = ~cols[i] > complement ? ~cols[i] : complement;
        }
        complement = Lanes::max(complement);
        for (int i = 0; i < rows_each; ++i) {
            const std::uint32_t offset = cols[i] - ~complement;
            const bool is_there = next_[i] < end_[i];
            const bool is_taken = is_there && offset <= max_short_offset;
            has_gaps_ = has_gaps_ || (is_there && !is_taken);
            offsets[i] = is_taken ? static_cast<std::uint16_t>(offset) : no_column<std::uint16_t>;
            next_[i] += is_taken ? 1 : 0;
        }
        return complement == 0 ? 0 : static_cast<std::int32_t>(~complement);
    }

private:
    const std::int32_t* cols_;
    std::int32_t next_[rows_each], end_[rows_each];
    bool has_gaps_ = false;
};

/// A slice per item, whose rows lanes share.
struct CountNarrowColumns {
    PatternView<std::int32_t> a;
    std::int32_t* counts;

    LINDEN_HOST_DEVICE size_type size() const { return (a.rows + level_slice_rows - 1) / level_slice_rows; }
    LINDEN_HOST_DEVICE size_type num_entries() const { return size() * level_slice_rows; }
    template <class Lanes>
    LINDEN_HOST_DEVICE void operator()(Lanes, size_type slice) const
    {
        NarrowColumns<Lanes> columns(a, slice);
        std::int32_t count = 0;
        for (; columns.has_more(); ++count) {
            std::uint16_t unused[NarrowColumns<Lanes>::rows_each];
            columns.take(unused);
        }
        if (Lanes::lane() == 0) {
            counts[slice] = count;
        }
    }
};

/// A slice per item, whose rows lanes share; column after column of it, so that offsets are written side by side.
struct SliceOffsets {
    SellLayout<std::int32_t> layout;
    PatternView<std::int32_t> a;
    std::int32_t* bases;
    std::uint16_t* offsets;
    std::int32_t* has_rest;
    std::int32_t* has_gaps;

    LINDEN_HOST_DEVICE size_type size() const { return layout.num_slices(); }
    LINDEN_HOST_DEVICE size_type num_entries() const { return layout.num_slices() * level_slice_rows; }
    template <class Lanes>
    LINDEN_HOST_DEVICE void operator()(Lanes, size_type slice) const
    {
        NarrowColumns<Lanes> columns(a, slice);
        for (size_type column = layout.slice_ptrs[slice]; column < layout.slice_ptrs[slice + 1]; ++column) {
            std::uint16_t taken[NarrowColumns<Lanes>::rows_each];
            const std::int32_t base = columns.take(taken);
            for (int i = 0; i < NarrowColumns<Lanes>::rows_each; ++i) {
                offsets[column * level_slice_rows + i * Lanes::size + Lanes::lane()] = taken[i];
            }
            if (Lanes::lane() == 0) {
                bases[column] = base;
            }
        }
        const bool has_more = columns.has_more();
        const bool are_apart = columns.has_gaps();
        if (Lanes::lane() == 0) {
            has_rest[slice] = has_more ? 1 : 0;
            has_gaps[slice] = are_apart ? 1 : 0;
        }
    }
};

/// Whether half precision can hold a row, of whose entries each lane looks at some.
template <class R>
class HalfRange {
public:
    LINDEN_HOST_DEVICE void look_at(R size_of_entry)
    {
        most_ = size_of_entry > most_ ? size_of_entry : most_;
        is_beyond_ = is_beyond_ || !(size_of_entry <= 65504);
        // The largest of those below the normal range decides whether one of them matters.
        lost_ = size_of_entry < R(0x1p-14) && size_of_entry > lost_ ? size_of_entry : lost_;
    }
    template <class Lanes>
    LINDEN_HOST_DEVICE bool is_beyond(Lanes) const
    {
        const R most = Lanes::max(most_);
        const R lost = Lanes::max(lost_);
        return Lanes::any(is_beyond_) || (lost > 0 && lost >= most * R(0x1p-11));
    }

private:
    R most_{}, lost_{};
    bool is_beyond_ = false;
};

template <class V, class S, class I>
struct StoreSlices {
    SellLayout<I> layout;
    const std::uint16_t* offsets;
    ScaledView<V, I> scaled;
    S* stored;
    I* marks;

    LINDEN_HOST_DEVICE size_type size() const { return layout.num_slices() * layout.slice_rows; }
    LINDEN_HOST_DEVICE void operator()(size_type row) const
    {
        HalfRange<real_t<V>> range;
        const real_t<V> left = row < layout.rows ? scaled.left[row] : real_t<V>{};
        PlacesOfRow(layout, scaled.a.row_ptrs, row)
            .fill(
                offsets, V{},
                [&](size_type k) { return left * scaled.right[scaled.a.col_idxs[k]] * scaled.a.values[k]; },
                [&](size_type place, V value) {
                    stored[place] = static_cast<S>(value);
                    range.look_at(magnitude(value));
                });
        if (marks != nullptr && row < layout.rows) {
            marks[row] = range.is_beyond(OneLane()) ? 1 : 0;
        }
    }
};

template <class V, class S, class I>
struct StoreRows {
    ScaledView<V, I> scaled;
    S* stored;
    I* marks;

    LINDEN_HOST_DEVICE size_type size() const { return scaled.a.rows; }
    LINDEN_HOST_DEVICE size_type num_entries() const { return scaled.a.num_nonzeros; }
    template <class Lanes>
    LINDEN_HOST_DEVICE void operator()(Lanes lanes, size_type row) const
    {
        HalfRange<real_t<V>> range;
        for (size_type k = scaled.a.row_ptrs[row] + Lanes::lane(); k < scaled.a.row_ptrs[row + 1]; k += Lanes::size) {
            const V value = scaled_value(scaled, row, k);
            stored[k] = static_cast<S>(value);
            range.look_at(magnitude(value));
        }
        const bool is_beyond = range.is_beyond(lanes);
        if (marks != nullptr && Lanes::lane() == 0) {
            marks[row] = is_beyond ? 1 : 0;
        }
    }
};

}  // namespace linden
