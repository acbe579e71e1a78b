#pragma once

#include <utility>
#include <vector>

#include "core/base/kernel.hpp"
#include "test/support/backends.hpp"

/// Tests of kernels that hosts alone need to have.
namespace linden::test {

/// Calls f(exec) for every tested executor that has `kernel`; hosts do.
template <class F>
void on_each_executor_with(const KernelEntry& kernel, F&& f)
{
    ASSERT_FALSE(tested_executors().empty());  // the first executor brings the kernels
    EXPECT_TRUE(kernel.available(Backend::reference));
    on_each_executor([&](const Executor& exec) {
        if (kernel.available(exec.backend())) {
            f(exec);
        } else {
            EXPECT_FALSE(exec.is_host());
        }
    });
}

/// `run(exec)` returns the same on every executor that has `kernel`, and on hosts with other numbers of threads, as on
/// the reference. `equal(x, y)` compares.
template <class Run, class Equal>
void expect_like_reference_on(const KernelEntry& kernel, const Run& run, const Equal& equal)
{
    const auto expected = run(reference_executor());
    const auto check = [&](const Executor& exec) { EXPECT_TRUE(equal(run(exec), expected)); };
    on_each_executor_with(kernel, check);
    if (kernel.available(Backend::omp)) {
        for (const int threads : {1, 2, 7}) {
            SCOPED_TRACE(std::to_string(threads) + " threads");
            check(Executor::omp({.threads = threads}));
        }
    }
}

/// A workspace full of ones, in every bit.
inline Array<std::byte> dirty_workspace(const Executor& exec, size_type bytes)
{
    return Array<std::byte>(exec, std::vector<std::byte>(static_cast<std::size_t>(bytes), std::byte{0xFF}));
}

}  // namespace linden::test
