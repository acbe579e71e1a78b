// needs: double int32
#include <linden/solver/minres.hpp>

#include "test/support/kernel_cases.hpp"
#include "test/support/solvers.hpp"

namespace linden::test {
namespace {

struct Solved {
    SolveResult result;
    std::vector<double> x;
};

Solved solve(const Executor& exec, const TestCsr<double>& a, const std::vector<double>& b,
             const Minres<double>::Parameters& parameters)
{
    auto x = Dense<double>::filled(exec, {a.size.rows, 1}, 0);
    auto result = Minres<double>::factory(parameters)
                      .generate(matrix_on(exec, a))
                      ->solve(Dense<double>::vector(exec, b), x, {.history = true});
    return {std::move(result), x.to_host()};
}

/// x_i := b_i / d_i
FactoryPtr<double> dividing_by(const std::vector<double>& d)
{
    return host_preconditioner<double>([d](const Dense<double>& b, Dense<double>& x) {
        auto values = b.to_host();
        for (std::size_t i = 0; i < values.size(); ++i) {
            values[i] /= d[i];
        }
        copy_bytes(Executor::reference(), values.data(), x.executor(), x.data(), values.size() * sizeof(double));
    });
}

/// -Laplace - 1.5 I has eigenvalues of both signs.
TestCsr<double> indefinite(size_type n)
{
    auto a = laplace_2d<double>(n);
    for (std::size_t row = 0; row + 1 < a.row_ptrs.size(); ++row) {
        for (auto k = static_cast<std::size_t>(a.row_ptrs[row]); k < static_cast<std::size_t>(a.row_ptrs[row + 1]);
             ++k) {
            a.values[k] -= static_cast<std::size_t>(a.col_idxs[k]) == row ? 1.5 : 0;
        }
    }
    return a;
}

TEST(MinresTest, ConvergesInAsManyStepsAsThereAreEigenvalues)
{
    on_each_executor([](const Executor& exec) {
        std::vector<double> d(60), expected(60);
        const double eigenvalues[] = {-2, 1, 4, -0.5};
        for (std::size_t i = 0; i < d.size(); ++i) {
            d[i] = eigenvalues[i % 4];
            expected[i] = 1 / d[i];
        }
        const auto [result, x] =
            solve(exec, diagonal_csr(d), std::vector<double>(60, 1), {.stop = {.relative_residual = 1e-12}});
        EXPECT_TRUE(result.converged()) << result.reason();
        EXPECT_EQ(result.iterations(), 4);
        expect_near(x, expected, 1e4);
    });
}

/// The first step along A's off-diagonal goes nowhere: delta = 0, and the residual stays.
TEST(MinresTest, TwoStepsByHand)
{
    on_each_executor([](const Executor& exec) {
        const auto [result, x] = solve(exec, csr_from_rows<double>({{0, 2}, {2, 0}}), {3, 0}, {});
        EXPECT_TRUE(result.converged());
        ASSERT_EQ(result.iterations(), 2);
        EXPECT_EQ(result.history[1][0], 3);
        expect_near(x, {0, 1.5}, 8);
    });
}

TEST(MinresTest, HasTheResidualsOfGmresWithoutRestarts)
{
    on_each_executor([](const Executor& exec) {
        const auto a = indefinite(6);
        std::vector<double> b(36);
        for (std::size_t i = 0; i < b.size(); ++i) {
            b[i] = std::sin(static_cast<double>(i * i));
        }
        const Stop stop{.relative_residual = 1e-9};
        const auto minres = solve(exec, a, b, {.stop = stop}).result;
        auto x = Dense<double>::filled(exec, {36, 1}, 0);
        const auto gmres = Gmres<double>::factory({.stop = stop, .krylov_dim = 36})
                               .generate(matrix_on(exec, a))
                               ->solve(Dense<double>::vector(exec, b), x, {.history = true});
        EXPECT_TRUE(minres.converged());
        EXPECT_NEAR(static_cast<double>(minres.iterations()), static_cast<double>(gmres.iterations()), 1);
        for (std::size_t j = 0; j < std::min(minres.history.size(), gmres.history.size()); ++j) {
            EXPECT_NEAR(minres.history[j][0], gmres.history[j][0], 1e-7 * gmres.history[0][0]) << j;
            EXPECT_LE(minres.history[j][0], minres.history[j == 0 ? 0 : j - 1][0]);
        }
    });
}

TEST(MinresTest, SolvesConsistentSingularSystems)
{
    on_each_executor([](const Executor& exec) {
        const auto [result, x] = solve(exec, diagonal_csr<double>({1, -2, 0, 3}), {1, -2, 0, 6}, {});
        EXPECT_TRUE(result.converged());
        EXPECT_LE(result.iterations(), 3);
        expect_near(x, {1, 1, 0, 2}, 64);
    });
}

/// The part of b outside of the range of A stays; the rest is solved for.
TEST(MinresTest, InconsistentSystemsEndWithALeastSquaresSolution)
{
    on_each_executor([](const Executor& exec) {
        const auto [result, x] = solve(exec, diagonal_csr<double>({1, -2, 0, 3}), {1, -2, 5, 6}, {});
        EXPECT_EQ(result.status(), SolveStatus::stagnated);
        EXPECT_LE(result.iterations(), 5);
        EXPECT_NEAR(result.columns[0].residual, 5, 1e-12);
        expect_near(std::vector<double>{x[0], x[1], x[3]}, {1, 1, 2}, 1e4);
        EXPECT_EQ(solve(exec, diagonal_csr<double>({0, 0}), {1, 2}, {}).result.status(), SolveStatus::stagnated);
    });
}

/// With M = |A| the preconditioned matrix has the eigenvalues 1 and -1.
TEST(MinresTest, PreconditionedResidualsAreThoseOfTheSystem)
{
    on_each_executor([](const Executor& exec) {
        const std::vector<double> d{3, -5, 7, -11, 13}, b{1, 2, 3, 4, 5};
        const Stop stop{.relative_residual = 1e-12};
        const auto exact =
            solve(exec, diagonal_csr(d), b, {.stop = stop, .preconditioner = dividing_by({3, 5, 7, 11, 13})});
        EXPECT_TRUE(exact.result.converged());
        EXPECT_EQ(exact.result.iterations(), 2);

        // The recurrence of r gives ||b - A x|| in each iteration, of an x that a limit leaves there.
        const auto a = indefinite(6);
        std::vector<double> scales(36), rhs(36);
        for (std::size_t i = 0; i < scales.size(); ++i) {
            scales[i] = 1 + static_cast<double>(i % 5);
            rhs[i] = std::cos(static_cast<double>(3 * i));
        }
        for (const size_type limit : {1, 5, 12}) {
            const auto result =
                solve(exec, a, rhs, {.stop = {.max_iterations = limit}, .preconditioner = dividing_by(scales)}).result;
            EXPECT_EQ(result.iterations(), limit);
            EXPECT_NEAR(result.history[static_cast<std::size_t>(limit)][0], result.columns[0].residual, 1e-11);
        }
        EXPECT_TRUE(solve(exec, a, rhs, {.preconditioner = dividing_by(scales)}).result.converged());
    });
}

TEST(MinresTest, IndefinitePreconditionersBreakDown)
{
    on_each_executor([](const Executor& exec) {
        const auto a = diagonal_csr<double>({1, 2, 3});
        // r^H M^-1 r < 0 at once, and in the first step
        const auto first = solve(exec, a, {1, 1, 1}, {.preconditioner = dividing_by({-1, -1, -1})});
        EXPECT_EQ(first.result.status(), SolveStatus::breakdown);
        EXPECT_EQ(first.result.iterations(), 0);
        EXPECT_EQ(first.x, (std::vector<double>{0, 0, 0}));
        const auto later = solve(exec, a, {4, 1, 1}, {.preconditioner = dividing_by({1, 1, -1})});
        EXPECT_EQ(later.result.status(), SolveStatus::breakdown);
        EXPECT_THROW(solve(exec, csr_from_rows<double>({{1, 2, 3}, {4, 5, 6}}), {1, 1}, {}), DimensionMismatch);
    });
}

template <class V>
class MinresOfType : public testing::Test {
};
TYPED_TEST_SUITE(MinresOfType, TestedValues, TypeNames);

/// [1 i; -i -1], or with 1 for i: eigenvalues sqrt(2) and -sqrt(2), A^2 = 2 I. Columns that end at different times.
TYPED_TEST(MinresOfType, SolvesHermitianSystemsOfSeveralColumns)
{
    using V = TypeParam;
    on_each_executor([](const Executor& exec) {
        const V i = is_complex<V> ? number<V>(0, 1) : V{1};
        const V minus_i = is_complex<V> ? number<V>(0, -1) : V{1};
        const auto a = csr_from_rows<V>({{V{1}, i}, {minus_i, V{-1}}});
        // A (1, 1), 0, A (2, 0)
        const auto b = block_on<V>(exec, {2, 3}, {V{1} + i, V{0}, V{2}, minus_i - V{1}, V{0}, V{2} * minus_i});
        auto x = Dense<V>::filled(exec, {2, 3}, V{0});
        const auto result = Minres<V>::factory({.stop = {.relative_residual = 1e3 * eps<V>}})
                                .generate(matrix_on(exec, a))
                                ->solve(b, x, {.history = true});
        EXPECT_TRUE(result.converged()) << result.reason();
        EXPECT_EQ(result.columns[1].iterations, 0);
        EXPECT_EQ(result.iterations(), 2);
        expect_near(x.to_host(), {V{1}, V{0}, V{2}, V{1}, V{0}, V{0}}, 64);
    });
}

}  // namespace
}  // namespace linden::test
