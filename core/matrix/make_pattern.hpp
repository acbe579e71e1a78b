#pragma once

#include <linden/matrix/pattern.hpp>

#include <string_view>

#include "core/kernels/pattern.hpp"
#include "core/matrix/row_pointers.hpp"

/// New patterns on an executor: the count, the row pointers, the fill.
namespace linden::detail {

/// Calls count(counts) for the number of entries in each row, and fill(pattern) when there is room for them; without a
/// source. Waits for the executor.
/// @throws InvalidParameter naming `what` if I cannot hold the number of entries
template <class I, class Count, class Fill>
Pattern<I> make_plain_pattern(const Executor& exec, Dim size, std::string_view what, const Count& count,
                              const Fill& fill)
{
    Array<I> row_ptrs(exec, size.rows + 1);
    count(row_ptrs.data());
    Array<I> col_idxs(exec, make_row_ptrs(row_ptrs, what));
    Pattern<I> pattern{size, std::move(row_ptrs), std::move(col_idxs)};
    fill(pattern);
    return pattern;
}

/// The same with a source, and a workspace for fill(pattern, workspace); `workspace` is empty unless the fill needs
/// one.
template <class I, class Count, class Fill>
Pattern<I> make_pattern(const Executor& exec, Dim size, bool needs_workspace, const Count& count, const Fill& fill)
{
    return make_plain_pattern<I>(exec, size, "the result", count, [&](Pattern<I>& pattern) {
        const auto num_nonzeros = pattern.col_idxs.size();
        pattern.source = Array<I>(exec, num_nonzeros);
        Array<std::byte> memory(exec, needs_workspace ? pattern_workspace_bytes<I>(size.rows, num_nonzeros) : 0);
        fill(pattern, WorkspaceView{memory.data(), memory.size()});
    });
}

}  // namespace linden::detail
