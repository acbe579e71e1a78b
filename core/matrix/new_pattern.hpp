#pragma once

#include <linden/array.hpp>

#include "core/kernels/pattern.hpp"
#include "core/matrix/row_pointers.hpp"

/// New patterns on an executor: the count, the row pointers, the fill.
namespace linden::detail {

template <class I>
struct NewPattern {
    Dim size;
    Array<I> row_ptrs;
    Array<I> col_idxs;
    Array<I> source;  ///< as core/kernels/pattern.hpp defines it
};

/// Calls count(counts) for the number of entries in each row, and fill(pattern, workspace) when there is room for them;
/// `workspace` is empty unless the fill needs one. Waits for the executor.
template <class I, class Count, class Fill>
NewPattern<I> make_pattern(const Executor& exec, Dim size, bool needs_workspace, const Count& count, const Fill& fill)
{
    Array<I> row_ptrs(exec, size.rows + 1);
    count(row_ptrs.data());
    const auto num_nonzeros = make_row_ptrs(row_ptrs, "the result");
    NewPattern<I> pattern{size, std::move(row_ptrs), Array<I>(exec, num_nonzeros), Array<I>(exec, num_nonzeros)};
    Array<std::byte> memory(exec, needs_workspace ? pattern_workspace_bytes<I>(size.rows, num_nonzeros) : 0);
    fill(pattern, WorkspaceView{memory.data(), memory.size()});
    return pattern;
}

}  // namespace linden::detail
