// needs: double int32
#include <linden/config/config.hpp>
#include <linden/error.hpp>
#include <linden/io/problems.hpp>
#include <linden/matrix/dense.hpp>
#include <linden/matrix/diagonal.hpp>
#include <linden/matrix/identity.hpp>
#include <linden/preconditioner/chebyshev.hpp>
#include <linden/preconditioner/jacobi.hpp>
#include <linden/solver/cg.hpp>

#include <cmath>
#include <limits>
#include <numbers>

#include "test/support/applied.hpp"
#include "test/support/compare.hpp"
#include "test/support/kernel_cases.hpp"
#include "test/support/matrices.hpp"
#include "test/support/pathological.hpp"
#include "test/support/problems.hpp"

namespace linden::test {
namespace {

using I = std::int32_t;
using Parameters = Chebyshev<double>::Parameters;
namespace p = pathological;

/// The Chebyshev polynomial T_degree(x), x >= -1.
double chebyshev_polynomial(size_type degree, double x)
{
    const auto n = static_cast<double>(degree);
    return std::abs(x) <= 1 ? std::cos(n * std::acos(x)) : std::cosh(n * std::acosh(x));
}

/// p(t), with 1 - t p(t) = T_k+1((theta - t) / delta) / T_k+1(theta / delta).
double inverse_polynomial(size_type degree, double lower, double upper, double t)
{
    const double theta = (upper + lower) / 2, delta = (upper - lower) / 2;
    return (1 -
            chebyshev_polynomial(degree + 1, (theta - t) / delta) / chebyshev_polynomial(degree + 1, theta / delta)) /
           t;
}

/// Of a diagonal matrix, without scaling, every entry shows the polynomial at another place.
TEST(Chebyshev, IsThePolynomialOfLeastResidual)
{
    const std::vector<double> eigenvalues{0.25, 1, 1.5, 2, 2.75, 3.5, 4};
    on_each_executor([&](const Executor& exec) {
        const auto a = csr(exec, diagonal_csr(eigenvalues));
        for (const size_type degree : {0, 1, 2, 3, 4, 9}) {
            SCOPED_TRACE(degree);
            const auto op =
                Chebyshev<double>::factory({.degree = degree, .scaling = false, .upper = 4, .lower = 1}).generate(a);
            EXPECT_EQ(op->upper(), 4);
            EXPECT_EQ(op->lower(), 1);
            std::vector<double> expected;
            for (const double t : eigenvalues) {
                expected.push_back(8 * inverse_polynomial(degree, 1, 4, t));
            }
            expect_near(applied(*op, std::vector<double>(7, 8)), expected, 64);
        }
    });
}

/// theta = 5/2, delta = 3/2, A = [2 1; 1 3]: degree 0 is 2/5 b. Degree 1: rho_0 = 3/5, rho_1 = 1 / (10/3 - 3/5) =
/// 15/41, x_1 = (1 + 9/41) x_0 + 20/41 (b - A x_0).
TEST(Chebyshev, ByHand)
{
    const CsrData<double, I> a{{2, 2}, {0, 2, 4}, {0, 1, 0, 1}, {2, 1, 1, 3}};
    on_each_executor([&](const Executor& exec) {
        const auto solved = [&](size_type degree, bool scaling) {
            const Parameters parameters{.degree = degree, .scaling = scaling, .upper = 4, .lower = 1};
            return applied(*Chebyshev<double>::factory(parameters).generate(csr(exec, a)), {5, 10});
        };
        expect_near(solved(0, false), {2, 4}, 4);
        // b - A x_0 = (-3, -4)
        expect_near(solved(1, false), {(100 - 60) / 41.0, (200 - 80) / 41.0}, 8);
        // D^-1 b = (5/2, 10/3), x_0 = (1, 4/3), b - A x_0 = (5/3, 5), D^-1 of it: (5/6, 5/3)
        expect_near(solved(0, true), {1, 4 / 3.0}, 4);
        expect_near(solved(1, true), {(50 + 50 / 3.0) / 41, (200 / 3.0 + 100 / 3.0) / 41}, 8);
    });
}

/// M^-1 b is p(D^-1 A) D^-1 b: r - A M^-1 r = D q(D^-1 A) D^-1 r, by the recurrence of the T_k with dense arithmetic.
template <class V, class J>
std::vector<V> expected_result(const CsrData<V, J>& a, const Chebyshev<V>& op, size_type degree,
                               const std::vector<V>& b)
{
    const auto n = b.size();
    std::vector<V> d(n, V{1});
    for (std::size_t row = 0; row < n; ++row) {
        for (auto k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
            if (static_cast<std::size_t>(a.col_idxs[k]) == row && a.values[k] != V{}) {
                d[row] = a.values[k];
            }
        }
    }
    const double theta = (op.upper() + op.lower()) / 2, delta = (op.upper() - op.lower()) / 2;
    const auto number = [](double x) { return static_cast<real_t<V>>(x); };
    // x_k from t_k = T_k(theta / delta), with the residuals' polynomial T_k / t_k:
    // t_k+1 x_k+1 = 2 / delta (theta t_k x_k + t_k D^-1 (b - A x_k)) - t_k-1 x_k-1, x_0 = 0
    std::vector<V> x(n), last(n);
    double t = 1, last_t = 0;
    for (size_type k = 0; k <= degree; ++k) {
        const double factor = (k == 0 ? 1 : 2) / delta;
        const double next_t = factor * theta * t - last_t;
        std::vector<V> next(n);
        for (std::size_t row = 0; row < n; ++row) {
            V residual = b[row];
            for (auto j = a.row_ptrs[row]; j < a.row_ptrs[row + 1]; ++j) {
                residual -= a.values[j] * x[static_cast<std::size_t>(a.col_idxs[j])];
            }
            next[row] = number(factor * theta * t / next_t) * x[row] + number(factor * t / next_t) * residual / d[row] -
                        number(last_t / next_t) * last[row];
        }
        last = x;
        x = next;
        last_t = t;
        t = next_t;
    }
    return x;
}

TEST(Chebyshev, IsWhatItIsDefinedAs)
{
    for_each_value_index([]<class V, class J>() {
        SCOPED_TRACE((types_of<V, J>));
        Random random(481);
        const auto data = random_hpd_csr<V, J>(random, 103, 4);
        auto other = data;
        for (auto& value : other.values) {
            value *= real_t<V>(2);
        }
        const auto b = random_dense<V>(random, reference_executor(), {103, 3}, 1);
        const auto b_host = b.to_host();
        on_each_executor([&](const Executor& exec) {
            for (const size_type degree : {0, 1, 2, 5}) {
                SCOPED_TRACE(degree);
                const auto op = Chebyshev<V>::factory({.degree = degree}).generate(csr(exec, data));
                for (const bool is_updated : {false, true}) {
                    if (is_updated) {
                        op->update_values(csr(exec, other));
                    }
                    Dense<V> x(exec, {103, 3}, 5);
                    op->apply(b.copy(exec), x);
                    const auto x_host = x.to_host();
                    for (std::size_t col = 0; col < 3; ++col) {
                        std::vector<V> b_column, x_column;
                        for (std::size_t at = col; at < b_host.size(); at += 3) {
                            b_column.push_back(b_host[at]);
                            x_column.push_back(x_host[at]);
                        }
                        expect_near(x_column, expected_result(is_updated ? other : data, *op, degree, b_column), 256);
                        expect_near(applied(*op->clone(reference_executor()), b_column), x_column, 256);
                    }
                }
            }
        });
    });
}

/// The largest eigenvalue of D^-1 A of the Laplacian is 1 + cos(pi / (n + 1)).
TEST(Chebyshev, FindsBounds)
{
    on_each_executor([](const Executor& exec) {
        const auto a = csr(exec, laplace_2d<double>(20));
        const double largest = 1 + std::cos(std::numbers::pi / 21);
        const auto upper = [&](Parameters parameters) {
            const auto op = Chebyshev<double>::factory(parameters).generate(a);
            EXPECT_DOUBLE_EQ(op->lower(), op->upper() / parameters.ratio);
            return op->upper();
        };
        EXPECT_NEAR(upper({.bound = SpectralBound::gershgorin}), 2, 1e-14);
        EXPECT_NEAR(upper({.scaling = false, .ratio = 4, .bound = SpectralBound::gershgorin}), 8, 1e-14);
        const double one = upper({.steps = 1, .safety = 1}), ten = upper({.safety = 1});
        EXPECT_LT(one, ten);
        EXPECT_GT(ten, 0.95 * largest);
        EXPECT_LE(ten, largest * (1 + 1e-14));
        EXPECT_NEAR(upper({.steps = 100, .safety = 1}), largest, 1e-8);
        EXPECT_NEAR(upper({.scaling = false, .steps = 100, .safety = 1}), 4 * largest, 1e-7);
        EXPECT_NEAR(upper({.safety = 1.5}), 1.5 * ten, 1e-14);
        EXPECT_EQ(upper({.upper = 3}), 3);
    });
}

TEST(Chebyshev, NewValuesBringNewBounds)
{
    on_each_executor([](const Executor& exec) {
        auto data = laplace_2d<double>(10);
        const auto a = csr(exec, data);
        for (auto& value : data.values) {
            value *= 4;
        }
        const auto b = std::vector<double>(100, 1);
        for (const auto bound : {SpectralBound::lanczos, SpectralBound::gershgorin}) {
            const auto op = Chebyshev<double>::factory({.scaling = false, .bound = bound}).generate(a);
            const double upper = op->upper();
            auto x = applied(*op, b);
            op->update_values(csr(exec, data));
            EXPECT_NEAR(op->upper(), 4 * upper, 1e-12);
            for (auto& value : x) {
                value /= 4;
            }
            expect_near(applied(*op, b), x, 16);
        }
        const auto given = Chebyshev<double>::factory({.scaling = false, .upper = 8}).generate(a);
        given->update_values(csr(exec, data));
        EXPECT_EQ(given->upper(), 8);
    });
}

TEST(Chebyshev, DegreeZeroIsJacobi)
{
    Random random(482);
    const auto data = random_hpd_csr<double, I>(random, 90, 5);
    const std::vector<double> b(90, 1);
    on_each_executor([&](const Executor& exec) {
        const auto a = csr(exec, data);
        const auto op = Chebyshev<double>::factory({.degree = 0, .upper = 1.5, .lower = 0.5}).generate(a);
        expect_near(applied(*op, b), applied(*Jacobi<double>::factory().generate(a), b), 4);
    });
}

TEST(Chebyshev, SmallAndOddMatrices)
{
    on_each_executor([](const Executor& exec) {
        for (const auto bound : {SpectralBound::lanczos, SpectralBound::gershgorin}) {
            const auto factory = Chebyshev<double>::factory({.degree = 2, .bound = bound});
            const auto none = factory.generate(csr(exec, p::without_rows<double, I>()));
            EXPECT_EQ(applied(*none, {}), std::vector<double>());
            EXPECT_EQ(none->num_zero_diagonals(), 0);
            const auto four = factory.generate(csr(exec, CsrData<double, I>{{1, 1}, {0, 1}, {0}, {4}}));
            expect_near(applied(*four, {8}), {2 * inverse_polynomial(2, four->lower(), four->upper(), 1)}, 16);
            const auto bare = factory.generate(csr(exec, p::without_entries<double, I>(3)));
            EXPECT_EQ(bare->num_zero_diagonals(), 3);
            EXPECT_EQ(bare->upper(), 1);
            for (const double value : applied(*bare, {1, 2, 3})) {
                EXPECT_TRUE(std::isfinite(value));
            }
            EXPECT_EQ(factory.generate(csr(exec, p::zero_diagonal<double, I>()))->num_zero_diagonals(), 2);
        }
    });
}

TEST(Chebyshev, ComesFromText)
{
    const auto factory =
        config::parse_short<double>("chebyshev:degree=4,scaling=false,ratio=10,bound=gershgorin,upper=8,lower=0.5");
    const auto& parameters = dynamic_cast<const Factory<Chebyshev<double>>&>(*factory).parameters();
    EXPECT_EQ(parameters.degree, 4);
    EXPECT_FALSE(parameters.scaling);
    EXPECT_EQ(parameters.ratio, 10);
    EXPECT_EQ(parameters.bound, SpectralBound::gershgorin);
    EXPECT_EQ(parameters.upper, 8);
    EXPECT_EQ(parameters.lower, 0.5);
}

TEST(Chebyshev, RefusesWhatItCannotDo)
{
    const auto& exec = reference_executor();
    const auto a = csr(exec, p::healthy<double, I>());
    const double nan = std::numeric_limits<double>::quiet_NaN();
    for (const Parameters& parameters :
         {Parameters{.degree = -1}, Parameters{.upper = -1}, Parameters{.upper = nan}, Parameters{.lower = 1},
          Parameters{.upper = 1, .lower = 1}, Parameters{.upper = 1, .lower = -1}, Parameters{.ratio = 1},
          Parameters{.ratio = nan}, Parameters{.steps = 0}, Parameters{.safety = 0.5}}) {
        EXPECT_THROW((void)Chebyshev<double>::factory(parameters).generate(a), InvalidParameter);
    }
    const auto identity = share(Identity<double>(exec, 3));
    EXPECT_THROW((void)Chebyshev<double>::factory().generate(identity), NotSupported);
    EXPECT_THROW(
        (void)Chebyshev<double>::factory({.scaling = false, .bound = SpectralBound::gershgorin}).generate(identity),
        NotSupported);
    EXPECT_NO_THROW((void)Chebyshev<double>::factory({.scaling = false}).generate(identity));
    EXPECT_THROW((void)Chebyshev<double>::factory().generate(csr(exec, CsrData<double, I>{{1, 2}, {0, 0}, {}, {}})),
                 DimensionMismatch);
    const auto op = Chebyshev<double>::factory().generate(a);
    const auto before = applied(*op, {1, 2, 3});
    EXPECT_THROW(op->update_values(nullptr), InvalidParameter);
    EXPECT_THROW(op->update_values(csr(exec, laplace_2d<double>(3))), DimensionMismatch);
    EXPECT_THROW(op->update_values(identity), NotSupported);
    EXPECT_EQ(applied(*op, {1, 2, 3}), before);
}

TEST(Chebyshev, PreconditionsCgAlikeEverywhere)
{
    const auto data = generate_problem<double, I>("lap2d:40");
    std::vector<size_type> expected;
    on_each_executor([&](const Executor& exec) {
        std::vector<size_type> counts;
        for (const size_type degree : {0, 1, 2, 4, 8}) {
            const auto solver =
                Cg<double>::factory({.stop = {.relative_residual = 1e-6},
                                     .preconditioner = Chebyshev<double>::factory({.degree = degree, .ratio = 300})})
                    .generate(csr(exec, data));
            auto x = Dense<double>::filled(exec, {1600, 1}, 0);
            const auto result = solver->solve(Dense<double>::filled(exec, {1600, 1}, 1), x);
            EXPECT_TRUE(result.converged()) << result.reason();
            EXPECT_LT(result.iterations(), counts.empty() ? 1000 : counts.back());
            counts.push_back(result.iterations());
        }
        expected = expected.empty() ? counts : expected;
        EXPECT_EQ(counts, expected);
    });
}

TEST(Chebyshev, AllocatesNothingAfterTheFirstApplication)
{
    on_each_executor([](const Executor& exec) {
        for (const size_type degree : {0, 1, 4}) {
            const auto op = Chebyshev<double>::factory({.degree = degree}).generate(csr(exec, laplace_2d<double>(20)));
            const auto b = Dense<double>::filled(exec, {400, 2}, 1);
            Dense<double> x(exec, {400, 2});
            op->apply(b, x);
            const auto before = exec.counters();
            op->apply(b, x);
            EXPECT_EQ(exec.counters().allocations, before.allocations);
            // the start, then a product and an update for each degree
            EXPECT_EQ(exec.counters().kernel_launches - before.kernel_launches,
                      static_cast<std::uint64_t>(1 + 2 * degree));
            EXPECT_TRUE(op->is_capturable());
        }
    });
}

}  // namespace
}  // namespace linden::test
