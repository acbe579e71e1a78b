#pragma once

#include <linden/array.hpp>
#include <linden/error.hpp>

#include <limits>
#include <string>
#include <string_view>

#include "core/kernels/prefix_sum.hpp"

namespace linden::detail {

/// Turns counts[0], ..., counts[n - 1] of an array of n + 1 into row pointers; returns their sum. Waits for the
/// executor.
/// @throws InvalidParameter naming `what` if I cannot hold the sum
template <class I>
size_type make_row_ptrs(Array<I>& counts, std::string_view what)
{
    const auto& exec = counts.executor();
    Array<std::byte> workspace(exec, prefix_sum_workspace_bytes);
    Array<std::int64_t> total(exec, 1);
    prefix_sum<I>(exec, counts.size() - 1, counts.data(), total.data(), {workspace.data(), workspace.size()});
    const auto sum = total.to_host().front();
    if (sum > std::numeric_limits<I>::max()) {
        throw InvalidParameter(what, std::to_string(sum) + " entries",
                               "at most " + std::to_string(std::numeric_limits<I>::max()) + " with " +
                                   std::string(name(index_type_of<I>)) + " indices");
    }
    return sum;
}

}  // namespace linden::detail
