#pragma once

#include "core/base/math.hpp"
#include "core/kernels/multigrid.hpp"
#include "core/portable/lanes.hpp"

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
        constexpr int in_flight = 4;
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
                V{}, [&](size_type k) { return left * scaled.right[scaled.a.col_idxs[k]] * scaled.a.values[k]; },
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
