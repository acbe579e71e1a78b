#pragma once

#include <linden/views.hpp>

#include "core/base/kernel.hpp"
#include "core/base/type_lists.hpp"

/// The tails of rows, which a matrix in two parts keeps as coordinates: what follows the first `skip` entries of a row.
/// Kernels work on patterns alone; values follow by a map, see core/kernels/sell.hpp. a: the pattern of a Csr matrix.
namespace linden {

/// marks[i] := row i has more than `width` entries.
template <class I>
inline constinit kernel<void(size_type num_rows, const I* row_ptrs, size_type width, I* marks)> hybrid_mark_longer{
    "hybrid::mark_longer", types_of<I>};

/// The tail of a row is what follows its first `skip` entries.  counts[i] := the length of row i's tail.
template <class I>
inline constinit kernel<void(size_type num_rows, const I* row_ptrs, size_type skip, I* counts)> hybrid_count_tails{
    "hybrid::count_tails", types_of<I>};

/// The tails as coordinates, row by row, and for each entry its number in a.  tail_ptrs: the prefix sums of their
/// lengths, whose last is num_tail.
template <class I>
inline constinit kernel<void(PatternView<I> a, size_type skip, size_type num_tail, const I* tail_ptrs, I* row_idxs,
                             I* col_idxs, size_type* map)>
    hybrid_fill_tails{"hybrid::fill_tails", types_of<I>};

/// Tails as coordinates, row by row.
template <class I>
struct TailsView {
    size_type num_entries = 0;
    const I* ptrs = nullptr;      ///< rows + 1: the prefix sums of their lengths
    const I* row_idxs = nullptr;  ///< num_entries
    const I* col_idxs = nullptr;  ///< num_entries
};

/// Puts tails to the ends of the rows of a Csr matrix with these row_ptrs. Entry k takes value number `first` + k.
template <class I>
inline constinit kernel<void(TailsView<I> tails, size_type first, const I* row_ptrs, I* col_idxs, size_type* map)>
    hybrid_extract_tails{"hybrid::extract_tails", types_of<I>};

}  // namespace linden
