#pragma once

#include <limits>

#include "core/kernels/deflation.hpp"
#include "core/kernels/deflation_setup.hpp"
#include "core/portable/body.hpp"
#include "core/portable/imaginary_part.hpp"
#include "core/portable/incomplete_poisson.hpp"
#include "core/portable/search.hpp"

namespace linden {

template <class I>
struct DealRows {
    BoxGrid grid;
    I* domains;

    LINDEN_HOST_DEVICE size_type size() const { return grid.points[0] * grid.points[1] * grid.points[2]; }
    LINDEN_HOST_DEVICE void operator()(size_type row) const { domains[row] = static_cast<I>(box_of(grid, row)); }
};

template <class I>
struct CountPieces {
    size_type num_domains;
    const I* ptrs;
    I* counts;

    LINDEN_HOST_DEVICE size_type size() const { return num_domains; }
    LINDEN_HOST_DEVICE void operator()(size_type domain) const
    {
        const size_type rows = ptrs[domain + 1] - ptrs[domain];
        counts[domain] = static_cast<I>((rows + deflation_piece_rows - 1) / deflation_piece_rows);
    }
};

template <class I>
struct FillPieces {
    size_type num_pieces;
    size_type num_domains;
    const I* ptrs;
    const I* domain_pieces;
    I* piece_ptrs;

    LINDEN_HOST_DEVICE size_type size() const { return num_pieces + 1; }
    LINDEN_HOST_DEVICE void operator()(size_type piece) const
    {
        if (piece == num_pieces) {
            piece_ptrs[piece] = ptrs[num_domains];
            return;
        }
        const size_type domain = row_of(domain_pieces, num_domains, piece);
        piece_ptrs[piece] = static_cast<I>(ptrs[domain] + (piece - domain_pieces[domain]) * deflation_piece_rows);
    }
};

/// Whether a sum of so many terms is more than what rounding leaves of terms of this magnitude that cancel.
template <class V>
LINDEN_HOST_DEVICE bool stays(V sum, V magnitude, size_type num_terms)
{
    using R = decltype(real(sum));
    const R scale = real(magnitude);
    const R bound = std::numeric_limits<R>::epsilon() * static_cast<R>(num_terms);
    const R real_ratio = real(sum) / scale;
    const R imaginary_ratio = imaginary_part(sum) / scale;
    return !(scale == R{}) && !(real_ratio * real_ratio + imaginary_ratio * imaginary_ratio <= bound * bound);
}

template <class V, class I>
struct CountUncancelled {
    CancellingProduct<V, I> product;
    I* counts;

    LINDEN_HOST_DEVICE size_type size() const { return product.pattern.rows; }
    LINDEN_HOST_DEVICE void operator()(size_type row) const
    {
        const PatternView<I>& p = product.pattern;
        const size_type num_terms = product.factor_ptrs[row + 1] - product.factor_ptrs[row];
        I count = 0;
        for (I k = p.row_ptrs[row]; k < p.row_ptrs[row + 1]; ++k) {
            count += stays(product.sums[k], product.magnitudes[k], num_terms);
        }
        counts[row] = count;
    }
};

template <class V, class I>
struct TakeUncancelled {
    CancellingProduct<V, I> product;
    const I* row_ptrs;
    I* col_idxs;
    V* kept_sums;
    V* kept_magnitudes;

    LINDEN_HOST_DEVICE size_type size() const { return product.pattern.rows; }
    LINDEN_HOST_DEVICE void operator()(size_type row) const
    {
        const PatternView<I>& p = product.pattern;
        const size_type num_terms = product.factor_ptrs[row + 1] - product.factor_ptrs[row];
        I target = row_ptrs[row];
        for (I k = p.row_ptrs[row]; k < p.row_ptrs[row + 1]; ++k) {
            if (stays(product.sums[k], product.magnitudes[k], num_terms)) {
                col_idxs[target] = p.col_idxs[k];
                kept_sums[target] = product.sums[k];
                kept_magnitudes[target] = product.magnitudes[k];
                ++target;
            }
        }
    }
};

template <class V, class I>
struct SpreadEntries {
    PatternView<I> p;
    const V* values;
    V* block;

    LINDEN_HOST_DEVICE size_type size() const { return p.num_nonzeros; }
    LINDEN_HOST_DEVICE void operator()(size_type k) const
    {
        block[row_of(p.row_ptrs, p.rows, k) * p.cols + p.col_idxs[k]] = values[k];
    }
};

template <class V>
struct TakeAdjoint {
    size_type num_rows;
    size_type num_cols;
    const V* a;
    V* b;

    LINDEN_HOST_DEVICE size_type size() const { return num_rows * num_cols; }
    LINDEN_HOST_DEVICE void operator()(size_type k) const { b[k] = conj(a[k % num_rows * num_cols + k / num_rows]); }
};

template <class F>
void for_each_portable_deflation_setup(const F& f)
{
    for_each_value([&]<class V>() { f(deflation_adjoint<V>, BodyOf<TakeAdjoint<V>>()); });
    for_each_value_index([&]<class V, class I>() {
        f(deflation_count_kept<V, I>, BodyOf<CountUncancelled<V, I>>());
        f(deflation_take_kept<V, I>, BodyOf<TakeUncancelled<V, I>>());
        f(deflation_spread<V, I>, BodyOf<SpreadEntries<V, I>>());
    });
    for_each_index([&]<class I>() {
        f(deflation_deal_rows<I>, BodyOf<DealRows<I>>());
        f(deflation_count_pieces<I>, BodyOf<CountPieces<I>>());
        f(deflation_fill_pieces<I>, BodyOf<FillPieces<I>>());
    });
}

}  // namespace linden
