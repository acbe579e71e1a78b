#include "core/factorization/subtree_tasks.hpp"

#include <cstddef>
#include <numeric>
#include <queue>
#include <utility>

// instantiate: detail::SubtreeTasks<I> detail::cut_into_tasks<I>(const std::vector<double>&, const std::vector<I>&)

namespace linden::detail {
namespace {

/// Tasks are cut until none has more than this part of all work: enough for many threads, and for few of them to end
/// at about the same time.
constexpr int parts_of_work = 64;

/// Subtrees become tasks, in the order of their roots, small ones together.
template <class I>
SubtreeTasks<I> number_tasks(double most, const std::vector<double>& subtree, const std::vector<I>& parent,
                             std::vector<I>& task)
{
    constexpr I last_task = -1;
    const auto count = static_cast<I>(task.size());
    I num_tasks = 0;
    double filled = 0;
    for (I p = 0; p < count; ++p) {
        const bool is_root = task[p] != last_task && (parent[p] < 0 || task[parent[p]] == last_task);
        if (is_root && (num_tasks == 0 || filled + subtree[p] > most)) {
            ++num_tasks;
            filled = 0;
        }
        if (is_root) {
            task[p] = num_tasks - 1;
            filled += subtree[p];
        }
    }
    SubtreeTasks<I> result;
    result.task_ptrs.assign(static_cast<std::size_t>(num_tasks) + 2, 0);
    for (I p = count; p-- > 0;) {
        if (task[p] == last_task) {
            task[p] = num_tasks;
        } else if (task[p] < 0) {
            task[p] = task[parent[p]];
        }
        ++result.task_ptrs[task[p] + 1];
    }
    std::partial_sum(result.task_ptrs.begin(), result.task_ptrs.end(), result.task_ptrs.begin());
    result.order.resize(task.size());
    auto next = result.task_ptrs;
    for (I p = 0; p < count; ++p) {
        result.order[next[task[p]]++] = p;
    }
    return result;
}

}  // namespace

template <class I>
SubtreeTasks<I> cut_into_tasks(const std::vector<double>& work, const std::vector<I>& parent)
{
    const auto count = work.size();
    auto subtree = work;
    std::vector<I> child(count, -1), sibling(count, -1);
    std::priority_queue<std::pair<double, I>> largest;
    const double total = std::accumulate(work.begin(), work.end(), 0.0);
    for (std::size_t p = 0; p < count; ++p) {
        if (parent[p] >= 0) {
            subtree[parent[p]] += subtree[p];
            sibling[p] = std::exchange(child[parent[p]], static_cast<I>(p));
        } else {
            largest.emplace(subtree[p], static_cast<I>(p));
        }
    }
    constexpr I last_task = -1, none = -2;
    std::vector<I> task(count, none);
    while (!largest.empty() && largest.top().first > total / parts_of_work) {
        const I p = largest.top().second;
        largest.pop();
        task[p] = last_task;
        for (I q = child[p]; q >= 0; q = sibling[q]) {
            largest.emplace(subtree[q], q);
        }
    }
    return number_tasks(total / parts_of_work, subtree, parent, task);
}

}  // namespace linden::detail
