#pragma once

#include <string_view>

#include "core/kernels/spgeam.hpp"
#include "core/kernels/spgemm.hpp"
#include "core/matrix/make_pattern.hpp"

/// Patterns of products and sums, rows sorted. They wait for the executor.
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

}  // namespace linden::detail
