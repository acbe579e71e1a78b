#pragma once

#include <linden/views.hpp>

#include "core/base/kernel.hpp"
#include "core/base/type_lists.hpp"

/// The product C = A B of sparse matrices.  A: m x k, B: k x n, C: m x n; columns of a row sorted and unique in all
/// three. The symbolic half, count and fill, sees patterns only; multiply works for any values on them.
///
/// A "product" is a pair of an entry (i, k) of A and an entry (k, j) of B: C has at most as many entries.
namespace linden {

/// *bytes := the workspace that the kernels below need for A and B on this executor; `bytes` is in host memory.
/// count and fill need what it says for nnz_c = 0, multiply what it says for the number of entries of C.
/// 3 m + 2 nnz_c / 512 words of I on devices, but for count and fill 4 m, 1.5 times the entries of A, and 512 for each
/// of at most 2^14 rows, where columns wait for their places; n words on the reference; on omp n words for each thread,
/// and for count and fill as many as A and B have entries, or, where n is much beside these, the hash table of the
/// longest row for each thread, for which it runs over the patterns.
template <class I>
inline constinit kernel<void(PatternView<I> a, PatternView<I> b, size_type nnz_c, size_type* bytes)> spgemm_workspace{
    "spgemm::workspace", types_of<I>, {.host = arguments(3), .own = arguments(3)}};

/// counts[i] := number of entries in row i of C.  counts: m.  Workspace: in any state; is left for spgemm_fill, with
/// columns that have been found. [Gustavson78], with hash tables for very wide B on omp; on devices merges of short
/// rows, and of longer ones with several products to a column, as in [GremseHoefterSchwenKiesslingNaumann15], hash
/// tables for others, bitmaps of columns for the longest.
template <class I>
inline constinit kernel<void(PatternView<I> a, PatternView<I> b, I* counts, WorkspaceView workspace)> spgemm_count{
    "spgemm::count", types_of<I>};

/// The sorted columns of C's rows to col_idxs, for the row pointers that the counts add up to. Workspace: as
/// spgemm_count has left it for A and B; may be used again.
template <class I>
inline constinit kernel<void(PatternView<I> a, PatternView<I> b, const I* row_ptrs, I* col_idxs,
                             WorkspaceView workspace)>
    spgemm_fill{"spgemm::fill", types_of<I>};

/// values := those of C = A B on the pattern of C, which spgemm_fill gave. Products of an entry are added in the order
/// of the entries of A's row on every backend, so that the result is deterministic. Workspace: in any state.
template <class V, class I>
inline constinit kernel<void(CsrView<V, I> a, CsrView<V, I> b, PatternView<I> c, V* values, WorkspaceView workspace)>
    spgemm_multiply{"spgemm::multiply", types_of<V, I>};

/// *bytes := the workspace that spgemm_form and spgemm_take need for A and B; `bytes` is in host memory. On omp n words
/// of I for each thread, and as many I and V as A and B have entries, or what spgemm_workspace says where that is a
/// hash table; on devices what spgemm_workspace says for counts, or 6 m + 2 e / 512 words where that is more, for
/// e = m n, or the largest I if that is less.
template <class V, class I>
inline constinit kernel<void(PatternView<I> a, PatternView<I> b, size_type* bytes)> spgemm_form_workspace{
    "spgemm::form_workspace", types_of<V, I>, {.host = arguments(2), .own = arguments(2)}};

/// counts[i] := number of entries in row i of C, for which its columns and its values are found at once. On hosts
/// what takes the time are the ends of B's rows, which a processor foretells wrongly: they are met once in place of
/// twice. Devices count, and merge short rows a second time, then with their values, in spgemm_take.  counts: m.
/// Workspace: in any state; is left for spgemm_take, with what has been found. [Gustavson78]
template <class V, class I>
inline constinit kernel<void(CsrView<V, I> a, CsrView<V, I> b, I* counts, WorkspaceView workspace)> spgemm_form{
    "spgemm::form", types_of<V, I>};

/// The sorted columns of C's rows to col_idxs and its values, with the bits that spgemm_multiply gives them, for the
/// row pointers that the counts add up to. Workspace: as spgemm_form has left it for A and B; may be used again.
template <class V, class I>
inline constinit kernel<void(CsrView<V, I> a, CsrView<V, I> b, const I* row_ptrs, I* col_idxs, V* values,
                             WorkspaceView workspace)>
    spgemm_take{"spgemm::take", types_of<V, I>};

}  // namespace linden
