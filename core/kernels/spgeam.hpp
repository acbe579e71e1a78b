#pragma once

#include <linden/views.hpp>

#include "core/base/kernel.hpp"
#include "core/base/type_lists.hpp"

/// The sum C = alpha A + beta B of sparse matrices of one size, m x n; columns of a row sorted and unique in all three.
/// C's pattern is the union of those of A and B, whatever the values.
namespace linden {

/// counts[i] := number of entries in row i of C.  counts: m.
template <class I>
inline constinit kernel<void(PatternView<I> a, PatternView<I> b, I* counts)> spgeam_count{"spgeam::count", types_of<I>};

/// The sorted columns of C's rows to col_idxs, for the row pointers that the counts add up to.
template <class I>
inline constinit kernel<void(PatternView<I> a, PatternView<I> b, const I* row_ptrs, I* col_idxs)> spgeam_fill{
    "spgeam::fill", types_of<I>};

/// values := those of C in the order of its columns; row_ptrs are C's. Deterministic. Reads A and B once, writes C's
/// values once.
template <class V, class I>
inline constinit kernel<void(V alpha, CsrView<V, I> a, V beta, CsrView<V, I> b, const I* row_ptrs, V* values)>
    spgeam_add{"spgeam::add", types_of<V, I>};

}  // namespace linden
