#pragma once

#include <linden/views.hpp>

#include <vector>

namespace linden::detail {

/// As reverse_cuthill_mckee, of a pattern in any executor's memory.
template <class I>
std::vector<I> cuthill_mckee_order(const Executor& exec, PatternView<I> a);

}  // namespace linden::detail
