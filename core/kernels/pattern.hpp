#pragma once

#include <linden/views.hpp>

#include "core/base/kernel.hpp"
#include "core/base/type_lists.hpp"

/// Where entries go when a matrix in compressed rows is rearranged. Values play no part: each kernel that makes a new
/// pattern also says which old entry each new one is, source[new] = old, and the values follow by `array_gather`.
///
/// A new pattern is made in two steps: a count per row, which `prefix_sum` turns into row pointers, and the fill.
/// a: m x n; its rows need not be sorted nor its columns unique unless said otherwise. All kernels are deterministic.
namespace linden {

/// What the kernels below that take a workspace need, for a result of so many rows and entries: two index arrays over
/// the rows and two over the entries.
template <class I>
constexpr size_type pattern_workspace_bytes(size_type rows, size_type num_nonzeros)
{
    return 64 + 2 * (rows + num_nonzeros) * static_cast<size_type>(sizeof(I));
}

/// Sorts each row by columns, entries of the same column in their old order.  col_idxs: the num_nonzeros columns, in
/// place; source: overwritten. Workspace: pattern_workspace_bytes(num_rows, num_nonzeros). Sorted rows are only read;
/// the longest row bounds the time.
template <class I>
inline constinit kernel<void(size_type num_rows, size_type num_nonzeros, const I* row_ptrs, I* col_idxs, I* source,
                             WorkspaceView workspace)>
    pattern_sort_rows{"pattern::sort_rows", types_of<I>};

/// counts[j] := number of entries of column j, j < n.
template <class I>
inline constinit kernel<void(PatternView<I> a, I* counts)> pattern_count_columns{"pattern::count_columns", types_of<I>};

/// The pattern of a^T, rows sorted.  row_ptrs: n + 1, the prefix sums of `pattern_count_columns`; col_idxs, source: nnz
/// values, overwritten.  Workspace: pattern_workspace_bytes(n, nnz). [Gustavson78]
template <class I>
inline constinit kernel<void(PatternView<I> a, const I* row_ptrs, I* col_idxs, I* source, WorkspaceView workspace)>
    pattern_transpose{"pattern::transpose", types_of<I>};

/// Blocks of successive rows: `rows` of them in each, and one more in each of the first `num_longer`.
struct RowBlocks {
    size_type rows = 0;  ///< 0: all rows are one block
    size_type num_longer = 0;

    constexpr size_type block_of(size_type row) const
    {
        const size_type end_of_longer = num_longer * (rows + 1);
        if (rows == 0 || row < end_of_longer) {
            return rows == 0 ? 0 : row / (rows + 1);
        }
        return num_longer + (row - end_of_longer) / rows;
    }
};

/// Which entries to keep: those in rows [row_begin, row_end) and columns [col_begin, col_end) with
/// low <= col - row <= high, whose column is the number of a row of the same block, in the numbers of the old matrix.
/// What is kept starts at row and column 0.
struct PatternSelection {
    size_type row_begin;
    size_type row_end;
    size_type col_begin;
    size_type col_end;
    size_type low = INT64_MIN;
    size_type high = INT64_MAX;
    RowBlocks blocks{};

    constexpr bool keeps(size_type row, size_type col) const
    {
        return col >= col_begin && col < col_end && col - row >= low && col - row <= high &&
               blocks.block_of(row) == blocks.block_of(col);
    }
};

/// counts[i] := number of entries that are kept of row row_begin + i.
template <class I>
inline constinit kernel<void(PatternView<I> a, PatternSelection selection, I* counts)> pattern_select_count{
    "pattern::select_count", types_of<I>};

/// The entries that are kept, in their old order.
template <class I>
inline constinit kernel<void(PatternView<I> a, PatternSelection selection, const I* row_ptrs, I* col_idxs, I* source)>
    pattern_select_fill{"pattern::select_fill", types_of<I>};

/// counts[i] := number of entries of row p[i].  p: m values, null for the identity.
template <class I>
inline constinit kernel<void(PatternView<I> a, const I* p, I* counts)> pattern_permute_count{"pattern::permute_count",
                                                                                             types_of<I>};

/// Row i := row p[i], where column j becomes column label[j]; rows sorted.  p: m values, label: n values, each null for
/// the identity. Workspace: pattern_workspace_bytes(m, nnz).
template <class I>
inline constinit kernel<void(PatternView<I> a, const I* p, const I* label, const I* row_ptrs, I* col_idxs, I* source,
                             WorkspaceView workspace)>
    pattern_permute_fill{"pattern::permute_fill", types_of<I>};

/// counts[i] := number of entries of row i, and one more where i < n and (i, i) is not among them. a is sorted.
template <class I>
inline constinit kernel<void(PatternView<I> a, I* counts)> pattern_add_diagonal_count{"pattern::add_diagonal_count",
                                                                                      types_of<I>};

/// The pattern of a and its diagonal; source = -1 for entries that a has not. a is sorted, its columns are unique.
template <class I>
inline constinit kernel<void(PatternView<I> a, const I* row_ptrs, I* col_idxs, I* source)> pattern_add_diagonal_fill{
    "pattern::add_diagonal_fill", types_of<I>};

/// counts[i] := number of different columns in row i. a is sorted.
template <class I>
inline constinit kernel<void(PatternView<I> a, I* counts)> pattern_unique_count{"pattern::unique_count", types_of<I>};

/// The pattern of a with each position once: new entry k is the run of old entries run_begins[k], ...,
/// run_begins[k + 1] - 1, to nnz - 1 for the last k. a is sorted.
template <class I>
inline constinit kernel<void(PatternView<I> a, const I* row_ptrs, I* col_idxs, I* run_begins)> pattern_unique_fill{
    "pattern::unique_fill", types_of<I>};

/// row_idxs[k] := the row of entry k, k < num_nonzeros.
template <class I>
inline constinit kernel<void(size_type num_rows, size_type num_nonzeros, const I* row_ptrs, I* row_idxs)>
    pattern_expand_rows{"pattern::expand_rows", types_of<I>};

/// row_ptrs[i] := number of entries in rows before row i, 0 <= i <= num_rows.  row_idxs: num_nonzeros values,
/// increasing.
template <class I>
inline constinit kernel<void(size_type num_rows, size_type num_nonzeros, const I* row_idxs, I* row_ptrs)>
    pattern_compress_rows{"pattern::compress_rows", types_of<I>};

/// Positions in any order, repeated or not.
template <class I>
struct TripletsView {
    Dim size;
    size_type count = 0;
    const I* rows = nullptr;
    const I* cols = nullptr;

    constexpr bool is_inside(size_type k) const
    {
        return rows[k] >= 0 && rows[k] < size.rows && cols[k] >= 0 && cols[k] < size.cols;
    }
};

/// counts[i] := number of triplets in row i, of those that lie inside;  *first_outside := the least k of a triplet that
/// does not, INT64_MAX if there is none.
template <class I>
inline constinit kernel<void(TripletsView<I> triplets, I* counts, size_type* first_outside)> pattern_count_triplets{
    "pattern::count_triplets", types_of<I>};

/// Triplets by rows, in each row by columns, those of the same position in the order of the input; all lie inside.
/// Workspace: pattern_workspace_bytes(rows, count).
template <class I>
inline constinit kernel<void(TripletsView<I> triplets, const I* row_ptrs, I* col_idxs, I* source,
                             WorkspaceView workspace)>
    pattern_group_triplets{"pattern::group_triplets", types_of<I>};

}  // namespace linden
