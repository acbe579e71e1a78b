#pragma once

#include <linden/views.hpp>

#include <complex>

#include "core/base/host_device.hpp"
#include "core/base/kernel.hpp"
#include "core/base/type_lists.hpp"

/// Dense elimination of the Galerkin matrix E = Z^H A Z of deflation vectors (k x k, k up to some thousands), whose
/// vectors may depend on each other, or of any matrix whose pivots are known (dense_inverse.hpp). In double precision
/// whatever the type of the values. [GuptaEtAl11, 4.2]
namespace linden {

template <class V>
using wide_t = std::conditional_t<is_complex<V>, std::complex<double>, double>;

/// So many rows and columns are eliminated together.
inline constexpr size_type galerkin_block_rows = 32;

/// What becomes of a part of the matrix, block by block of its diagonal.
enum class Elimination {
    inverse,  ///< E^-1, by Gauss and Jordan
    ordered,  ///< E^-1 of a general matrix, with pivots in the order of the rows: others have brought them there
    factors,  ///< D_b^-1 in block b of the diagonal, -L below it and U above it: E = (I + L) D (I + U)
    trailing  ///< S^-1 of the last part S, and above it -W S^-1 in place of W, as elimination of the parts before left
              ///< it
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

/// Rows and columns in parts that have no entries with each other, and after them the separators, which all have
/// entries with.
struct GalerkinPartition {
    size_type num_parts = 1;
    const std::int32_t* ptrs = nullptr;  ///< num_parts + 1, on the executor; null for one part, `begin` to `separators`
    size_type begin = 0;
    size_type separators = 0;  ///< from here on rows and columns belong to no part
    size_type longest = 0;     ///< rows of the longest part

    LINDEN_HOST_DEVICE size_type begin_of(size_type part) const { return ptrs == nullptr ? begin : ptrs[part]; }
    LINDEN_HOST_DEVICE size_type end_of(size_type part) const { return ptrs == nullptr ? separators : ptrs[part + 1]; }
};

/// The rows [begin, end) as the only part, and no separators.
constexpr GalerkinPartition galerkin_part(size_type begin, size_type end)
{
    return {1, nullptr, begin, end, end - begin};
}

/// values := e.  e: num_values values.
template <class V>
inline constinit kernel<void(size_type num_values, const V* e, wide_t<V>* values)> galerkin_widen{"galerkin::widen",
                                                                                                  types_of<V>};

/// result(i, j) := values(i, j) where rows i and j are both kept, else 0.  values, result: num_rows x num_rows, row by
/// row; num_values = num_rows^2.
template <class V>
inline constinit kernel<void(size_type num_values, size_type num_rows, const wide_t<V>* values,
                             const std::int32_t* is_kept, V* result)>
    galerkin_round{"galerkin::round", types_of<V>};

template <class V>
constexpr size_type galerkin_workspace_bytes(size_type size, const GalerkinPartition& parts)
{
    const size_type width = parts.separators + parts.num_parts * (size - parts.separators);
    return 2 * galerkin_block_rows * width * static_cast<size_type>(sizeof(wide_t<V>));
}

/// One step of block elimination in each part: the block B of its rows and columns first, ...,
/// first + galerkin_block_rows - 1, counted from its beginning, or as many as there are. With D the inverse of E(B, B):
///     R := D E(B, :), but D itself in the columns of B;   E(i, :) := E(i, :) - E(i, B) R for rows i outside of B, the
///     columns of B from 0 on;   E(B, :) := R,
/// in the rows and columns of the part and the separators. For factors rows and columns before B stay as they are;
/// trailing takes all rows before the part along, in the part's columns. Steps go from first = 0 on, each by
/// galerkin_block_rows. Elimination of parts leaves the inverse D of each, W = D E(part, separators), -E(separators,
/// part) D, and in the separators E(separators, separators) - sum of E(separators, part) D E(part, separators). D is
/// formed with pivots from its diagonal, of which the largest relative to its scale comes next. Where none is above the
/// tolerance, or is finite, rows depend on those before: they are not kept, and have zeros in D. `ordered` takes the
/// pivots one after the other, of those rows that is_kept has from before, under the same condition; rows and columns
/// of the block that are not kept count as zeros, whatever they are. 2 m^2 block_rows operations for m rows of a part
/// and the separators, a quarter to all of it for factors; 2 m^2 words. Workspace: galerkin_workspace_bytes<V>(e.size,
/// parts). Deterministic.
template <class V>
inline constinit kernel<void(GalerkinView<V> e, GalerkinPartition parts, size_type first, Elimination how,
                             WorkspaceView workspace)>
    galerkin_gauss_jordan{"galerkin::gauss_jordan", types_of<V>};

/// x := E^-1 b by substitution with those factors.  factors: k x k, row by row; b, x: k x m, contiguous or not.
/// k^2 words and 2 k / galerkin_block_rows steps that wait for each other. Deterministic.
template <class V>
inline constinit kernel<void(const V* factors, DenseView<const V> b, DenseView<V> x)> galerkin_substitute{
    "galerkin::substitute", types_of<V>};

}  // namespace linden
