// needs: double int32
#include <linden/config/config.hpp>
#include <linden/error.hpp>
#include <linden/io/problems.hpp>
#include <linden/matrix/dense.hpp>
#include <linden/matrix/identity.hpp>
#include <linden/preconditioner/incomplete_poisson.hpp>
#include <linden/preconditioner/jacobi.hpp>
#include <linden/solver/cg.hpp>

#include <cmath>
#include <limits>

#include "test/support/applied.hpp"
#include "test/support/compare.hpp"
#include "test/support/kernel_cases.hpp"
#include "test/support/matrices.hpp"
#include "test/support/pathological.hpp"
#include "test/support/problems.hpp"

namespace linden::test {
namespace {

using I = std::int32_t;
using Parameters = IncompletePoisson<double>::Parameters;
namespace p = pathological;

/// M^-1 b as the class defines it: with the dense factors and square roots, then restricted.
template <class V, class J>
std::vector<V> expected_result(const CsrData<V, J>& a, const typename IncompletePoisson<V>::Parameters& parameters,
                               const std::vector<V>& b)
{
    using Rows = std::vector<std::vector<V>>;
    const auto n = static_cast<std::size_t>(a.size.rows);
    Rows dense(n, std::vector<V>(n)), factor(n, std::vector<V>(n)), pattern(n, std::vector<V>(n));
    for (std::size_t row = 0; row < n; ++row) {
        for (auto k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
            dense[row][static_cast<std::size_t>(a.col_idxs[k])] = a.values[k];
            pattern[row][static_cast<std::size_t>(a.col_idxs[k])] = V{1};
        }
        dense[row][row] = dense[row][row] == V{} ? V{1} : dense[row][row];
        pattern[row][row] = V{1};
    }
    std::vector<V> outer(n, V{1});
    for (std::size_t row = 0; row < n; ++row) {
        outer[row] = parameters.scaling ? V{1} / std::sqrt(dense[row][row]) : V{1};
        for (std::size_t col = 0; col < row; ++col) {
            factor[row][col] =
                parameters.scaling ? -dense[row][col] * outer[row] * outer[col] : -dense[row][col] / dense[col][col];
        }
        factor[row][row] = V{1};
    }
    std::vector<V> x(n);
    for (std::size_t row = 0; row < n; ++row) {
        for (std::size_t col = 0; col < n; ++col) {
            V entry{};
            for (std::size_t k = 0; k < n; ++k) {
                V adjoint = factor[col][k];
                if constexpr (is_complex<V>) {
                    adjoint = std::conj(adjoint);
                }
                entry += factor[row][k] * adjoint;
            }
            if (pattern[row][col] != V{} && (row == col || std::abs(entry) >= parameters.threshold)) {
                x[row] += outer[row] * entry * outer[col] * b[col];
            }
        }
    }
    return x;
}

/// A = [4 2 -1; 2 1 .; -1 . 2]
CsrData<double, I> small_matrix() { return {{3, 3}, {0, 3, 5, 7}, {0, 1, 2, 0, 1, 0, 2}, {4, 2, -1, 2, 1, -1, 2}}; }

TEST(IncompletePoisson, ByHand)
{
    using Values = std::vector<double>;
    on_each_executor([](const Executor& exec) {
        const auto solved = [&](const Parameters& parameters, const Values& b) {
            return applied(*IncompletePoisson<double>::factory(parameters).generate(csr(exec, small_matrix())), b);
        };
        // [1/4 -1/2 1/8; -1/2 2 .; 1/8 . 9/16]; the entry (2, 1) of the product is not on the pattern
        EXPECT_EQ(solved({}, {8, 4, 16}), (Values{2, 4, 10}));
        // [1 -1/2 1/4; -1/2 5/4 .; 1/4 . 17/16]
        EXPECT_EQ(solved({.scaling = false}, {8, 4, 16}), (Values{10, 1, 19}));
        EXPECT_EQ(solved({.scaling = false, .threshold = 0.3}, {8, 4, 16}), (Values{6, 1, 17}));
        EXPECT_EQ(solved({.threshold = 0.4}, {8, 4, 16}), (Values{0, 4, 9}));
    });
}

template <class V, class J>
void expect_as_defined(const CsrData<V, J>& data, const typename IncompletePoisson<V>::Parameters& parameters)
{
    Random random(461);
    auto other = data;
    for (auto& value : other.values) {
        value *= real_t<V>(1.5);
    }
    const auto n = data.size.rows;
    const auto b = random_dense<V>(random, reference_executor(), {n, 3}, 1);
    const auto b_host = b.to_host();
    on_each_executor([&](const Executor& exec) {
        const auto poisson = IncompletePoisson<V>::factory(parameters).generate(csr(exec, data));
        for (const bool is_updated : {false, true}) {
            if (is_updated) {
                poisson->update_values(csr(exec, other));
            }
            Dense<V> x(exec, {n, 3}, 5);
            poisson->apply(b.copy(exec), x);
            const auto x_host = x.to_host();
            for (std::size_t col = 0; col < 3; ++col) {
                std::vector<V> b_column, x_column;
                for (std::size_t at = col; at < b_host.size(); at += 3) {
                    b_column.push_back(b_host[at]);
                    x_column.push_back(x_host[at]);
                }
                expect_near(x_column, expected_result(is_updated ? other : data, parameters, b_column), 256);
                if (col == 0) {
                    expect_near(applied(*poisson->clone(reference_executor()), b_column), x_column, 64);
                }
            }
        }
    });
}

TEST(IncompletePoisson, IsWhatItIsDefinedAs)
{
    for_each_value_index([]<class V, class J>() {
        SCOPED_TRACE((types_of<V, J>));
        Random random(462);
        const auto hermitian = random_hpd_csr<V, J>(random, 83, 4);
        for (const bool scaling : {true, false}) {
            for (const double threshold : {0.0, 0.1}) {  // of what is between the factors, which no number changes
                SCOPED_TRACE(std::to_string(scaling) + " " + std::to_string(threshold));
                expect_as_defined<V, J>(hermitian, {.scaling = scaling, .threshold = threshold});
            }
        }
    });
}

TEST(IncompletePoisson, ThresholdsTakeEntriesAway)
{
    Random random(463);
    const auto data = random_hpd_csr<double, I>(random, 200, 6);
    on_each_executor([&](const Executor& exec) {
        size_type last = static_cast<size_type>(data.values.size()) + 1;
        for (const double threshold : {0.0, 0.1, 0.3}) {
            const auto poisson = IncompletePoisson<double>::factory({.threshold = threshold}).generate(csr(exec, data));
            EXPECT_LT(poisson->num_nonzeros(), last);
            last = poisson->num_nonzeros();
            poisson->update_values(csr(exec, data));
            EXPECT_EQ(poisson->num_nonzeros(), last);
        }
        const auto none = IncompletePoisson<double>::factory({.threshold = 1e9}).generate(csr(exec, data));
        EXPECT_EQ(none->num_nonzeros(), 200);
    });
}

TEST(IncompletePoisson, CountsZeroDiagonals)
{
    on_each_executor([](const Executor& exec) {
        auto data = p::zero_diagonal<double, I>();
        const auto poisson = IncompletePoisson<double>::factory().generate(csr(exec, data));
        EXPECT_EQ(poisson->num_zero_diagonals(), 2);
        const std::vector<double> b{1, -2, 3};
        expect_near(applied(*poisson, b), expected_result(data, Parameters{}, b), 16);
        data.values[3] = 8;
        poisson->update_values(csr(exec, data));
        EXPECT_EQ(poisson->num_zero_diagonals(), 1);
        expect_near(applied(*poisson, b), expected_result(data, Parameters{}, b), 16);
        // an entry on the diagonal comes to those of the matrix
        const auto missing = p::missing_diagonal<double, I>();
        const auto of_missing = IncompletePoisson<double>::factory().generate(csr(exec, missing));
        EXPECT_EQ(of_missing->num_zero_diagonals(), 1);
        EXPECT_EQ(of_missing->num_nonzeros(), 7);
    });
}

TEST(IncompletePoisson, EmptyAndOneByOne)
{
    on_each_executor([](const Executor& exec) {
        for (const double threshold : {0.0, 0.5}) {
            const auto factory = IncompletePoisson<double>::factory({.threshold = threshold});
            const auto none = factory.generate(csr(exec, p::without_rows<double, I>()));
            EXPECT_EQ(applied(*none, {}), std::vector<double>());
            EXPECT_EQ(none->num_zero_diagonals(), 0);
            const CsrData<double, I> four{{1, 1}, {0, 1}, {0}, {4}};
            EXPECT_EQ(applied(*factory.generate(csr(exec, four)), {2}), (std::vector<double>{0.5}));
            const auto bare = factory.generate(csr(exec, p::without_entries<double, I>(3)));
            EXPECT_EQ(applied(*bare, {1, 2, 3}), (std::vector<double>{1, 2, 3}));
            EXPECT_EQ(bare->num_zero_diagonals(), 3);
        }
    });
}

TEST(IncompletePoisson, ComesFromText)
{
    const auto factory = config::parse_short<double>("incompletepoisson:scaling=false,threshold=0.5");
    const auto& parameters = dynamic_cast<const Factory<IncompletePoisson<double>>&>(*factory).parameters();
    EXPECT_FALSE(parameters.scaling);
    EXPECT_EQ(parameters.threshold, 0.5);
}

TEST(IncompletePoisson, RefusesWhatItCannotDo)
{
    const auto& exec = reference_executor();
    const auto a = csr(exec, p::healthy<double, I>());
    using Operator = IncompletePoisson<double>;
    for (const double threshold :
         {-0.1, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
        EXPECT_THROW((void)Operator::factory({.threshold = threshold}).generate(a), InvalidParameter);
    }
    EXPECT_THROW((void)Operator::factory().generate(share(Identity<double>(exec, 3))), NotSupported);
    EXPECT_THROW((void)Operator::factory().generate(csr(exec, CsrData<double, I>{{1, 2}, {0, 0}, {}, {}})),
                 DimensionMismatch);
    const auto poisson = Operator::factory().generate(a);
    EXPECT_THROW(poisson->update_values(nullptr), InvalidParameter);
    EXPECT_THROW(poisson->update_values(csr(exec, p::without_entries<double, I>(3))), DimensionMismatch);
    EXPECT_THROW(poisson->update_values(share(Identity<double>(exec, 3))), NotSupported);
}

/// As the paper has it: with scaling better than the diagonal, without it, where the diagonal varies, worse.
TEST(IncompletePoisson, PreconditionsCgAlikeEverywhere)
{
    auto contrast = generate_problem<double, I>("lap2d:40");
    const auto factor = [](size_type i) { return i < 800 ? 1.0 : 1e-3; };
    for (size_type row = 0; row < 1600; ++row) {
        for (auto k = contrast.row_ptrs[row]; k < contrast.row_ptrs[row + 1]; ++k) {
            contrast.values[k] *= std::sqrt(factor(row) * factor(contrast.col_idxs[k]));
        }
    }
    const auto iterations = [&](const Executor& exec, FactoryPtr<double> preconditioner) {
        const auto solver =
            Cg<double>::factory({.stop = {.relative_residual = 1e-6}, .preconditioner = std::move(preconditioner)})
                .generate(csr(exec, contrast));
        auto x = Dense<double>::filled(exec, {1600, 1}, 0);
        const auto result = solver->solve(Dense<double>::filled(exec, {1600, 1}, 1), x);
        EXPECT_TRUE(result.converged()) << result.reason();
        return result.iterations();
    };
    const auto expected = iterations(reference_executor(), IncompletePoisson<double>::factory());
    on_each_executor([&](const Executor& exec) {
        const auto diagonal = iterations(exec, Jacobi<double>::factory());
        EXPECT_LT(3 * expected, 2 * diagonal);
        EXPECT_EQ(iterations(exec, IncompletePoisson<double>::factory()), expected);
        EXPECT_GT(iterations(exec, IncompletePoisson<double>::factory({.scaling = false})), diagonal);
    });
}

TEST(IncompletePoisson, TakesFewKernels)
{
    on_each_executor([](const Executor& exec) {
        const auto a = csr(exec, laplace_2d<double>(20));
        const auto poisson = IncompletePoisson<double>::factory().generate(a);
        const auto b = Dense<double>::filled(exec, {400, 2}, 1);
        Dense<double> x(exec, {400, 2});
        poisson->apply(b, x);
        auto before = exec.counters();
        poisson->apply(b, x);
        EXPECT_EQ(exec.counters().allocations, before.allocations);
        EXPECT_EQ(exec.counters().kernel_launches - before.kernel_launches, 1u);
        before = exec.counters();
        poisson->update_values(a);
        EXPECT_EQ(exec.counters().kernel_launches - before.kernel_launches, 3u);
    });
}

}  // namespace
}  // namespace linden::test
