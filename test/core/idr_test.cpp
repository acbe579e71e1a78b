// needs: double int32
#include <linden/solver/idr.hpp>

#include <linden/error.hpp>
#include <linden/preconditioner/jacobi.hpp>

#include "test/support/built_types.hpp"
#include "test/support/solvers.hpp"

namespace linden::test {
namespace {

/// Diagonally dominant, nonsymmetric, all eigenvalues different.
template <class V>
TestCsr<V> random_dominant(size_type n)
{
    Random random(17);
    std::vector<std::vector<V>> rows(static_cast<std::size_t>(n), std::vector<V>(static_cast<std::size_t>(n)));
    for (std::size_t i = 0; i < rows.size(); ++i) {
        for (auto& value : rows[i]) {
            value = random.value<V>();
        }
        rows[i][i] += V{static_cast<real_t<V>>(4 + i)};
    }
    return csr_from_rows(rows);
}

template <class V>
SolveResult solve(const Executor& exec, const TestCsr<V>& a, const Dense<V>& b, Dense<V>& x,
                  const typename Idr<V>::Parameters& parameters)
{
    x = Dense<V>::filled(exec, b.size(), V{});
    return Idr<V>::factory(parameters).generate(matrix_on(exec, a))->solve(b, x, {.history = true});
}

/// The dimension of the spaces G_j falls by s with s + 1 products. [VanGijzenSonneveld11]
TEST(IdrTest, EndsWithinNPlusNOverSProducts)
{
    on_each_executor([](const Executor& exec) {
        constexpr size_type n = 12;
        const auto a = random_dominant<double>(n);
        Random random(3);
        const auto b = random_dense<double>(random, exec, {n, 2});
        for (const size_type s : {1, 4, 6, 40}) {
            SCOPED_TRACE(s);
            Dense<double> x(exec, {});
            const auto result = solve(exec, a, b, x, {.stop = {.relative_residual = 1e-10}, .s = s});
            EXPECT_TRUE(result.converged()) << result.reason();
            EXPECT_LE(result.iterations(), n + n / std::min(s, n));
            for (size_type col = 0; col < 2; ++col) {
                EXPECT_LE(true_residual(a, b, x, col), 1e-9);
                const auto last = result.columns[static_cast<std::size_t>(col)].iterations;
                EXPECT_NEAR(result.history[static_cast<std::size_t>(last)][static_cast<std::size_t>(col)],
                            true_residual(a, b, x, col), 1e-12);
            }
        }
    });
}

/// IDR(1) has BiCGStab's polynomials with another shadow vector, and IDR(4) comes closer to GMRES.
TEST(IdrTest, ProductsLieBetweenThoseOfGmresAndBiCgStab)
{
    on_each_executor([](const Executor& exec) {
        const auto a = laplace_2d<double>(16, 1);
        const Stop stop{.relative_residual = 1e-8};
        const auto b = Dense<double>::filled(exec, {16 * 16, 1}, 1);
        const auto products = [&](Method method) {
            auto x = Dense<double>::filled(exec, b.size(), 0);
            const auto n = make_solver<double>(method, matrix_on(exec, a), {.stop = stop, .krylov_dim = 200})
                               ->solve(b, x)
                               .iterations();
            return static_cast<double>(method == Method::bicgstab ? 2 * n : n);
        };
        Dense<double> x(exec, {});
        const auto one = static_cast<double>(solve(exec, a, b, x, {.stop = stop, .s = 1, .kappa = 0}).iterations());
        const auto four = static_cast<double>(solve(exec, a, b, x, {.stop = stop}).iterations());
        EXPECT_NEAR(one / products(Method::bicgstab), 1, 0.3);
        EXPECT_LE(four, 1.05 * one);
        EXPECT_GE(four, products(Method::gmres));
    });
}

/// The same residuals on every executor, since the shadow space is the same.
TEST(IdrTest, SameResidualsEverywhereAndForOneColumnOrSeveral)
{
    const auto a = laplace_2d<double>(10, 2);
    const auto& reference = reference_executor();
    Random random(5);
    const auto b = random_dense<double>(random, reference, {100, 3});
    const Idr<double>::Parameters parameters{.stop = {.relative_residual = 1e-8},
                                             .preconditioner = Jacobi<double>::factory()};
    Dense<double> x(reference, {});
    const auto expected = solve(reference, a, b, x, parameters);
    ASSERT_TRUE(expected.converged());
    on_each_executor([&](const Executor& exec) {
        std::vector<double> first;
        for (std::size_t i = 0; i < 100; ++i) {
            first.push_back(b.to_host()[3 * i]);
        }
        Dense<double> y(exec, {});
        const auto alone = solve(exec, a, Dense<double>::vector(exec, first), y, parameters);
        for (std::size_t i = 0; i < 20; ++i) {
            EXPECT_NEAR(alone.history[i][0] / expected.history[i][0], 1, 1e-6) << i;
        }
    });
}

/// t^H r = 0 for every r, where minimal residuals stand still and BiCGStab breaks down.
TEST(IdrTest, SkewMatrixNeedsKappa)
{
    on_each_executor([](const Executor& exec) {
        const auto a = csr_from_rows<double>({{0, 1, 0, 0}, {-1, 0, 2, 0}, {0, -2, 0, 3}, {0, 0, -3, 0}});
        const auto b = Dense<double>::vector(exec, {1, 2, 3, 5});
        Dense<double> x(exec, {});
        EXPECT_TRUE(solve(exec, a, b, x, {.stop = {.relative_residual = 1e-9}, .s = 1}).converged());
        EXPECT_LE(true_residual(a, b, x), 1e-8);
        const auto minimal =
            solve(exec, a, b, x, {.stop = {.max_iterations = 50, .relative_residual = 1e-9}, .s = 1, .kappa = 0});
        EXPECT_FALSE(minimal.converged());  // where rounding hides that t^H r = 0, steps lead nowhere
    });
}

TEST(IdrTest, SingularMatrixBreaksDown)
{
    on_each_executor([](const Executor& exec) {
        const auto b = Dense<double>::vector(exec, {0, 1});
        Dense<double> x(exec, {});
        const auto result = solve(exec, csr_from_rows<double>({{1, 0}, {0, 0}}), b, x, {});
        EXPECT_EQ(result.status(), SolveStatus::breakdown);
        EXPECT_EQ(x.to_host(), (std::vector<double>{0, 0}));
    });
}

TEST(IdrTest, ComplexSystemsWithPreconditioner)
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
                {.stop = {.max_iterations = 100, .relative_residual = 1e-5}, .preconditioner = Jacobi<C>::factory()});
            EXPECT_TRUE(result.converged()) << result.reason();
            EXPECT_LE(true_residual(a, b, x), 1e-3);
        });
    });
}

TEST(IdrTest, RejectsWrongParameters)
{
    const auto make = [](const Idr<double>::Parameters& parameters) {
        return Idr<double>::factory(parameters).generate(matrix_on(reference_executor(), laplace_2d<double>(2)));
    };
    EXPECT_THROW(make({.s = 0}), InvalidParameter);
    EXPECT_THROW(make({.kappa = 1}), InvalidParameter);
    EXPECT_THROW(make({.kappa = -0.1}), InvalidParameter);
}

}  // namespace
}  // namespace linden::test
