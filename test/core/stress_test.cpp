// needs: double int32
#include <linden/error.hpp>
#include <linden/io/problems.hpp>
#include <linden/matrix/csr.hpp>
#include <linden/matrix/dense.hpp>
#include <linden/memory.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "core/config/registry.hpp"
#include "test/support/backends.hpp"

/// Everything that the registry makes, where memory runs out, with more threads than processors, and after a fork.
namespace linden::test {
namespace {

using I = std::int32_t;

/// Fewer points where the device is a processor in disguise.
size_type grid_on(const Executor& exec) { return exec.is_host() ? 9 : 4; }

LinOpPtr<double> matrix_on(const Executor& exec)
{
    return share(Csr<double, I>(exec, generate_problem<double, I>("lap2d:" + std::to_string(grid_on(exec)))));
}

/// (1, 2, 3, ...), other multiples for other numbers.
Dense<double> right_hand_side(const Executor& exec, int number = 1)
{
    std::vector<double> values;
    for (size_type row = 0; row < grid_on(exec) * grid_on(exec); ++row) {
        values.push_back(static_cast<double>(number * (row + 1)));
    }
    return Dense<double>::vector(exec, values);
}

std::vector<double> applied(const LinOp<double>& op, const Dense<double>& b)
{
    Dense<double> x(b.executor(), b.size());
    op.apply(b, x);
    return x.to_host();
}

/// Whether two results of a method are the same: to the bit, but of Automatic, which leaves methods by the clock, to
/// its tolerance.
bool agree(std::string_view method, const std::vector<double>& x, const std::vector<double>& y)
{
    if (method != "Automatic") {
        return x == y;
    }
    double difference = 0, size = 0;
    for (std::size_t i = 0; i < x.size() && i < y.size(); ++i) {
        difference += (x[i] - y[i]) * (x[i] - y[i]);
        size += x[i] * x[i];
    }
    return x.size() == y.size() && difference <= 1e-8 * size;
}

/// Calls f(entry) for all solvers and preconditioners.
template <class F>
void for_each_entry(F&& f)
{
    for (const auto& entry : config::registry<double>()) {
        SCOPED_TRACE(entry.type);
        f(entry);
    }
}

/// Whichever allocation fails, the call says so, or takes another way as Automatic does; nothing leaks, and it works
/// when tried again. Returns how many failed.
template <class Call>
int fail_each_allocation(FaultInjectingMemory& memory, Call&& call)
{
    for (int k = 1; k < 5000; ++k) {
        SCOPED_TRACE("allocation " + std::to_string(k) + " fails");
        const auto allocations = memory.num_allocations();
        memory.fail_allocation(k);
        try {
            call();
        } catch (const OutOfMemory&) {
        }
        memory.fail_allocation(0);
        if (memory.num_allocations() - allocations < k) {
            return k - 1;
        }
    }
    ADD_FAILURE() << "gave up";
    return 0;
}

TEST(Stress, EveryFailedAllocationOfTheRegistry)
{
    for (const bool multicore : {false, true}) {
        if (multicore && !backend_info(Backend::omp).built) {
            continue;
        }
        const auto memory = std::make_shared<FaultInjectingMemory>(host_memory());
        const auto exec =
            Executor::create(multicore ? Backend::omp : Backend::reference, {.threads = 2, .memory = memory});
        const auto a = matrix_on(exec), again = matrix_on(exec);
        const auto b = right_hand_side(exec);
        int num_failed = 0;
        for_each_entry([&](const auto& entry) {
            const auto before = memory->num_outstanding();
            {
                std::unique_ptr<LinOp<double>> op;
                num_failed += fail_each_allocation(*memory, [&] { op = entry.create()->make(a); });
                Dense<double> x(exec, b.size());
                num_failed += fail_each_allocation(*memory, [&] { op->apply(b, x); });
                const auto calm = entry.create()->make(a);
                EXPECT_TRUE(agree(entry.type, applied(*op, b), applied(*calm, b)));
                num_failed += fail_each_allocation(*memory, [&] { op->update_values(again); });
                calm->update_values(again);
                EXPECT_TRUE(agree(entry.type, applied(*op, b), applied(*calm, b)));
            }
            EXPECT_EQ(memory->num_outstanding(), before);
        });
        EXPECT_GT(num_failed, 500);
        RecordProperty(multicore ? "failed_omp" : "failed_reference", num_failed);
    }
}

TEST(Stress, SixteenThreadsOnOneOperator)
{
    on_each_executor([](const Executor& exec) {
        const auto a = matrix_on(exec);
        for_each_entry([&](const auto& entry) {
            const auto op = entry.create()->make(a);
            constexpr std::size_t num_threads = 16;
            std::vector<std::vector<double>> alone(num_threads), together(num_threads);
            for (std::size_t i = 0; i < num_threads; ++i) {
                alone[i] = applied(*op, right_hand_side(exec, static_cast<int>(i) + 1));
            }
            std::vector<std::thread> threads;
            for (std::size_t i = 0; i < num_threads; ++i) {
                threads.emplace_back([&, i] {
                    for (int repeat = 0; repeat < (exec.is_host() ? 5 : 1); ++repeat) {
                        together[i] = applied(*op, right_hand_side(exec, static_cast<int>(i) + 1));
                    }
                });
            }
            for (auto& thread : threads) {
                thread.join();
            }
            for (std::size_t i = 0; i < num_threads; ++i) {
                EXPECT_TRUE(agree(entry.type, together[i], alone[i])) << "thread " << i;
            }
        });
    });
}

#ifndef __SANITIZE_THREAD__  // ends children of processes with threads

/// On host executors; devices do not survive a fork.
TEST(Stress, ForkedChildrenSolve)
{
    for (const auto& exec : tested_executors()) {
        if (exec.backend() != Backend::reference && exec.backend() != Backend::omp) {
            continue;
        }
        SCOPED_TRACE("on " + exec.name());
        const auto a = matrix_on(exec);
        const auto b = right_hand_side(exec);
        for_each_entry([&](const auto& entry) {
            const auto op = entry.create()->make(a);
            const auto expected = applied(*op, b);
            const pid_t child = fork();
            ASSERT_GE(child, 0);
            if (child == 0) {
                alarm(60);
                // What the parent made, and what the child makes.
                const auto own = entry.create()->make(a);
                _exit(agree(entry.type, applied(*op, b), expected) && agree(entry.type, applied(*own, b), expected)
                          ? 0
                          : 1);
            }
            int status = 0;
            ASSERT_EQ(waitpid(child, &status, 0), child);
            EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
            EXPECT_TRUE(agree(entry.type, applied(*op, b), expected));
        });
    }
}

#endif

}  // namespace
}  // namespace linden::test
