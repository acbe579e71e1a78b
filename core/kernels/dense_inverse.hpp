#pragma once

#include <linden/views.hpp>

#include "core/base/kernel.hpp"
#include "core/kernels/galerkin.hpp"
#include "core/kernels/stored_types.hpp"

/// The inverse of a general dense matrix A (n x n, n up to some thousands) by Gauss and Jordan with partial pivoting,
/// and its products with vectors. It is found in double precision whatever the type of the values: with the rows of A
/// in the order of their pivots, (P A)(i, :) = A(order[i], :), steps of dense_inverse_pivot_rows and of
/// galerkin_gauss_jordan with Elimination::ordered leave (P A)^-1; its columns go back to their places when they are
/// stored. [GolubVanLoan13, 3.4]
namespace linden {

/// Calls `f.operator()<V, S>()` for every value type and its storage types, V among them.
template <class F>
void for_each_inverse_type(F&& f)
{
    for_each_value([&]<class V>() {
        f.template operator()<V, V>();
        for_each_lower_storage<V>([&]<class S>() { f.template operator()<V, S>(); });
    });
}

/// values(i, :) := a(order[i], :).  a, values: size x size, row by row; order: size. size^2 (V + W).
template <class V>
inline constinit kernel<void(size_type size, const V* a, const std::int32_t* order, wide_t<V>* values)>
    dense_inverse_widen{"dense_inverse::widen", types_of<V>};

/// scales[j] := the largest finite |a(i, j)|.  a: size x size, row by row; scales: size. size^2 V.
template <class V>
inline constinit kernel<void(size_type size, const V* a, real_t<V>* scales)> dense_inverse_scales{
    "dense_inverse::scales", types_of<V>};

template <class V>
constexpr size_type dense_inverse_workspace_bytes(size_type size)
{
    return size * (galerkin_block_rows * static_cast<size_type>(sizeof(wide_t<V>)) + 8) + 256;
}

/// The pivots of the columns first, ..., first + galerkin_block_rows - 1, or as many as there are, and their rows in
/// the place of these: what comes before a step of galerkin_gauss_jordan, which begins at the same `first` and has done
/// with the columns before. Elimination with partial pivoting in a copy of these columns takes for each the row with
/// the largest finite magnitude of rows first, ... that are left, the first of several. If it does not exceed
/// e.tolerance e.scales[column], the column has no pivot. is_kept[column] := whether it has. Then whole rows change
/// places: pivots come in the order of their columns. Where a column has none the first row of the block comes that is
/// no pivot; its others go where pivots came from, in the order of these pivots' columns. `order` changes with the
/// rows. e: size x size; order: size. m 32^2 operations for m rows left, 64 rows of e. Deterministic. Workspace:
/// dense_inverse_workspace_bytes<V>(e.size).
template <class V>
inline constinit kernel<void(GalerkinView<V> e, std::int32_t* order, size_type first, WorkspaceView workspace)>
    dense_inverse_pivot_rows{"dense_inverse::pivot_rows", types_of<V>};

/// (P A)^-1 in values of type W, and where its columns belong.
template <class W>
struct PivotedInverse {
    size_type size = 0;
    const W* values = nullptr;                ///< size x size, row by row
    const std::int32_t* is_kept = nullptr;    ///< size
    const std::int32_t* positions = nullptr;  ///< size: the inverse of `order`
};

/// stored(i, j) := inverse.values(i, p), p = inverse.positions[j], rounded to S; 0 unless rows i and p are kept.
/// inverse: n x n; stored: n x n with a stride of `stride`, whose padding stays. n^2 (W + S).
template <class V, class S>
inline constinit kernel<void(PivotedInverse<wide_t<V>> inverse, size_type stride, S* stored)> dense_inverse_round{
    "dense_inverse::round", types_of<V, S>};

/// x := w b, the products and sums in V.  w: n x n; b, x: n x k, contiguous or not; x is not b. On devices w is not
/// written by a kernel that lets the next one begin before its end. n^2 S for up to 4 columns. Sums run in a fixed
/// order. Deterministic.
template <class V, class S>
inline constinit kernel<void(DenseView<const S> w, DenseView<const V> b, DenseView<V> x)> dense_inverse_apply{
    "dense_inverse::apply", types_of<V, S>, {.eps = 32}};

}  // namespace linden
