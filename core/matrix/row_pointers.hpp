#pragma once

#include <linden/array.hpp>
#include <linden/error.hpp>

#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "core/kernels/prefix_sum.hpp"

namespace linden::detail {

/// Turns counts[0], ..., counts[n - 1] of an array of n + 1 into row pointers, whose sum is known to fit; the sum is
/// left in *total, on the executor. Does not wait.
template <class I>
void scan_counts(Array<I>& counts, std::int64_t* total)
{
    Array<std::byte> workspace(counts.executor(), prefix_sum_workspace_bytes);
    prefix_sum<I>(counts.executor(), counts.size() - 1, counts.data(), total, {workspace.data(), workspace.size()});
}

/// @throws InvalidParameter naming `what` if I cannot hold so many entries
template <class I>
void require_fits(std::int64_t num_entries, std::string_view what)
{
    if (num_entries > std::numeric_limits<I>::max()) {
        throw InvalidParameter(what, std::to_string(num_entries) + " entries",
                               "at most " + std::to_string(std::numeric_limits<I>::max()) + " with " +
                                   std::string(name(index_type_of<I>)) + " indices");
    }
}

/// Turns counts[0], ..., counts[n - 1] of an array of n + 1 into row pointers; returns their sum. Waits for the
/// executor.
/// @throws InvalidParameter naming `what` if I cannot hold the sum
template <class I>
size_type make_row_ptrs(Array<I>& counts, std::string_view what)
{
    Array<std::int64_t> total(counts.executor(), 1);
    scan_counts(counts, total.data());
    const auto sum = total.to_host().front();
    require_fits<I>(sum, what);
    return sum;
}

/// How many marks are set in each of `num_runs` runs of marks. Waits for the executor.
template <class I>
std::vector<std::int64_t> count_marks(const Array<I>& marks, size_type num_runs = 1)
{
    Array<std::int64_t> totals(marks.executor(), num_runs);
    array_totals<I>(marks.executor(), marks.size() / num_runs, num_runs, marks.data(), totals.data());
    return totals.to_host();
}

}  // namespace linden::detail
