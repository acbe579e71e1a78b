#pragma once

#include <vector>

namespace linden::detail {

/// Nodes of a forest by tasks, increasing in each: task t has order[task_ptrs[t]] to order[task_ptrs[t + 1]].
template <class I>
struct SubtreeTasks {
    std::vector<I> order, task_ptrs{0};
};

/// Tasks that need nothing of each other are subtrees, small ones together; the last task has the nodes above all of
/// them. work: of each node; parent: greater than its children, -1 for roots. The number of threads has no part in it.
template <class I>
SubtreeTasks<I> cut_into_tasks(const std::vector<double>& work, const std::vector<I>& parent);

}  // namespace linden::detail
