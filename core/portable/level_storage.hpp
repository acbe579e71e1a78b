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

/// Calls use(place, k) for the places of row `row` in slices, of which the last may have more than there are, with its
/// entries k from the first on, `end` for padding.
template <class I, class Use>
LINDEN_HOST_DEVICE void for_each_place(const SellLayout<I>& layout, size_type row, size_type k, size_type end,
                                       const Use& use)
{
    const size_type slice = row / layout.slice_rows;
    const size_type last = layout.slice_ptrs[slice + 1] * layout.slice_rows;
    for (size_type place = layout.slice_ptrs[slice] * layout.slice_rows + row - slice * layout.slice_rows; place < last;
         place += layout.slice_rows) {
        use(place, k);
        k += k < end ? 1 : 0;
    }
}

/// Neighbouring rows lie side by side in a slice.
template <class I>
struct SliceColumns {
    SellLayout<I> layout;
    PatternView<I> a;
    I* col_idxs;

    LINDEN_HOST_DEVICE size_type size() const { return layout.num_slices() * layout.slice_rows; }
    LINDEN_HOST_DEVICE void operator()(size_type row) const
    {
        const size_type end = row < layout.rows ? size_type{a.row_ptrs[row + 1]} : 0;
        for_each_place(layout, row, row < layout.rows ? size_type{a.row_ptrs[row]} : 0, end,
                       [&](size_type place, size_type k) { col_idxs[place] = k < end ? a.col_idxs[k] : no_column<I>; });
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
        const bool exists = row < layout.rows;
        const size_type end = exists ? size_type{scaled.a.row_ptrs[row + 1]} : 0;
        HalfRange<real_t<V>> range;
        for_each_place(layout, row, exists ? size_type{scaled.a.row_ptrs[row]} : 0, end,
                       [&](size_type place, size_type k) {
                           const V value = k < end ? scaled_value(scaled, row, k) : V{};
                           stored[place] = static_cast<S>(value);
                           range.look_at(magnitude(value));
                       });
        if (marks != nullptr && exists) {
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
