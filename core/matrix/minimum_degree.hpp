#pragma once

#include <linden/views.hpp>

#include <vector>

namespace linden::detail {

/// As approximate_minimum_degree, of a pattern in any executor's memory.
template <class I>
std::vector<I> minimum_degree_order(const Executor& exec, PatternView<I> a);

/// The same of a symmetric graph in host memory.
template <class I>
std::vector<I> minimum_degree_order(const std::vector<I>& row_ptrs, const std::vector<I>& col_idxs);

/// As approximate_column_minimum_degree.
template <class I>
std::vector<I> column_minimum_degree_order(const Executor& exec, PatternView<I> a);

}  // namespace linden::detail
