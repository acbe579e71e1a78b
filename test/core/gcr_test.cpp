// needs: double int32
#include <linden/solver/gcr.hpp>

#include "test/support/solvers.hpp"

namespace linden::test {
namespace {

std::vector<double> wavy(size_type n)
{
    std::vector<double> b(static_cast<std::size_t>(n));
    for (std::size_t i = 0; i < b.size(); ++i) {
        b[i] = std::sin(static_cast<double>(i * i));
    }
    return b;
}

template <class Op>
SolveResult solve(const Executor& exec, const TestCsr<double>& a, const typename Op::Parameters& parameters)
{
    auto x = Dense<double>::filled(exec, {a.size.rows, 1}, 0);
    return Op::factory(parameters)
        .generate(matrix_on(exec, a))
        ->solve(Dense<double>::vector(exec, wavy(a.size.rows)), x, {.history = true});
}

void expect_same_history(const SolveResult& actual, const SolveResult& expected, double tolerance)
{
    EXPECT_TRUE(actual.converged()) << actual.reason();
    EXPECT_NEAR(static_cast<double>(actual.iterations()), static_cast<double>(expected.iterations()), 1);
    for (std::size_t j = 0; j < std::min(actual.history.size(), expected.history.size()); ++j) {
        EXPECT_NEAR(actual.history[j][0], expected.history[j][0], tolerance * expected.history[0][0]) << j;
    }
}

/// Both minimise over the same space, with and without restarts.
TEST(GcrTest, HasTheResidualsOfGmres)
{
    on_each_executor([](const Executor& exec) {
        const auto a = laplace_2d<double>(6, 2);
        const Stop stop{.relative_residual = 1e-8};
        for (const size_type m : {36, 6, 2}) {
            SCOPED_TRACE(m);
            const auto gmres = solve<Gmres<double>>(exec, a, {.stop = stop, .krylov_dim = m});
            expect_same_history(solve<Gcr<double>>(exec, a, {.stop = stop, .directions = m}), gmres, 1e-7);
        }
    });
}

/// For symmetric matrices one direction is enough: the method of conjugate residuals.
TEST(GcrTest, OneDirectionIsEnoughForSymmetricMatrices)
{
    on_each_executor([](const Executor& exec) {
        const auto a = laplace_2d<double>(6);
        const Stop stop{.relative_residual = 1e-8};
        const auto gmres = solve<Gmres<double>>(exec, a, {.stop = stop, .krylov_dim = 36});
        for (const size_type m : {1, 3}) {
            expect_same_history(solve<Gcr<double>>(exec, a, {.stop = stop, .directions = m, .truncated = true}), gmres,
                                1e-6);
        }
    });
}

TEST(GcrTest, InnerSolversAndSeveralColumns)
{
    on_each_executor([](const Executor& exec) {
        const auto a = laplace_2d<double>(9, 2);
        Random random(3);
        const auto b = random_dense<double>(random, exec, {81, 3});
        for (const bool truncated : {false, true}) {
            auto x = Dense<double>::filled(exec, {81, 3}, 0);
            const auto result = Gcr<double>::factory({.stop = {.max_iterations = 60, .relative_residual = 1e-10},
                                                      .preconditioner = BiCgStab<double>::factory(
                                                          {.stop = {.max_iterations = 3, .relative_residual = 0.1}}),
                                                      .directions = 8,
                                                      .truncated = truncated})
                                    .generate(matrix_on(exec, a))
                                    ->solve(b, x, {.history = true});
            EXPECT_TRUE(result.converged()) << result.reason();
            EXPECT_LE(result.iterations(), 25);
            for (std::size_t col = 0; col < 3; ++col) {
                const auto last = static_cast<std::size_t>(result.columns[col].iterations);
                EXPECT_LE(true_residual(a, b, x, static_cast<size_type>(col)), 1.001 * result.columns[col].tolerance);
                EXPECT_NEAR(result.history[last][col], result.columns[col].residual, 1e-11);
            }
        }
    });
}

/// x is current in each iteration, also within a cycle.
TEST(GcrTest, StopsAnywhereInACycle)
{
    on_each_executor([](const Executor& exec) {
        for (const size_type limit : {1, 4, 9}) {
            const auto result =
                solve<Gcr<double>>(exec, laplace_2d<double>(7, 2),
                                   {.stop = {.max_iterations = limit, .relative_residual = 1e-12}, .directions = 6});
            EXPECT_EQ(result.status(), SolveStatus::max_iterations);
            EXPECT_EQ(result.iterations(), limit);
            EXPECT_NEAR(result.history[static_cast<std::size_t>(limit)][0], result.columns[0].residual, 1e-13);
        }
    });
}

TEST(GcrTest, SkewMatricesBreakDown)
{
    on_each_executor([](const Executor& exec) {
        auto x = Dense<double>::filled(exec, {2, 1}, 0);
        const auto solver = Gcr<double>::factory().generate(matrix_on(exec, csr_from_rows<double>({{0, 1}, {-1, 0}})));
        EXPECT_EQ(solver->solve(Dense<double>::vector(exec, {1, 2}), x).status(), SolveStatus::breakdown);
        EXPECT_EQ(x.to_host(), (std::vector<double>{0, 0}));
    });
    EXPECT_THROW(
        Gcr<double>::factory({.directions = 0}).generate(matrix_on(reference_executor(), diagonal_csr<double>({1, 2}))),
        InvalidParameter);
}

}  // namespace
}  // namespace linden::test
