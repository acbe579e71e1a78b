#pragma once

#include <linden/types.hpp>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

/// Threads for host work outside of any executor (files, assembly).
namespace linden {

/// Calls task(0), ..., task(num_tasks - 1), each once, on all cores, and returns when all are done. What a task
/// computes must not depend on which thread runs it; then neither does the result. If tasks throw, the exception of the
/// lowest task that threw is rethrown; tasks not yet begun are dropped.
template <class Task>
void parallel_tasks(size_type num_tasks, Task&& task)
{
    std::atomic<size_type> next{0};
    std::mutex failure_mutex;
    std::exception_ptr failure;
    size_type failed_task = num_tasks;
    auto work = [&] {
        for (auto i = next.fetch_add(1); i < num_tasks; i = next.fetch_add(1)) {
            try {
                task(i);
            } catch (...) {
                std::lock_guard lock(failure_mutex);
                next = num_tasks;
                if (i < failed_task) {
                    failed_task = i;
                    failure = std::current_exception();
                }
            }
        }
    };

    const auto cores = static_cast<size_type>(std::max(1u, std::thread::hardware_concurrency()));
    {
        std::vector<std::jthread> helpers;
        for (size_type i = 1; i < std::min(cores, num_tasks); ++i) {
            try {
                helpers.emplace_back(work);
            } catch (const std::system_error&) {
                break;  // no more threads to be had: those that run do all the work
            }
        }
        work();
    }
    if (failure) {
        std::rethrow_exception(failure);
    }
}

/// Splits [0, n) into ranges of `grain` (the last may be shorter) and calls body(begin, end) for each, in parallel.
template <class Body>
void parallel_ranges(size_type n, size_type grain, Body&& body)
{
    parallel_tasks((n + grain - 1) / grain, [&](size_type task) {
        const auto begin = task * grain;
        body(begin, std::min(n, begin + grain));
    });
}

}  // namespace linden
