#pragma once

#include <cmath>
#include <limits>

#include "core/base/math.hpp"
#include "core/kernels/multigrid.hpp"
#include "core/portable/body.hpp"
#include "core/portable/lanes.hpp"
#include "core/portable/search.hpp"
#include "core/portable/transfers.hpp"

namespace linden {

template <class R>
struct ScalesOfSums {
    size_type n;
    const R* sums;
    double bound;
    R* scales;
    R* inverses;

    LINDEN_HOST_DEVICE size_type size() const { return n; }
    LINDEN_HOST_DEVICE void operator()(size_type i) const
    {
        using std::sqrt;
        const bool is_usable = sums[i] > R{} && is_finite(sums[i]);
        inverses[i] = is_usable ? R{sqrt(static_cast<R>(bound) * sums[i])} : R{1};
        scales[i] = R{1} / inverses[i];
    }
};

template <class V>
struct InvertSums {
    size_type n;
    const real_t<V>* sums;
    V* inverses;

    LINDEN_HOST_DEVICE size_type size() const { return n; }
    LINDEN_HOST_DEVICE void operator()(size_type i) const
    {
        const bool is_usable = sums[i] > 0 && is_finite(sums[i]);
        inverses[i] = V{is_usable ? real_t<V>{1} / sums[i] : real_t<V>{1}};
    }
};

template <class V, class I>
struct InspectRows {
    CsrView<V, I> a;
    RowQuestions<I> questions;

    LINDEN_HOST_DEVICE size_type size() const { return a.rows; }
    LINDEN_HOST_DEVICE size_type num_entries() const { return a.num_nonzeros; }
    template <class Lanes>
    LINDEN_HOST_DEVICE void operator()(Lanes, size_type row) const
    {
        const size_type begin = a.row_ptrs[row] + Lanes::lane();
        const size_type end = a.row_ptrs[row + 1];
        real_t<V> most{};
        for (size_type k = begin; k < end; k += Lanes::size) {
            most = a.col_idxs[k] != row && magnitude(a.values[k]) > most ? magnitude(a.values[k]) : most;
        }
        most = Lanes::max(most);
        bool is_incomplete = false, is_unhermitian = false, has_diagonal = false, is_negative = false;
        for (size_type k = begin; k < end; k += Lanes::size) {
            const I col = a.col_idxs[k];
            const V value = a.values[k];
            const size_type mirrored = col == row ? k : find_entry<I>(a, col, row);
            const V other = mirrored < 0 ? V{} : conj(a.values[mirrored]);
            is_incomplete = is_incomplete || mirrored < 0;
            const auto tolerance = static_cast<real_t<V>>(1e-6) * (col == row ? magnitude(value) : most);
            is_unhermitian = is_unhermitian || magnitude(value - other) > tolerance;
            has_diagonal = has_diagonal || col == row;
            is_negative = is_negative || (col == row && real(value) < 0);
        }
        is_incomplete = Lanes::any(is_incomplete);
        is_unhermitian = Lanes::any(is_unhermitian);
        has_diagonal = Lanes::any(has_diagonal);
        is_negative = Lanes::any(is_negative);
        if (Lanes::lane() == 0) {
            questions.is_incomplete[row] = is_incomplete || !has_diagonal ? 1 : 0;
            questions.is_unhermitian[row] = is_unhermitian ? 1 : 0;
            questions.is_negative[row] = is_negative ? 1 : 0;
        }
    }
};

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
        real_t<V> most{}, lost{};
        bool is_beyond = false;
        for_each_place(layout, row, exists ? size_type{scaled.a.row_ptrs[row]} : 0, end,
                       [&](size_type place, size_type k) {
                           const V value = k < end ? scaled_value(scaled, row, k) : V{};
                           stored[place] = static_cast<S>(value);
                           const real_t<V> size_of_entry = magnitude(value);
                           most = size_of_entry > most ? size_of_entry : most;
                           is_beyond = is_beyond || !(size_of_entry <= 65504);
                           // The largest of those below the normal range decides whether one of them matters.
                           lost = size_of_entry < real_t<V>(0x1p-14) && size_of_entry > lost ? size_of_entry : lost;
                       });
        if (marks != nullptr && exists) {
            marks[row] = is_beyond || (lost > 0 && lost >= most * real_t<V>(0x1p-11)) ? 1 : 0;
        }
    }
};

template <class V, class I>
struct ScaleEntries {
    ScaledView<V, I> scaled;
    V* values;

    LINDEN_HOST_DEVICE size_type size() const { return scaled.a.rows; }
    LINDEN_HOST_DEVICE size_type num_entries() const { return scaled.a.num_nonzeros; }
    template <class Lanes>
    LINDEN_HOST_DEVICE void operator()(Lanes, size_type row) const
    {
        for (size_type k = scaled.a.row_ptrs[row] + Lanes::lane(); k < scaled.a.row_ptrs[row + 1]; k += Lanes::size) {
            values[k] = scaled_value(scaled, row, k);
        }
    }
};

template <class V, class W>
struct ConvertRows {
    const real_t<lower_t<V, W>>* scales;
    double factor;
    DenseView<const V> from;
    DenseView<W> to;

    LINDEN_HOST_DEVICE size_type size() const { return to.rows * to.cols; }
    LINDEN_HOST_DEVICE void operator()(size_type i) const
    {
        const size_type row = to.cols == 1 ? i : i / to.cols;
        const size_type col = i - row * to.cols;
        using Higher = std::conditional_t<(sizeof(W) > sizeof(V)), W, V>;
        const auto scale = scales == nullptr ? real_t<Higher>{1} : static_cast<real_t<Higher>>(scales[row]);
        to(row, col) =
            static_cast<W>(static_cast<real_t<Higher>>(factor) * scale * static_cast<Higher>(from(row, col)));
    }
};

template <class F>
void for_each_portable_multigrid(const F& f)
{
    for_each_value_index([&]<class V, class I>() {
        f(multigrid_filter<V, I>, BodyOf<FilterRows<V, I>>());
        f(multigrid_subtract<V, I>, BodyOf<SubtractRows<V, I>>());
        f(multigrid_count_large<V, I>, BodyOf<CountLargeOfRows<V, I>>());
        f(multigrid_take_large<V, I>, BodyOf<TakeLargeOfRows<V, I>>());
        f(multigrid_truncate<V, I>, BodyOf<TruncateRows<V, I>>());
        f(multigrid_inspect<V, I>, BodyOf<InspectRows<V, I>>());
        f(multigrid_scale<V, I>, BodyOf<ScaleEntries<V, I>>());
    });
    for_each_value([&]<class V>() { f(multigrid_invert_sums<V>, BodyOf<InvertSums<V>>()); });
    for_each_real([&]<class R>() { f(multigrid_scales<R>, BodyOf<ScalesOfSums<R>>()); });
    for_each_index([&]<class I>() { f(multigrid_slice_columns<I>, BodyOf<SliceColumns<I>>()); });
    for_each_slice_type(
        [&]<class V, class S, class I>() { f(multigrid_store<V, S, I>, BodyOf<StoreSlices<V, S, I>>()); });
    for_each_conversion([&]<class V, class W>() { f(multigrid_convert<V, W>, BodyOf<ConvertRows<V, W>>()); });
}

}  // namespace linden
