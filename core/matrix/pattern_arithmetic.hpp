#pragma once

#include <string_view>

#include "core/kernels/spgeam.hpp"
#include "core/kernels/spgemm.hpp"
#include "core/matrix/pattern_operations.hpp"

/// Patterns of products, sums and powers, rows sorted. They wait for the executor.
/// @throws InvalidParameter naming `what` if I cannot hold the number of entries
namespace linden::detail {

/// a b
template <class I>
Pattern<I> product_of_patterns(const Executor& exec, PatternView<I> a, PatternView<I> b, std::string_view what)
{
    size_type bytes = 0;
    spgemm_workspace<I>(exec, a, b, 0, &bytes);
    Array<std::byte> memory(exec, bytes);
    const WorkspaceView workspace{memory.data(), memory.size()};
    return make_plain_pattern<I>(
        exec, {a.rows, b.cols}, what, [&](I* counts) { spgemm_count<I>(exec, a, b, counts, workspace); },
        [&](Pattern<I>& c) { spgemm_fill<I>(exec, a, b, c.row_ptrs.data(), c.col_idxs.data(), workspace); });
}

/// a + b
template <class I>
Pattern<I> sum_of_patterns(const Executor& exec, PatternView<I> a, PatternView<I> b, std::string_view what)
{
    return make_plain_pattern<I>(
        exec, a.size(), what, [&](I* counts) { spgeam_count<I>(exec, a, b, counts); },
        [&](Pattern<I>& c) { spgeam_fill<I>(exec, a, b, c.row_ptrs.data(), c.col_idxs.data()); });
}

/// a and the diagonal, to the power of `power` >= 1.  a: n x n, sorted rows.
template <class I>
Pattern<I> pattern_of_power(const Executor& exec, PatternView<I> a, size_type power)
{
    const auto base = pattern_with_diagonal(exec, a);
    Pattern<I> result{a.size(), base.row_ptrs.clone(), base.col_idxs.clone()};
    for (size_type factor = 1; factor < power; ++factor) {
        result = product_of_patterns(exec, result.view(), base.view(), "the power");
    }
    return result;
}

}  // namespace linden::detail
