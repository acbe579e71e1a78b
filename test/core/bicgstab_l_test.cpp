// needs: double int32
#include <linden/solver/bicgstab_l.hpp>

#include <linden/error.hpp>
#include <linden/preconditioner/jacobi.hpp>

#include "test/support/built_types.hpp"
#include "test/support/solvers.hpp"

namespace linden::test {
namespace {

template <class V>
SolveResult solve(const Executor& exec, const TestCsr<V>& a, const Dense<V>& b, Dense<V>& x,
                  const typename BiCgStabL<V>::Parameters& parameters)
{
    x = Dense<V>::filled(exec, b.size(), V{});
    return BiCgStabL<V>::factory(parameters).generate(matrix_on(exec, a))->solve(b, x, {.history = true});
}

/// The same method by other formulas: until rounding separates them, the same residuals.
TEST(BicgstabLTest, OneDirectionIsBiCgStab)
{
    on_each_executor([](const Executor& exec) {
        const auto a = laplace_2d<double>(12, 2);
        Random random(4);
        const auto b = random_dense<double>(random, exec, {144, 2});
        for (const auto& m : {FactoryPtr<double>{}, FactoryPtr<double>(Jacobi<double>::factory())}) {
            const Stop stop{.max_iterations = 12, .relative_residual = 0};
            auto y = Dense<double>::filled(exec, b.size(), 0);
            const auto expected =
                make_solver<double>(Method::bicgstab, matrix_on(exec, a), {.stop = stop, .preconditioner = m})
                    ->solve(b, y, {.history = true});
            Dense<double> x(exec, {});
            const auto result = solve(exec, a, b, x, {.stop = stop, .preconditioner = m, .l = 1});
            for (std::size_t i = 0; i <= 12; ++i) {
                for (std::size_t col = 0; col < 2; ++col) {
                    EXPECT_NEAR(result.history[i][col] / expected.history[i][col], 1, 1e-8) << i;
                }
            }
            expect_near(x, y, 1e6);
        }
    });
}

/// I / 10 plus a skew part: eigenvalues 1/10 + i y, where one direction after the other reduces nothing.
TEST(BicgstabLTest, TwoDirectionsForImaginarySpectra)
{
    on_each_executor([](const Executor& exec) {
        constexpr size_type n = 100;
        std::vector<std::vector<double>> rows(n, std::vector<double>(n));
        for (std::size_t i = 0; i < n; ++i) {
            rows[i][i] = 0.1;
            if (i + 1 < n) {
                rows[i][i + 1] = 1;
                rows[i + 1][i] = -1;
            }
        }
        const auto a = csr_from_rows(rows);
        const auto b = Dense<double>::filled(exec, {n, 1}, 1);
        const Stop stop{.max_iterations = 200, .relative_residual = 1e-8};
        Dense<double> x(exec, {});
        const auto two = solve(exec, a, b, x, {.stop = stop});
        EXPECT_TRUE(two.converged()) << two.reason();
        EXPECT_LE(true_residual(a, b, x), 1.001e-7);
        const auto one =
            solve(exec, a, b, x, {.stop = {.max_iterations = 3 * two.iterations(), .relative_residual = 1e-8}, .l = 1});
        EXPECT_FALSE(one.converged());
        const auto four = solve(exec, a, b, x, {.stop = stop, .l = 4});
        EXPECT_TRUE(four.converged());
        EXPECT_LE(4 * four.iterations(), 3 * two.iterations());
    });
}

/// In exact arithmetic n products with u and n with r suffice, however they are grouped.
TEST(BicgstabLTest, EndsWithinNStepsOfBiCg)
{
    on_each_executor([](const Executor& exec) {
        const auto a = csr_from_rows<double>(
            {{4, 1, 0, 0, 1}, {0, 3, 1, 0, 0}, {-1, 0, 5, 1, 0}, {0, 2, 0, 6, 1}, {1, 0, 0, -1, 2}});
        const auto b = Dense<double>::vector(exec, {1, -2, 3, 1, 1});
        for (const size_type l : {1, 2, 3, 5, 8}) {
            SCOPED_TRACE(l);
            Dense<double> x(exec, {});
            const auto result = solve(exec, a, b, x, {.stop = {.relative_residual = 1e-9}, .l = l});
            EXPECT_TRUE(result.converged()) << result.reason();
            EXPECT_LE(result.iterations(), (5 + l - 1) / l);
            EXPECT_LE(true_residual(a, b, x), 1e-8);
        }
    });
}

/// b is an eigenvector: the first step of BiCG solves the system, and the second one has nothing left.
TEST(BicgstabLTest, SolutionWithinACycle)
{
    on_each_executor([](const Executor& exec) {
        Dense<double> x(exec, {});
        const auto result = solve(exec, diagonal_csr<double>({2, 2, 2}), Dense<double>::vector(exec, {2, 4, 6}), x, {});
        EXPECT_TRUE(result.converged()) << result.reason();
        EXPECT_EQ(result.iterations(), 1);
        EXPECT_EQ(x.to_host(), (std::vector<double>{1, 2, 3}));
    });
}

TEST(BicgstabLTest, OrthogonalShadowBreaksDown)
{
    on_each_executor([](const Executor& exec) {
        Dense<double> x(exec, {});
        const auto result =
            solve(exec, csr_from_rows<double>({{0, 1}, {-1, 0}}), Dense<double>::vector(exec, {1, 0}), x, {});
        EXPECT_EQ(result.status(), SolveStatus::breakdown);
        EXPECT_EQ(x.to_host(), (std::vector<double>{0, 0}));
    });
}

TEST(BicgstabLTest, ComplexSystemsWithPreconditioner)
{
    where_built<std::complex<float>>([]<class C>() {
        on_each_executor([](const Executor& exec) {
            auto a = laplace_2d<C>(10, 1);
            for (auto& value : a.values) {
                value *= C(0.6f, 0.8f);
            }
            Random random(2);
            const auto b = random_dense<C>(random, exec, {100, 2});
            Dense<C> x(exec, {});
            const auto result = solve(
                exec, a, b, x,
                {.stop = {.max_iterations = 50, .relative_residual = 1e-5}, .preconditioner = Jacobi<C>::factory()});
            EXPECT_TRUE(result.converged()) << result.reason();
            EXPECT_LE(true_residual(a, b, x, 1), 1e-3);
        });
    });
}

TEST(BicgstabLTest, RejectsWrongParameters)
{
    for (const size_type l : {0, 17}) {
        EXPECT_THROW(
            BiCgStabL<double>::factory({.l = l}).generate(matrix_on(reference_executor(), laplace_2d<double>(2))),
            InvalidParameter);
    }
}

}  // namespace
}  // namespace linden::test
