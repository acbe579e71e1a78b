#pragma once

#include <linden/array.hpp>
#include <linden/views.hpp>

#include <vector>

#include "core/kernels/breadth_first_search.hpp"

namespace linden::detail {

/// Which searches go to the host: those of 512 levels and more that find fewer vertices in a level than a host does in
/// the time that a device takes for one.
inline constexpr SearchLimits device_search_limits{512, 32};

/// As reverse_cuthill_mckee, of a pattern with sorted rows in the executor's memory, and there.
template <class I>
Array<I> cuthill_mckee_rows(const Executor& exec, PatternView<I> a, SearchLimits limits = device_search_limits);

/// The same on the host.
template <class I>
std::vector<I> cuthill_mckee_order(const Executor& exec, PatternView<I> a);

}  // namespace linden::detail
