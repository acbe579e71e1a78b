// needs: double int32
#include <linden/io/problems.hpp>
#include <linden/preconditioner/jacobi.hpp>
#include <linden/ritz.hpp>
#include <linden/solver/deflated_cg.hpp>

#include <linden/error.hpp>

#include <numbers>

#include "core/spectrum/tridiagonal.hpp"
#include "test/support/solvers.hpp"

/// Ritz vectors, and what they are good for.
namespace linden::test {
namespace {

using linden::detail::eigen_pairs;
using linden::detail::Tridiagonal;

using I = std::int32_t;

/// Q^T Q = I and T Q = Q diag(values), values in ascending order.
void expect_eigen_pairs(const Tridiagonal& t)
{
    const auto pairs = eigen_pairs(t);
    const std::size_t m = t.size();
    ASSERT_EQ(pairs.values.size(), m);
    EXPECT_TRUE(std::is_sorted(pairs.values.begin(), pairs.values.end()));
    const auto q = [&](std::size_t row, std::size_t j) { return pairs.vectors[row * m + j]; };
    for (std::size_t i = 0; i < m; ++i) {
        for (std::size_t j = 0; j < m; ++j) {
            double product = t.diagonal[i] * q(i, j), inner = 0;
            product += i > 0 ? t.beside[i - 1] * q(i - 1, j) : 0;
            product += i + 1 < m ? t.beside[i] * q(i + 1, j) : 0;
            for (std::size_t row = 0; row < m; ++row) {
                inner += q(row, i) * q(row, j);
            }
            ASSERT_NEAR(product, pairs.values[j] * q(i, j), 1e-12);
            ASSERT_NEAR(inner, i == j ? 1 : 0, 1e-12);
        }
    }
}

TEST(Tridiagonal, EigenPairsByHand)
{
    const auto pairs = eigen_pairs({{2, 2}, {-1}});
    EXPECT_NEAR(pairs.values[0], 1, 1e-15);
    EXPECT_NEAR(pairs.values[1], 3, 1e-15);
    EXPECT_NEAR(pairs.vectors[0] * pairs.vectors[2], 0.5, 1e-15);
    EXPECT_NEAR(pairs.vectors[1] * pairs.vectors[3], -0.5, 1e-15);
    EXPECT_TRUE(eigen_pairs({}).values.empty());
    EXPECT_EQ(eigen_pairs({{7}, {}}).values, std::vector<double>{7});
}

TEST(Tridiagonal, EigenPairsOfRandomMatrices)
{
    Random random(981);
    for (const std::size_t m : {1, 2, 3, 10, 65}) {
        Tridiagonal t;
        for (std::size_t i = 0; i < m; ++i) {
            t.diagonal.push_back(random.real(-1, 1));
            if (i > 0) {
                t.beside.push_back(i % 5 == 0 ? 0 : random.real(-1, 1));
            }
        }
        expect_eigen_pairs(t);
    }
    Tridiagonal laplacian{std::vector<double>(30, 2), std::vector<double>(29, -1)};
    expect_eigen_pairs(laplacian);
    EXPECT_NEAR(eigen_pairs(laplacian).values.back(), laplacian.largest_eigenvalue(), 1e-12);
}

/// diag(1, 2, 3, 4): all of the space after four steps, so the eigenvectors themselves.
TEST(Ritz, ByHand)
{
    on_each_executor([](const Executor& exec) {
        const Csr<double, I> a(exec, CsrData<double, I>{{4, 4}, {0, 1, 2, 3, 4}, {0, 1, 2, 3}, {1, 2, 3, 4}});
        const auto z = ritz_vectors<double>(a, nullptr, Dense<double>::filled(exec, {4, 1}, 1), 4, 2).to_host();
        ASSERT_EQ(z.size(), 8u);
        for (std::size_t i = 0; i < 8; ++i) {
            EXPECT_NEAR(std::abs(z[i]), i == 0 || i == 3 ? 1 : 0, 1e-13) << i;
        }
        // With M = A there is but one dimension.
        const Csr<double, I> m(exec,
                               CsrData<double, I>{{4, 4}, {0, 1, 2, 3, 4}, {0, 1, 2, 3}, {1, 1. / 2, 1. / 3, .25}});
        EXPECT_EQ(ritz_vectors<double>(a, &m, Dense<double>::filled(exec, {4, 1}, 1), 4, 2).size(), (Dim{4, 1}));
    });
}

/// Quotients z^H A z / z^H M z of the vectors are the smallest eigenvalues, M = diag(A).
TEST(Ritz, FindsSmallEigenvalues)
{
    for_each_value([]<class V>() {
        constexpr size_type n = 12;
        on_each_executor([](const Executor& exec) {
            Random random(982);
            const Csr<V, I> a(exec, laplace_2d<V>(n));
            const auto m = Jacobi<V>::factory().generate(matrix_on(exec, laplace_2d<V>(n)));
            const auto b = random_dense<V>(random, exec, {n * n, 1});
            const auto z = ritz_vectors<V>(a, m.get(), b, 60, 2);
            ASSERT_EQ(z.size(), (Dim{n * n, 2}));
            Dense<V> az(exec, z.size());
            a.apply(z, az);
            const auto energy = z.dot(az), size = z.dot(z);
            const auto eigenvalue = [](size_type i) { return 2 - 2 * std::cos(std::numbers::pi * i / (n + 1)); };
            EXPECT_NEAR(std::abs(energy[0] / size[0]), 2 * eigenvalue(1), 1e-3);
            EXPECT_NEAR(std::abs(energy[1] / size[1]), eigenvalue(1) + eigenvalue(2), 1e-3);
        });
    });
}

/// Three right-hand sides, one after the other: what the first has found the others need not find again.
TEST(Ritz, ServesSequencesOfRightHandSides)
{
    on_each_executor([](const Executor& exec) {
        const auto a = std::make_shared<const Csr<double, I>>(exec, generate_problem<double, I>("bubbles:32:4:1000:1"));
        const auto n = a->size().rows;
        const auto factory = Jacobi<double>::factory();
        const auto m = factory.generate(a);
        const Stop stop{.relative_residual = 1e-8};
        Random random(983);
        const auto first = random_dense<double>(random, exec, {n, 1});
        const auto basis = std::make_shared<const Dense<double>>(ritz_vectors<double>(*a, m.get(), first, 120, 12));
        const auto plain = Cg<double>::factory({stop, factory}).generate(a);
        const auto deflated = DeflatedCg<double>::factory({stop, factory, {.basis = basis}}).generate(a);
        for (int i = 0; i < 3; ++i) {
            const auto b = random_dense<double>(random, exec, {n, 1});
            const auto count = [&](const Solver<double>& solver) {
                auto x = Dense<double>::filled(exec, {n, 1}, 0);
                const auto result = solver.solve(b, x);
                EXPECT_TRUE(result.converged()) << result.reason();
                return result.iterations();
            };
            EXPECT_LT(5 * count(*deflated), 3 * count(*plain));
        }
    });
}

TEST(Ritz, RefusesWhatDoesNotFit)
{
    on_each_executor([](const Executor& exec) {
        const Csr<double, I> a(exec, laplace_2d<double>(3));
        const auto b = Dense<double>::filled(exec, {9, 1}, 1);
        const auto two = Dense<double>::filled(exec, {9, 2}, 1);
        EXPECT_THROW(ritz_vectors<double>(a, nullptr, two, 4, 2), DimensionMismatch);
        EXPECT_THROW(ritz_vectors<double>(two, nullptr, b, 4, 2), DimensionMismatch);
        EXPECT_THROW(ritz_vectors<double>(a, &two, b, 4, 2), DimensionMismatch);
        EXPECT_THROW(ritz_vectors<double>(a, nullptr, b, 0, 1), InvalidParameter);
        EXPECT_THROW(ritz_vectors<double>(a, nullptr, b, 4, 0), InvalidParameter);
        EXPECT_THROW(ritz_vectors<double>(a, nullptr, b, 4, 5), InvalidParameter);
        const auto nothing = Dense<double>::filled(exec, {9, 1}, 0);
        EXPECT_EQ(ritz_vectors<double>(a, nullptr, nothing, 4, 2).size(), (Dim{9, 0}));
    });
}

}  // namespace
}  // namespace linden::test
