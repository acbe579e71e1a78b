#pragma once

#include <linden/views.hpp>

#include "core/base/kernel.hpp"
#include "core/base/type_lists.hpp"

/// What deflation does once, or whenever values change: rows are dealt to domains and put into their order, and
/// products with the deflation vectors get rid of what cancels. All kernels are deterministic and do one independent
/// piece of work per item; core/kernels/format_items_deflation.hpp has the pieces.
namespace linden {

/// A grid of points, x first, that is cut into boxes: in each direction the numbers of points differ by one at most,
/// and the first boxes are the larger ones.
struct BoxGrid {
    size_type points[3] = {1, 1, 1};
    size_type boxes[3] = {1, 1, 1};
};

/// domains[row] := the box that the point `row` is in, x first.  domains: one per point.
template <class I>
inline constinit kernel<void(BoxGrid, I*)> deflation_deal_rows{"deflation::deal_rows", types_of<I>};

/// marks[i] := 1 where values[i] is none of 0, ..., count - 1, else 0.  (n, values, count, marks)
template <class I>
inline constinit kernel<void(size_type, const I*, size_type, I*)> deflation_mark_outside{"deflation::mark_outside",
                                                                                         types_of<I>};
/// marks[i] := 1 where values[i] > values[i + 1], else 0.  values: n + 1.  (n, values, marks)
template <class I>
inline constinit kernel<void(size_type, const I*, I*)> deflation_mark_descents{"deflation::mark_descents", types_of<I>};

/// numbers[i] := i.  (n, numbers)
template <class I>
inline constinit kernel<void(size_type, I*)> deflation_count_up{"deflation::count_up", types_of<I>};

/// counts[d] := the pieces that rows ptrs[d], ..., ptrs[d + 1] - 1 are cut into, each of deflation_piece_rows at most.
/// (number of domains, ptrs, counts)
template <class I>
inline constinit kernel<void(size_type, const I*, I*)> deflation_count_pieces{"deflation::count_pieces", types_of<I>};
/// The first row of each piece, and the end of the last; domain_pieces: the prefix sums of those counts.
/// (number of pieces, number of domains, ptrs, domain_pieces, piece_ptrs)
template <class I>
inline constinit kernel<void(size_type, size_type, const I*, const I*, I*)> deflation_fill_pieces{
    "deflation::fill_pieces", types_of<I>};

/// For a product of sparse matrices: counts[i] := entries of row i that are more than what rounding leaves of terms
/// that cancel, |sum| > eps t magnitude, where row i of the left factor has t entries and magnitude is the entry of the
/// product of absolute values, real. What is no number stays.  Arguments: the pattern of the product, row_ptrs of its
/// left factor, sums, magnitudes, counts.
template <class V, class I>
inline constinit kernel<void(PatternView<I>, const I*, const V*, const V*, I*)> deflation_count_kept{
    "deflation::count_kept", types_of<V, I>};
/// Those entries.  Arguments: as before, and in place of counts their prefix sums, col_idxs, sums and magnitudes that
/// are kept.
template <class V, class I>
inline constinit kernel<void(PatternView<I>, const I*, const V*, const V*, const I*, I*, V*, V*)> deflation_take_kept{
    "deflation::take_kept", types_of<V, I>};

/// The entries to their places of a dense block without padding, whose others stay.  (pattern, values, block)
template <class V, class I>
inline constinit kernel<void(PatternView<I>, const V*, V*)> deflation_spread{"deflation::spread", types_of<V, I>};
/// b := a^H, dense blocks without padding.  (rows of a, cols of a, a, b)
template <class V>
inline constinit kernel<void(size_type, size_type, const V*, V*)> deflation_adjoint{"deflation::adjoint", types_of<V>};

}  // namespace linden
