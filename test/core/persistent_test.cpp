// needs: double int32
#include <linden/log/logger.hpp>
#include <linden/matrix/diagonal.hpp>
#include <linden/preconditioner/block_jacobi.hpp>
#include <linden/preconditioner/jacobi.hpp>

#include <algorithm>

#include "core/solver/persistent.hpp"
#include "test/support/fast_memory.hpp"
#include "test/support/solvers.hpp"

namespace linden::test {
namespace {

using linden::detail::partition_rows;

/// Counts the calls of persistent kernels.
class WholeSolves final : public Logger {
public:
    void on_kernel_begin(std::string_view kernel, std::string_view) override
    {
        count += kernel.find("::run_") != std::string_view::npos;
    }
    int count = 0;
};

/// Never stops anything. Solves that ask it go step by step, whatever one kernel could do.
class NeverStops final : public StoppingCriterion {
public:
    SolveStatus check(const IterationInfo&) override { return SolveStatus::running; }
};

struct Solved {
    SolveResult result;
    std::vector<double> x;
    int whole_solves;
};

/// From x = 0, with a right-hand side that is no multiple of an eigenvector.
Solved solve(const Solver<double>& solver, SolveOptions options = {}, size_type num_rhs = 1)
{
    const auto& exec = solver.executor();
    Random random(3);
    const auto b = random_dense<double>(random, exec, {solver.size().rows, num_rhs});
    auto x = Dense<double>::filled(exec, b.size(), 0);
    const auto log = std::make_shared<WholeSolves>();
    exec.add_logger(log);
    options.history = true;
    auto result = solver.solve(b, x, options);
    exec.remove_logger(log.get());
    return {std::move(result), x.to_host(), log->count};
}

/// S (A + I) S with the Laplacian A on n x n points and a diagonal S: well conditioned, so that rounding does not
/// decide on counts, and better still with diagonal preconditioners.
TestCsr<double> scaled_laplace(size_type n, double factor = 1)
{
    auto a = laplace_2d<double>(n);
    const auto scale = [](size_type row) { return 1 + 0.25 * static_cast<double>(row % 7); };
    for (size_type row = 0; row < a.size.rows; ++row) {
        for (auto k = static_cast<std::size_t>(a.row_ptrs[static_cast<std::size_t>(row)]);
             k < static_cast<std::size_t>(a.row_ptrs[static_cast<std::size_t>(row) + 1]); ++k) {
            a.values[k] += a.col_idxs[k] == row ? 1 : 0;
            a.values[k] *= factor * scale(row) * scale(a.col_idxs[k]);
        }
    }
    return a;
}

FactoryPtr<double> some_diagonal()
{
    return make_factory<double>([](LinOpPtr<double> a) {
        std::vector<double> d;
        for (size_type row = 0; row < a->size().rows; ++row) {
            d.push_back(1 + 0.5 * static_cast<double>(row % 3));
        }
        return std::make_unique<Diagonal<double>>(a->executor(), d);
    });
}

std::unique_ptr<Solver<double>> solver_of(Method method, const Executor& exec, const TestCsr<double>& a,
                                          FactoryPtr<double> preconditioner)
{
    return make_solver<double>(method, matrix_on(exec, a), {.preconditioner = std::move(preconditioner)});
}

/// The same residuals by a persistent kernel and step by step. `expected`: whether a persistent kernel is to run it.
void expect_one_way(const Solver<double>& solver, bool expected)
{
    const auto persistent = solve(solver);
    const auto by_steps = solve(solver, {.criteria = {std::make_shared<NeverStops>()}});
    EXPECT_EQ(persistent.whole_solves > 0, expected);
    EXPECT_EQ(by_steps.whole_solves, 0);
    EXPECT_EQ(persistent.result.status(), by_steps.result.status());
    EXPECT_EQ(persistent.result.iterations(), by_steps.result.iterations());
    ASSERT_EQ(persistent.result.history.size(), by_steps.result.history.size());
    for (std::size_t it = 0; it < std::min<std::size_t>(10, by_steps.result.history.size()); ++it) {
        expect_near(persistent.result.history[it], by_steps.result.history[it], 1e4, by_steps.result.history[0][0]);
    }
}

template <class F>
void on_executors_with_and_without_fast_memory(F&& f)
{
    on_each_executor(f);
    f(executor_with_cluster());
    f(executor_with_grid_memory());
}

/// CG takes a cluster for small systems, BiCGStab has no such kernel.
bool is_persistent(Method method, const Executor& exec, bool small)
{
    const bool clustered = small && method == Method::cg && exec.state().cluster_memory().num_blocks > 0;
    return clustered || exec.state().grid_memory().num_blocks > 0;
}

constexpr Method methods[] = {Method::cg, Method::bicgstab};

TEST(PersistentKernels, WholeSolvesGoTheWayOfTheirSteps)
{
    const FactoryPtr<double> preconditioners[] = {nullptr, Jacobi<double>::factory(), some_diagonal()};
    on_executors_with_and_without_fast_memory([&](const Executor& exec) {
        for (const auto method : methods) {
            for (std::size_t i = 0; i < std::size(preconditioners); ++i) {
                SCOPED_TRACE(std::string(name(method)) + ", preconditioner " + std::to_string(i));
                const auto solver = solver_of(method, exec, scaled_laplace(30), preconditioners[i]);
                expect_one_way(*solver, is_persistent(method, exec, true));
            }
        }
    });
}

/// Too many rows for a cluster.
TEST(PersistentKernels, WholeSolvesOfLargerSystems)
{
    on_each_executor([](const Executor& exec) {
        const auto a = matrix_on(exec, scaled_laplace(220));
        for (const auto method : methods) {
            SCOPED_TRACE(name(method));
            const auto solver = make_solver<double>(
                method, a,
                {.stop = {.max_iterations = 8, .relative_residual = 0}, .preconditioner = Jacobi<double>::factory()});
            expect_one_way(*solver, is_persistent(method, exec, false));
        }
    });
}

TEST(PersistentKernels, FollowsNewValuesOfTheDiagonal)
{
    auto changed = scaled_laplace(12, 2);
    changed.values[0] *= 3;
    for (const auto method : methods) {
        const auto exec = executor_with_grid_memory();
        const auto solver = solver_of(method, exec, scaled_laplace(12), Jacobi<double>::factory());
        const auto before = solve(*solver);
        solver->update_values(matrix_on(exec, changed));
        const auto after = solve(*solver);
        EXPECT_EQ(after.whole_solves, 1);
        EXPECT_NE(after.x, before.x);
        const auto expected = solve(*solver_of(method, reference_executor(), changed, Jacobi<double>::factory()));
        EXPECT_EQ(after.result.iterations(), expected.result.iterations());
        expect_near(after.x, expected.x, 1e4);
    }
}

TEST(PersistentKernels, WhatIsNoDiagonalHereGoesStepByStep)
{
    const auto elsewhere = Executor::reference();
    const FactoryPtr<double> preconditioners[] = {
        BlockJacobi<double>::factory(), make_factory<double>([&](LinOpPtr<double> a) {
            const std::vector<double> d(static_cast<std::size_t>(a->size().rows), 0.25);
            return std::make_unique<Diagonal<double>>(elsewhere, d);
        })};
    for (const auto& exec : {executor_with_cluster(), executor_with_grid_memory()}) {
        for (const auto& preconditioner : preconditioners) {
            for (const auto method : methods) {
                const auto done = solve(*solver_of(method, exec, scaled_laplace(10), preconditioner));
                EXPECT_TRUE(done.result.converged());
                EXPECT_EQ(done.whole_solves, 0);
            }
        }
    }
}

TEST(PersistentKernels, OtherSolvesGoStepByStep)
{
    for (const auto& exec : {executor_with_cluster(), executor_with_grid_memory()}) {
        const auto a = scaled_laplace(10);
        EXPECT_EQ(solve(*solver_of(Method::cg_single_reduction, exec, a, Jacobi<double>::factory())).whole_solves, 0);
        for (const auto method : methods) {
            EXPECT_EQ(solve(*solver_of(method, exec, a, Jacobi<double>::factory()), {}, 2).whole_solves, 0);
        }
    }
}

/// Rows of 1, 3, 2, 0 and 4 entries; as slices of two rows they are 3, 2 and 4 wide.
TEST(PersistentKernels, DealsRowsToBlocksBySlices)
{
    const CsrData<double, std::int32_t> data{
        {5, 5}, {0, 1, 4, 6, 6, 10}, {0, 0, 1, 2, 1, 2, 0, 1, 2, 3}, std::vector<double>(10, 1)};
    on_each_executor([&](const Executor& exec) {
        const Csr<double, std::int32_t> a(exec, data);
        const auto by_rows = partition_rows(a, 2, 1), by_slices = partition_rows(a, 2, 2),
                   in_one = partition_rows(a, 1, 1);
        ASSERT_TRUE(by_rows && by_slices && in_one);
        EXPECT_EQ(by_rows->max_rows, 3);
        EXPECT_EQ(by_rows->max_nonzeros, 6);
        EXPECT_EQ(by_slices->max_rows, 4);
        EXPECT_EQ(by_slices->max_nonzeros, 10);
        EXPECT_EQ(in_one->max_rows, 5);
        EXPECT_EQ(in_one->max_nonzeros, 10);
        EXPECT_FALSE(partition_rows(Csr<double, std::int32_t>(exec, Dim{}), 2, 1));
        EXPECT_FALSE(partition_rows(Dense<double>(exec, {5, 5}), 2, 1));
    });
}

}  // namespace
}  // namespace linden::test
