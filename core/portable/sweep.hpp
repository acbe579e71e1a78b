#pragma once

#include "core/kernels/sweep.hpp"
#include "core/portable/body.hpp"
#include "core/portable/lanes.hpp"

/// Triangles of a matrix as sliced ELLPACK, with scaled values.
namespace linden {

/// Whether an entry lies strictly on `side`.
LINDEN_HOST_DEVICE constexpr bool is_on(Side side, size_type row, size_type col)
{
    return side == Side::lower ? col < row : col > row;
}

template <class I>
struct CountTriangle {
    PatternView<I> a;
    Side side;
    I* counts;

    LINDEN_HOST_DEVICE size_type size() const { return a.rows; }
    LINDEN_HOST_DEVICE void operator()(size_type row) const
    {
        I count = 0;
        for (I k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
            count += is_on(side, row, a.col_idxs[k]);
        }
        counts[row] = count;
    }
};

template <class V, class S, class I>
struct FillTriangle {
    ScaledTriangle<V, I> triangle;
    size_type first;
    SellLayout<I> layout;
    I* col_idxs;
    S* stored;

    LINDEN_HOST_DEVICE size_type size() const
    {
        return layout.slice_ptrs == nullptr ? layout.slice_rows : layout.num_slices() * layout.slice_rows;
    }
    /// Few lanes where rows share slices: neighbouring rows then write to neighbouring memory.
    LINDEN_HOST_DEVICE size_type num_entries() const { return layout.slice_rows == 1 ? layout.width : size(); }
    template <class Lanes>
    LINDEN_HOST_DEVICE void operator()(Lanes lanes, size_type position) const
    {
        const size_type slice = layout.slice_of(position);
        const size_type first_entry =
            layout.first_column(slice) * layout.slice_rows + position - slice * layout.slice_rows;
        const size_type width = layout.last_column(slice) - layout.first_column(slice);
        size_type count = 0;
        if (position < layout.rows) {
            const size_type row = first + position;
            const CsrView<V, I>& a = triangle.a;
            const V* const col_factors = triangle.col_factors;
            const V factor = triangle.row_factors[row];
            count = compact_entries(
                lanes, a.row_ptrs[row], a.row_ptrs[row + 1], 0,
                [&](size_type k) { return is_on(triangle.side, row, a.col_idxs[k]); },
                [&](size_type i, size_type k) {
                    const I col = a.col_idxs[k];
                    const V value = factor * a.values[k];
                    store(first_entry + i * layout.slice_rows, col,
                          col_factors == nullptr ? value : value * col_factors[col]);
                });
        }
        for (size_type i = count + Lanes::lane(); i < width; i += Lanes::size) {
            store(first_entry + i * layout.slice_rows, no_column<I>, V{});
        }
    }

private:
    LINDEN_HOST_DEVICE void store(size_type entry, I col, V value) const
    {
        if (col_idxs != nullptr) {
            col_idxs[entry] = col;
        }
        stored[entry] = static_cast<S>(value);
    }
};

template <class F>
void for_each_portable_sweep(const F& f)
{
    for_each_index([&]<class I>() { f(sweep_count_triangle<I>, BodyOf<CountTriangle<I>>()); });
    for_each_value_index([&]<class V, class I>() {
        f(sweep_fill_triangle<V, V, I>, BodyOf<FillTriangle<V, V, I>>());
        for_each_lower_storage<V>([&]<class S>() { f(sweep_fill_triangle<V, S, I>, BodyOf<FillTriangle<V, S, I>>()); });
    });
}

}  // namespace linden
