#pragma once

#include <linden/views.hpp>

#include "core/base/kernel.hpp"
#include "core/base/type_lists.hpp"

namespace linden {

/// The most parts that a backend cuts the values into.
inline constexpr size_type max_prefix_sum_parts = 2048;
inline constexpr size_type prefix_sum_workspace_bytes =
    max_prefix_sum_parts * static_cast<size_type>(sizeof(std::int64_t));

/// values[i] := sum of the old values[0], ..., values[i - 1], for 0 <= i <= n: counts become row pointers. The old
/// values[n] is not read. *total := the sum of all n, which tells where it does not fit into I; values are unspecified
/// then.  values: n + 1, nonnegative.  Workspace: prefix_sum_workspace_bytes, in any state. 3 n words.
template <class I>
inline constinit kernel<void(size_type n, I* values, std::int64_t* total, WorkspaceView workspace)> prefix_sum{
    "array::prefix_sum", types_of<I>};

/// totals[s] := sum of values[s n], ..., values[s n + n - 1] for 0 <= s < num_runs: how many marks are set, of runs of
/// marks that lie one after the other. n num_runs words.
template <class I>
inline constinit kernel<void(size_type n, size_type num_runs, const I* values, std::int64_t* totals)> array_totals{
    "array::totals", types_of<I>};

}  // namespace linden
