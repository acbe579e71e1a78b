// needs: double int32
#include <linden/error.hpp>

#include "test/support/solvers.hpp"

/// The stopping rule, as solves obey it.
namespace linden::test {
namespace {

constexpr size_type grid = 12;

struct Outcome {
    SolveResult result;
    double residual;  // without the library
};

Outcome solve(const Executor& exec, Method method, const Stop& stop, double x0 = 0, const SolveOptions& options = {})
{
    const auto a = laplace_2d<double>(grid);
    const auto b = Dense<double>::filled(exec, {grid * grid, 1}, 1);  // ||b|| = 12
    auto x = Dense<double>::filled(exec, {grid * grid, 1}, x0);
    auto result =
        make_solver<double>(method, matrix_on(exec, a), {.stop = stop, .krylov_dim = 5})->solve(b, x, options);
    return {std::move(result), true_residual(a, b, x)};
}

TEST(StopTest, RelativeToTheRightHandSide)
{
    on_each_executor_and_method([](const Executor& exec, Method method) {
        const auto [result, residual] = solve(exec, method, {.relative_residual = 1e-3}, 100);
        EXPECT_TRUE(result.converged());
        EXPECT_DOUBLE_EQ(result.columns[0].tolerance, 1e-3 * grid);
        EXPECT_DOUBLE_EQ(result.columns[0].rhs_norm, grid);
        EXPECT_LE(residual, 1e-3 * grid * (1 + 1e-9));
    });
}

TEST(StopTest, RelativeToTheInitialResidual)
{
    on_each_executor_and_method([](const Executor& exec, Method method) {
        const auto [result, residual] =
            solve(exec, method, {.relative_residual = 1e-3, .baseline = Baseline::initial_residual}, 100);
        EXPECT_TRUE(result.converged());
        EXPECT_DOUBLE_EQ(result.columns[0].tolerance, 1e-3 * result.columns[0].initial_residual);
        EXPECT_LE(residual, 1e-3 * result.columns[0].initial_residual * (1 + 1e-9));
        EXPECT_GT(residual, 1e-3 * grid);  // it would not have met the other rule
    });
}

TEST(StopTest, AbsoluteResidual)
{
    on_each_executor_and_method([](const Executor& exec, Method method) {
        const auto [result, residual] = solve(exec, method, {.relative_residual = 0, .absolute_residual = 0.5});
        EXPECT_TRUE(result.converged());
        EXPECT_EQ(result.columns[0].tolerance, 0.5);
        EXPECT_LE(residual, 0.5 * (1 + 1e-9));
        // the looser of the two counts
        EXPECT_LT(solve(exec, method, {.relative_residual = 0.9, .absolute_residual = 0.5}).result.iterations(),
                  result.iterations());
    });
}

TEST(StopTest, IterationLimit)
{
    on_each_executor_and_method([](const Executor& exec, Method method) {
        for (const size_type limit : {0, 1, 7}) {
            const auto result = solve(exec, method, {.max_iterations = limit, .relative_residual = 1e-12}).result;
            EXPECT_EQ(result.status(), SolveStatus::max_iterations);
            EXPECT_EQ(result.iterations(), limit);
            EXPECT_NE(result.reason().find("iteration limit"), std::string::npos);
        }
    });
}

TEST(StopTest, TimeLimit)
{
    on_each_executor_and_method([](const Executor& exec, Method method) {
        // A nanosecond is over after the first iteration at the latest.
        const auto result =
            solve(exec, method, {.max_iterations = 1000000, .relative_residual = 1e-12, .max_seconds = 1e-9}).result;
        EXPECT_EQ(result.status(), SolveStatus::time);
        EXPECT_LE(result.iterations(), 1);
        // An hour is not.
        EXPECT_TRUE(solve(exec, method, {.relative_residual = 1e-6, .max_seconds = 3600}).result.converged());
    });
}

TEST(StopTest, Divergence)
{
    on_each_executor([](const Executor& exec) {
        // CG's first step on an indefinite matrix: alpha = 1, r = (0, -2).
        const auto a = matrix_on(exec, csr_from_rows<double>({{1, 2}, {2, 1}}));
        for (const bool single_reduction : {false, true}) {
            auto x = Dense<double>::filled(exec, {2, 1}, 0);
            const auto result = Cg<double>::factory({.stop = {.divergence = 1.9}, .single_reduction = single_reduction})
                                    .generate(a)
                                    ->solve(Dense<double>::vector(exec, {1, 0}), x);
            EXPECT_EQ(result.status(), SolveStatus::diverged);
            EXPECT_EQ(result.iterations(), 1);
            EXPECT_EQ(result.columns[0].residual, 2);
        }
        // BiCGStab on a skew-dominant one: the residual grows along the way.
        const auto skew =
            csr_from_rows<double>({{0.01, 1, 0, 0}, {-1, 0.01, 3, 0}, {0, -3, 0.01, 2}, {0, 0, -2, 0.01}});
        auto x = Dense<double>::filled(exec, {4, 1}, 0);
        const auto result = BiCgStab<double>::factory({.stop = {.relative_residual = 1e-10, .divergence = 1.5}})
                                .generate(matrix_on(exec, skew))
                                ->solve(Dense<double>::vector(exec, {1, 0, 0, 0}), x, {.history = true});
        EXPECT_EQ(result.status(), SolveStatus::diverged);
        EXPECT_GT(result.history.back()[0], 1.5);
    });
}

TEST(StopTest, Stagnation)
{
    on_each_executor([](const Executor& exec) {
        const auto a = matrix_on(exec, cyclic_shift<double>(20));
        std::vector<double> rhs(20);
        rhs[3] = 1;
        for (const auto method : {Method::gmres, Method::fgmres}) {
            auto x = Dense<double>::filled(exec, {20, 1}, 0);
            const auto result = make_solver<double>(method, a, {.stop = {.stagnation_iterations = 7}, .krylov_dim = 3})
                                    ->solve(Dense<double>::vector(exec, rhs), x);
            EXPECT_EQ(result.status(), SolveStatus::stagnated);
            EXPECT_EQ(result.iterations(), 7);
        }
    });
}

TEST(StopTest, CriteriaOfOnesOwnSeeEveryIteration)
{
    struct Recorder final : StoppingCriterion {
        explicit Recorder(size_type l) : last(l) {}
        SolveStatus check(const IterationInfo& info) override
        {
            iterations.push_back(info.iteration);
            residuals.push_back(info.residual_norms[0]);
            EXPECT_DOUBLE_EQ(info.tolerances[0], 1e-8 * grid);
            return info.iteration == last ? SolveStatus::stagnated : SolveStatus::running;
        }
        size_type last;
        std::vector<size_type> iterations;
        std::vector<double> residuals;
    };
    on_each_executor_and_method([](const Executor& exec, Method method) {
        const auto all = std::make_shared<Recorder>(-1);
        const auto whole =
            solve(exec, method, {.relative_residual = 1e-8, .custom = {all}}, 0, {.history = true}).result;
        ASSERT_TRUE(whole.converged());
        ASSERT_EQ(static_cast<size_type>(all->iterations.size()), whole.iterations());
        for (std::size_t i = 0; i < all->iterations.size(); ++i) {
            EXPECT_EQ(all->iterations[i], static_cast<size_type>(i + 1));
            EXPECT_EQ(all->residuals[i], whole.history[i + 1][0]);
        }
        // Ended in the middle of a cycle, x is as good as the iterations so far.
        const auto some = std::make_shared<Recorder>(8);
        const auto [result, residual] = solve(exec, method, {.relative_residual = 1e-8, .custom = {some}});
        EXPECT_EQ(result.status(), SolveStatus::stagnated);
        EXPECT_EQ(result.iterations(), 8);
        EXPECT_NEAR(residual, whole.history[8][0], 1e-9);
        EXPECT_NEAR(result.columns[0].residual, residual, 1e-9);
    });
}

TEST(StopTest, RefusesWhatMakesNoSense)
{
    const auto a = matrix_on(reference_executor(), laplace_2d<double>(2));
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const Stop wrong[] = {{.max_iterations = -1},       {.relative_residual = -1}, {.relative_residual = nan},
                          {.absolute_residual = -1},    {.max_seconds = -1},       {.divergence = -1},
                          {.stagnation_iterations = -1}};
    for (const auto& stop : wrong) {
        for (const auto method : all_methods) {
            EXPECT_THROW(make_solver<double>(method, a, {.stop = stop}), InvalidParameter);
        }
    }
}

}  // namespace
}  // namespace linden::test
