#pragma once

#include "core/matrix/new_pattern.hpp"

/// New patterns from a pattern, each with its map to the old entries. All wait for the executor.
namespace linden::detail {

/// a^T
template <class I>
NewPattern<I> transposed_pattern(const Executor& exec, PatternView<I> a)
{
    return make_pattern<I>(
        exec, {a.cols, a.rows}, true, [&](I* counts) { pattern_count_columns<I>(exec, a, counts); },
        [&](NewPattern<I>& t, WorkspaceView workspace) {
            pattern_transpose<I>(exec, a, t.row_ptrs.data(), t.col_idxs.data(), t.source.data(), workspace);
        });
}

/// The entries that `which` keeps.
template <class I>
NewPattern<I> selected_pattern(const Executor& exec, PatternView<I> a, PatternSelection which)
{
    return make_pattern<I>(
        exec, {which.row_end - which.row_begin, which.col_end - which.col_begin}, false,
        [&](I* counts) { pattern_select_count<I>(exec, a, which, counts); },
        [&](NewPattern<I>& s, WorkspaceView) {
            pattern_select_fill<I>(exec, a, which, s.row_ptrs.data(), s.col_idxs.data(), s.source.data());
        });
}

/// Rows p, with columns renamed by `label`; rows sorted. Null stands for the identity.
template <class I>
NewPattern<I> permuted_pattern(const Executor& exec, PatternView<I> a, const I* p, const I* label)
{
    return make_pattern<I>(
        exec, a.size(), true, [&](I* counts) { pattern_permute_count<I>(exec, a, p, counts); },
        [&](NewPattern<I>& s, WorkspaceView workspace) {
            pattern_permute_fill<I>(exec, a, p, label, s.row_ptrs.data(), s.col_idxs.data(), s.source.data(),
                                    workspace);
        });
}

/// What a new pattern is for kernels.
template <class I>
PatternView<I> view_of(const NewPattern<I>& pattern)
{
    return {pattern.size.rows, pattern.size.cols, pattern.source.size(), pattern.row_ptrs.data(),
            pattern.col_idxs.data()};
}

}  // namespace linden::detail
