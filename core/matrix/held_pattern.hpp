#pragma once

#include <linden/array.hpp>
#include <linden/views.hpp>

#include <string_view>
#include <utility>

#include "core/kernels/spgemm.hpp"
#include "core/matrix/row_pointers.hpp"

namespace linden::detail {

/// A pattern that is owned, or a view of another one.
template <class I>
struct HeldPattern {
    Array<I> row_ptrs, col_idxs;
    PatternView<I> view;
};

template <class I>
HeldPattern<I> view_only(const Executor& exec, PatternView<I> a)
{
    return {Array<I>(exec), Array<I>(exec), a};
}

template <class I>
HeldPattern<I> held(Dim size, Array<I> row_ptrs, Array<I> col_idxs)
{
    const PatternView<I> view{size.rows, size.cols, col_idxs.size(), row_ptrs.data(), col_idxs.data()};
    return {std::move(row_ptrs), std::move(col_idxs), view};
}

/// The pattern of a b; rows sorted. Waits for the executor.
/// @throws InvalidParameter naming `what` if I cannot hold the number of entries
template <class I>
HeldPattern<I> product_of_patterns(const Executor& exec, PatternView<I> a, PatternView<I> b, std::string_view what)
{
    size_type bytes = 0;
    spgemm_workspace<I>(exec, a, b, 0, &bytes);
    Array<std::byte> memory(exec, bytes);
    const WorkspaceView workspace{memory.data(), memory.size()};
    Array<I> row_ptrs(exec, a.rows + 1);
    spgemm_count<I>(exec, a, b, row_ptrs.data(), workspace);
    Array<I> col_idxs(exec, make_row_ptrs(row_ptrs, what));
    spgemm_fill<I>(exec, a, b, row_ptrs.data(), col_idxs.data(), workspace);
    return held({a.rows, b.cols}, std::move(row_ptrs), std::move(col_idxs));
}

}  // namespace linden::detail
