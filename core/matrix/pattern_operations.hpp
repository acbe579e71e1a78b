#pragma once

#include <linden/side.hpp>

#include <utility>

#include "core/kernels/pattern_maps.hpp"
#include "core/matrix/make_pattern.hpp"

/// New patterns from a pattern, each with its map to the old entries. All but a^T wait for the executor.
namespace linden::detail {

/// a^T. Does not wait.
template <class I>
Pattern<I> transposed_pattern(const Executor& exec, PatternView<I> a)
{
    Array<std::int64_t> total(exec, 1);
    Pattern<I> t{
        {a.cols, a.rows}, Array<I>(exec, a.cols + 1), Array<I>(exec, a.num_nonzeros), Array<I>(exec, a.num_nonzeros)};
    pattern_count_columns<I>(exec, a, t.row_ptrs.data());
    scan_counts(t.row_ptrs, total.data());
    Array<std::byte> memory(exec, pattern_workspace_bytes<I>(a.cols, a.num_nonzeros));
    pattern_transpose<I>(exec, a, t.row_ptrs.data(), t.col_idxs.data(), t.source.data(),
                         {memory.data(), memory.size()});
    return t;
}

/// The entries that `which` keeps.
template <class I>
Pattern<I> selected_pattern(const Executor& exec, PatternView<I> a, PatternSelection which)
{
    return make_pattern<I>(
        exec, {which.row_end - which.row_begin, which.col_end - which.col_begin}, false,
        [&](I* counts) { pattern_select_count<I>(exec, a, which, counts); },
        [&](Pattern<I>& s, WorkspaceView) {
            pattern_select_fill<I>(exec, a, which, s.row_ptrs.data(), s.col_idxs.data(), s.source.data());
        });
}

/// Rows p, with columns renamed by `label`; rows sorted. Null stands for the identity.
template <class I>
Pattern<I> permuted_pattern(const Executor& exec, PatternView<I> a, const I* p, const I* label)
{
    return make_pattern<I>(
        exec, a.size(), true, [&](I* counts) { pattern_permute_count<I>(exec, a, p, counts); },
        [&](Pattern<I>& s, WorkspaceView workspace) {
            pattern_permute_fill<I>(exec, a, p, label, s.row_ptrs.data(), s.col_idxs.data(), s.source.data(),
                                    workspace);
        });
}

/// a with its full diagonal; source is -1 for entries missing in a.  a: sorted rows, columns unique.
template <class I>
Pattern<I> pattern_with_diagonal(const Executor& exec, PatternView<I> a)
{
    return make_pattern<I>(
        exec, a.size(), false, [&](I* counts) { pattern_add_diagonal_count<I>(exec, a, counts); },
        [&](Pattern<I>& s, WorkspaceView) {
            pattern_add_diagonal_fill<I>(exec, a, s.row_ptrs.data(), s.col_idxs.data(), s.source.data());
        });
}

/// Composes maps: `s` was made from a pattern with the map `inner`; the result maps to the original of `inner`.
template <class I>
Pattern<I> composed(const Executor& exec, Pattern<I> s, const Array<I>& inner)
{
    pattern_compose<I>(exec, s.source.size(), s.source.data(), inner.data(), s.source.data());
    return s;
}

/// The triangle on `side` of a square matrix, with or without stored diagonal entries, or its transpose, which is a
/// triangle on the other side.
template <class I>
Pattern<I> triangle_pattern(const Executor& exec, PatternView<I> a, Side side, bool with_diagonal, bool is_transposed)
{
    const size_type nearest = with_diagonal ? 0 : 1;
    PatternSelection which{0, a.rows, 0, a.cols};
    (side == Side::lower ? which.high : which.low) = side == Side::lower ? -nearest : nearest;
    auto triangle = selected_pattern(exec, a, which);
    return is_transposed ? composed(exec, transposed_pattern(exec, triangle.view()), triangle.source)
                         : std::move(triangle);
}

/// The same with its full diagonal; source is -1 for entries missing in a.
template <class I>
Pattern<I> triangle_with_diagonal(const Executor& exec, PatternView<I> a, Side side, bool is_transposed)
{
    const auto triangle = triangle_pattern(exec, a, side, true, is_transposed);
    return composed(exec, pattern_with_diagonal(exec, triangle.view()), triangle.source);
}

}  // namespace linden::detail
