#pragma once

#include <linden/views.hpp>

#include "core/base/host_device.hpp"
#include "core/base/kernel.hpp"
#include "core/base/type_lists.hpp"

/// What deflation does once, or whenever values change: rows are dealt to domains and put into their order, and
/// products with the deflation vectors get rid of what cancels. All kernels are deterministic and do one independent
/// piece of work per item; core/portable/deflation_setup.hpp has the bodies.
namespace linden {

/// A grid of points, x first, that is cut into boxes: in each direction the numbers of points differ by one at most,
/// and the first boxes are the larger ones.
struct BoxGrid {
    size_type points[3] = {1, 1, 1};
    size_type boxes[3] = {1, 1, 1};
};
template <>
inline constexpr bool holds_no_pointers<BoxGrid> = true;

/// The part of `count` parts that item i of n is in; their sizes differ by one at most, the larger ones come first.
LINDEN_HOST_DEVICE inline size_type part_of(size_type i, size_type n, size_type count)
{
    const size_type size = n / count;
    const size_type larger = n % count;
    const size_type in_larger = larger * (size + 1);
    return i < in_larger ? i / (size + 1) : larger + (i - in_larger) / size;
}

/// The box of the grid that the point `row` is in, x first.
LINDEN_HOST_DEVICE inline size_type box_of(const BoxGrid& grid, size_type row)
{
    const size_type line = row / grid.points[0];
    const size_type x = part_of(row % grid.points[0], grid.points[0], grid.boxes[0]);
    const size_type y = part_of(line % grid.points[1], grid.points[1], grid.boxes[1]);
    const size_type z = part_of(line / grid.points[1], grid.points[2], grid.boxes[2]);
    return (z * grid.boxes[1] + y) * grid.boxes[0] + x;
}

/// domains[row] := box_of(grid, row).  domains: one per point.
template <class I>
inline constinit kernel<void(BoxGrid grid, I* domains)> deflation_deal_rows{"deflation::deal_rows", types_of<I>};

/// counts[d] := the pieces that rows ptrs[d], ..., ptrs[d + 1] - 1 are cut into, each of deflation_piece_rows at most.
template <class I>
inline constinit kernel<void(size_type num_domains, const I* ptrs, I* counts)> deflation_count_pieces{
    "deflation::count_pieces", types_of<I>};
/// piece_ptrs: the first row of each piece, and the end of the last. ptrs: as before; domain_pieces: the prefix sums of
/// those counts.
template <class I>
inline constinit kernel<void(size_type num_pieces, size_type num_domains, const I* ptrs, const I* domain_pieces,
                             I* piece_ptrs)>
    deflation_fill_pieces{"deflation::fill_pieces", types_of<I>};

/// A product of sparse matrices, some of whose entries are only what rounding leaves of terms that cancel. An entry is
/// kept if it is more, |sum| > eps t magnitude, where its row of the left factor has t entries, or if it is no number.
template <class V, class I>
struct CancellingProduct {
    PatternView<I> pattern;
    const I* factor_ptrs = nullptr;  ///< row_ptrs of the left factor
    const V* sums = nullptr;         ///< the values of the product
    const V* magnitudes = nullptr;   ///< those of the product of absolute values, real
};

/// counts[i] := entries of row i of the product that are kept.
template <class V, class I>
inline constinit kernel<void(CancellingProduct<V, I> product, I* counts)> deflation_count_kept{"deflation::count_kept",
                                                                                               types_of<V, I>};
/// Those entries: their columns, sums and magnitudes. row_ptrs: the prefix sums of those counts.
template <class V, class I>
inline constinit kernel<void(CancellingProduct<V, I> product, const I* row_ptrs, I* col_idxs, V* kept_sums,
                             V* kept_magnitudes)>
    deflation_take_kept{"deflation::take_kept", types_of<V, I>};

/// The entries of p, with these values, to their places of a dense block without padding, whose others stay.
template <class V, class I>
inline constinit kernel<void(PatternView<I> p, const V* values, V* block)> deflation_spread{"deflation::spread",
                                                                                            types_of<V, I>};
/// b := a^H, dense blocks without padding; a: num_rows x num_cols.
template <class V>
inline constinit kernel<void(size_type num_rows, size_type num_cols, const V* a, V* b)> deflation_adjoint{
    "deflation::adjoint", types_of<V>};

}  // namespace linden
