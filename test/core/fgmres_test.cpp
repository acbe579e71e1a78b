// needs: double int32
#include "test/support/naive_gmres.hpp"
#include "test/support/solvers.hpp"

namespace linden::test {
namespace {

constexpr size_type grid = 40;

/// The inner solver of the tests: GMRES(8) to 0.3 of the residual, which is a different operator at each application.
GmresParameters<double> inner_parameters()
{
    return {.stop = {.max_iterations = 8, .relative_residual = 0.3}, .krylov_dim = 8};
}

std::vector<double> apply_inner(const Solver<double>& inner, const std::vector<double>& v)
{
    const auto& exec = inner.executor();
    auto x = Dense<double>::filled(exec, {static_cast<size_type>(v.size()), 1}, 0);
    inner.apply(Dense<double>::vector(exec, v), x);
    return x.to_host();
}

/// An inner solver as preconditioner, on a convection-diffusion problem of 1600 unknowns, to 1e-10. A method that at
/// restarts corrects x with M^-1 (V y) in place of Z y takes 184 to 249 iterations with restarts, or does not arrive.
TEST(FgmresTest, InnerSolverWithRestarts)
{
    on_each_executor([](const Executor& exec) {
        const auto a = laplace_2d<double>(grid, 3);
        const auto matrix = matrix_on(exec, a);
        const std::vector<double> rhs(grid * grid, 1);
        const auto b = Dense<double>::vector(exec, rhs);
        const auto inner = Gmres<double>::factory(inner_parameters()).generate(matrix);
        size_type unrestarted = 0;
        for (const size_type m : {100, 10, 5}) {
            SCOPED_TRACE(m);
            const auto expected = naive_fgmres(a, rhs, static_cast<std::size_t>(m), 1e-10 * grid, 200,
                                               [&](const std::vector<double>& v) { return apply_inner(*inner, v); });
            ASSERT_TRUE(expected.converged);
            const auto solver = Fgmres<double>::factory({.stop = {.max_iterations = 200, .relative_residual = 1e-10},
                                                         .preconditioner = Gmres<double>::factory(inner_parameters()),
                                                         .krylov_dim = m})
                                    .generate(matrix);
            auto x = Dense<double>::filled(exec, {grid * grid, 1}, 0);
            const auto result = solver->solve(b, x);
            EXPECT_TRUE(result.converged()) << result.reason();
            EXPECT_LE(true_residual(a, b, x), 1.001e-10 * grid);
            EXPECT_NEAR(static_cast<double>(result.iterations()), static_cast<double>(expected.iterations), 2);
            unrestarted = m == 100 ? result.iterations() : unrestarted;
            EXPECT_LE(result.iterations(), 2 * unrestarted);
        }
    });
}

/// The accuracy of the inner solver changes grossly from one application to the next.
TEST(FgmresTest, InnerAccuracyThatAlternates)
{
    on_each_executor([](const Executor& exec) {
        const auto a = laplace_2d<double>(grid);
        const auto matrix = matrix_on(exec, a);
        const auto coarse = std::shared_ptr<Solver<double>>(
            make_solver<double>(Method::cg, matrix, {.stop = {.max_iterations = 2, .relative_residual = 0.9}}));
        const auto fine = std::shared_ptr<Solver<double>>(
            make_solver<double>(Method::cg, matrix, {.stop = {.relative_residual = 1e-3}}));
        const auto calls = std::make_shared<int>(0);
        const auto alternating = [=](const Dense<double>& b, Dense<double>& x) {
            (*calls)++ % 3 == 2 ? fine->apply(b, x) : coarse->apply(b, x);
        };
        Random random(3);
        const auto b = random_dense<double>(random, exec, {grid * grid, 2});
        for (const size_type m : {4, 9}) {
            *calls = 0;
            auto x = Dense<double>::filled(exec, {grid * grid, 2}, 0);
            const auto solver = Fgmres<double>::factory({.stop = {.max_iterations = 60, .relative_residual = 1e-10},
                                                         .preconditioner = host_preconditioner<double>(alternating),
                                                         .krylov_dim = m})
                                    .generate(matrix);
            const auto result = solver->solve(b, x, {.history = true});
            ASSERT_TRUE(result.converged()) << result.reason();
            EXPECT_LE(result.iterations(), 30);
            for (std::size_t col = 0; col < 2; ++col) {
                EXPECT_LE(true_residual(a, b, x, static_cast<size_type>(col)), 1.001 * result.columns[col].tolerance);
                // The estimate at the end is the truth: nothing was lost at restarts.
                const auto last = static_cast<std::size_t>(result.columns[col].iterations);
                EXPECT_NEAR(result.history[last][col], true_residual(a, b, x, static_cast<size_type>(col)), 1e-12);
            }
        }
    });
}

TEST(FgmresTest, AgreesWithGmresUnderAFixedPreconditioner)
{
    on_each_executor([](const Executor& exec) {
        const auto a = laplace_2d<double>(15, 2);
        const auto halve_some = [](const Dense<double>& b, Dense<double>& x) {
            auto values = b.to_host();
            for (std::size_t i = 0; i < values.size(); i += 2) {
                values[i] /= 2;
            }
            copy_bytes(Executor::reference(), values.data(), x.executor(), x.data(), values.size() * sizeof(double));
        };
        const auto b = Dense<double>::filled(exec, {225, 2}, 1);
        std::vector<SolveResult> results;
        std::vector<Dense<double>> xs;
        for (const auto method : {Method::gmres, Method::fgmres}) {
            xs.push_back(Dense<double>::filled(exec, {225, 2}, 0));
            results.push_back(make_solver<double>(method, matrix_on(exec, a),
                                                  {.stop = {.relative_residual = 1e-9},
                                                   .preconditioner = host_preconditioner<double>(halve_some),
                                                   .krylov_dim = 8})
                                  ->solve(b, xs.back(), {.history = true}));
            EXPECT_TRUE(results.back().converged());
        }
        EXPECT_EQ(results[0].iterations(), results[1].iterations());
        expect_near(xs[0], xs[1], 1e5);
    });
}

TEST(FgmresTest, EveryMethodServesAsInnerSolver)
{
    on_each_executor([](const Executor& exec) {
        const auto matrix = matrix_on(exec, laplace_2d<double>(20));
        const Stop stop{.max_iterations = 6, .relative_residual = 0.1};
        const std::vector<FactoryPtr<double>> inner{
            Cg<double>::factory({.stop = stop}), Cg<double>::factory({.stop = stop, .single_reduction = true}),
            BiCgStab<double>::factory({.stop = stop}), Gmres<double>::factory({.stop = stop}),
            Fgmres<double>::factory({.stop = stop, .preconditioner = Cg<double>::factory({.stop = stop})})};
        const auto b = Dense<double>::filled(exec, {400, 3}, 1);
        for (const auto& preconditioner : inner) {
            auto x = Dense<double>::filled(exec, {400, 3}, 0);
            const auto result =
                Fgmres<double>::factory({.stop = {.relative_residual = 1e-9}, .preconditioner = preconditioner})
                    .generate(matrix)
                    ->solve(b, x);
            EXPECT_TRUE(result.converged()) << result.reason();
            EXPECT_LE(result.iterations(), 25);
        }
    });
}

/// No z_j is kept then: what a delayed second pass does to v_j is in A v_j, too.
TEST(FgmresTest, IsGmresWithoutAPreconditioner)
{
    on_each_executor([](const Executor& exec) {
        const auto a = matrix_on(exec, laplace_2d<double>(20, 3));
        const auto b = Dense<double>::filled(exec, {400, 1}, 1);
        for (const auto way : {Orthogonalization::immediate, Orthogonalization::delayed}) {
            const GmresParameters<double> parameters{.stop = {.relative_residual = 1e-10}, .orthogonalization = way};
            auto x = Dense<double>::filled(exec, {400, 1}, 0), y = Dense<double>::filled(exec, {400, 1}, 0);
            const auto expected = Gmres<double>::factory(parameters).generate(a)->solve(b, x);
            const auto result = Fgmres<double>::factory(parameters).generate(a)->solve(b, y);
            EXPECT_EQ(result.iterations(), expected.iterations());
            EXPECT_EQ(y.to_host(), x.to_host());
        }
    });
}

TEST(FgmresTest, UpdateValuesReachesTheInnerSolver)
{
    on_each_executor([](const Executor& exec) {
        const auto a = laplace_2d<double>(12);
        auto scaled = a;
        for (auto& value : scaled.values) {
            value *= 1e4;
        }
        const auto solver =
            Fgmres<double>::factory({.stop = {.relative_residual = 1e-9},
                                     .preconditioner = Cg<double>::factory({.stop = {.relative_residual = 1e-11}})})
                .generate(matrix_on(exec, a));
        solver->update_values(matrix_on(exec, scaled));
        const auto b = Dense<double>::filled(exec, {144, 1}, 1);
        auto x = Dense<double>::filled(exec, {144, 1}, 0);
        const auto result = solver->solve(b, x, {.max_iterations = 1});
        EXPECT_TRUE(result.converged());  // in one step: the inner solver solves the new system
        const auto* inner = dynamic_cast<const Solver<double>*>(solver->preconditioner().get());
        ASSERT_NE(inner, nullptr);
        auto y = Dense<double>::filled(exec, {144, 1}, 0);
        inner->solve(b, y);
        EXPECT_LE(true_residual(scaled, b, y), 1e-9 * 12);
    });
}

}  // namespace
}  // namespace linden::test
