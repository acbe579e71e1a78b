#pragma once

#include <linden/views.hpp>

#include <complex>

#include "core/base/kernel.hpp"
#include "core/base/type_lists.hpp"

/// Dense elimination of the Galerkin matrix E = Z^H A Z of deflation vectors (k x k, k up to some thousands), whose
/// vectors may depend on each other. In double precision whatever the type of the values. [GuptaEtAl11, 4.2]
namespace linden {

template <class V>
using wide_t = std::conditional_t<is_complex<V>, std::complex<double>, double>;

/// So many rows and columns are eliminated together.
inline constexpr size_type galerkin_block_rows = 32;

/// What becomes of the matrix, block by block of its diagonal.
enum class Elimination {
    inverse,  ///< E^-1, by Gauss and Jordan
    factors   ///< D_b^-1 in block b of the diagonal, -L below it and U above it: E = (I + L) D (I + U)
};

/// A matrix under elimination.
template <class V>
struct GalerkinView {
    size_type size = 0;
    wide_t<V>* values = nullptr;        ///< size x size, row by row
    const real_t<V>* scales = nullptr;  ///< size: the magnitudes of what the entries of the diagonal were summed from
    std::int32_t* is_kept = nullptr;    ///< size
    double tolerance = 0;
};

/// values := e.  e: size x size, row by row. Arguments: size^2, e, values.
template <class V>
inline constinit LINDEN_EXPORT kernel<void(size_type, const V*, wide_t<V>*)> galerkin_widen{"galerkin::widen",
                                                                                            types_of<V>};

/// result(i, j) := values(i, j) where rows i and j are both kept, else 0. Arguments: size^2, size, values, is_kept,
/// result (size x size, row by row).
template <class V>
inline constinit LINDEN_EXPORT kernel<void(size_type, size_type, const wide_t<V>*, const std::int32_t*, V*)>
    galerkin_round{"galerkin::round", types_of<V>};

template <class V>
constexpr size_type galerkin_workspace_bytes(size_type size)
{
    return 2 * galerkin_block_rows * size * static_cast<size_type>(sizeof(wide_t<V>));
}

/// One step of block elimination: the block B of rows and columns first, ..., first + galerkin_block_rows - 1, or as
/// many as there are. With D the inverse of E(B, B):
///     R := D E(B, :), but D itself in the columns of B;   E(i, :) := E(i, :) - E(i, B) R for rows i outside of B, the
///     columns of B from 0 on;   E(B, :) := R.
/// For factors rows and columns before B stay as they are. Steps go from first = 0 on, each by galerkin_block_rows.
/// D is formed with pivots from its diagonal, of which the largest relative to its scale comes next. Where none is
/// above the tolerance, or is finite, rows depend on those before: they are not kept, and have zeros in D.
/// 2 size^2 block_rows operations, a quarter to all of it for factors; 2 size^2 words.
/// Arguments: e, first, how, workspace of galerkin_workspace_bytes<V>(size). Deterministic.
template <class V>
inline constinit LINDEN_EXPORT kernel<void(GalerkinView<V>, size_type, Elimination, WorkspaceView)> galerkin_eliminate{
    "galerkin::eliminate", types_of<V>};

/// x := E^-1 b by substitution with those factors.  factors: k x k, row by row; b, x: k x m, contiguous or not.
/// k^2 words and 2 k / galerkin_block_rows steps that wait for each other. Deterministic.
template <class V>
inline constinit LINDEN_EXPORT kernel<void(const V*, DenseView<const V>, DenseView<V>)> galerkin_substitute{
    "galerkin::substitute", types_of<V>};

}  // namespace linden
