// needs: double int32
#include <linden/error.hpp>
#include <linden/matrix/dense.hpp>
#include <linden/memory.hpp>
#include <linden/solver/direct.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "test/support/compare.hpp"
#include "test/support/matrices.hpp"

/// Lu of nearly full matrices, which hosts factorize as dense ones with partial pivoting.
namespace linden::test {
namespace {

using I = std::int32_t;
using Data = CsrData<double, I>;

LinOpPtr<double> csr(const Executor& exec, const Data& a) { return share(Csr<double, I>(exec, a)); }

/// With `missing` of ten entries not there; rows and columns in units of their own.
Data matrix(I n, int missing = 1, double units = 0)
{
    Random random(17);
    Data a{{n, n}, {0}, {}, {}};
    for (I i = 0; i < n; ++i) {
        for (I j = 0; j < n; ++j) {
            const double value = random.value<double>();
            if ((7 * i + j) % 10 >= missing) {
                a.col_idxs.push_back(j);
                a.values.push_back(value * std::pow(10, units * std::sin(i) + units * std::cos(3 * j)));
            }
        }
        a.row_ptrs.push_back(static_cast<I>(a.values.size()));
    }
    return a;
}

template <class F>
void on_each_host(const F& f)
{
    f(Executor::reference());
    f(Executor::omp({.threads = 1}));
    f(Executor::omp({.threads = 2}));
}

/// The solution for b = (1, 2, ...), of a componentwise backward error of some eps.
std::vector<double> solve(const Lu<double>& solver, const LinOpPtr<double>& a)
{
    std::vector<double> values;
    for (size_type i = 0; i < a->size().rows; ++i) {
        values.push_back(static_cast<double>(i + 1));
    }
    const auto b = Dense<double>::vector(a->executor(), values);
    auto x = Dense<double>::filled(a->executor(), b.size(), 0.0);
    const auto result = solver.solve(b, x);
    EXPECT_TRUE(result.converged()) << result.reason();
    EXPECT_LE(componentwise_backward_error(*a, b, x).front(), 64 * std::numeric_limits<double>::epsilon());
    return x.to_host();
}

TEST(DenseFactors, TakeNewValuesAndOtherPivots)
{
    const auto first = matrix(300), units = matrix(300, 1, 20);
    auto second = first;
    for (std::size_t k = 0; k < second.values.size(); ++k) {
        second.values[k] *= std::sin(static_cast<double>(k));
    }
    on_each_host([&](const Executor& exec) {
        const auto a = csr(exec, first), b = csr(exec, second), c = csr(exec, units);
        const auto solver = Lu<double>::factory().generate(a);
        EXPECT_TRUE(solver->has_partial_pivoting());
        EXPECT_EQ(solver->factor_size().entries, 300 * 300);
        const auto x = solve(*solver, a);
        const auto before = exec.counters();
        solver->update_values(b);
        EXPECT_EQ(exec.counters().allocations, before.allocations);
        const auto afresh = Lu<double>::factory().generate(b);
        EXPECT_EQ(solver->num_replaced_pivots(), 0);
        expect_near(solve(*solver, b), solve(*afresh, b), 1e6);
        EXPECT_NEAR(solver->log_determinant().log_magnitude, afresh->log_determinant().log_magnitude, 1e-9);
        EXPECT_EQ(solver->log_determinant().argument, afresh->log_determinant().argument);
        solver->update_values(a);
        EXPECT_EQ(solve(*solver, a), x);
        solve(*Lu<double>::factory().generate(c), c);
    });
}

TEST(DenseFactors, AgreeWithFixedPivots)
{
    for (const I n : {1, 2, 5, 40, 200}) {
        on_each_host([&](const Executor& exec) {
            const auto a = csr(exec, matrix(n, n < 5 ? 0 : 1, 2));
            const auto dense = Lu<double>::factory().generate(a),
                       fixed = Lu<double>::factory({{}, Pivoting::fixed}).generate(a);
            EXPECT_TRUE(dense->has_partial_pivoting());
            EXPECT_FALSE(fixed->has_partial_pivoting());
            const auto det = dense->log_determinant(), expected = fixed->log_determinant();
            EXPECT_NEAR(det.log_magnitude, expected.log_magnitude, 1e-9 * (1 + std::abs(expected.log_magnitude)));
            EXPECT_EQ(det.argument, expected.argument);
            const double condition = fixed->condition_estimate();
            EXPECT_NEAR(dense->condition_estimate(), condition, 1e-6 * condition);
        });
    }
}

/// |l_ij| <= 1, and by the diagonal of U and the signs of the exchanges the same determinant as above.
TEST(DenseFactors, AreGivenAsOneCsr)
{
    const auto a = csr(Executor::omp({.threads = 1}), matrix(50));
    const auto solver = Lu<double>::factory().generate(a);
    const auto factors = dynamic_cast<const Csr<double, I>&>(*solver->factors()).to_host();
    ASSERT_EQ(factors.values.size(), 2500U);
    double log_magnitude = 0;
    for (I i = 0; i < 50; ++i) {
        for (I j = 0; j < i; ++j) {
            EXPECT_LE(std::abs(factors.values[static_cast<std::size_t>(50 * i + j)]), 1);
        }
        log_magnitude += std::log(std::abs(factors.values[static_cast<std::size_t>(51 * i)]));
    }
    const double scaled = log_magnitude - solver->log_determinant().log_magnitude;
    EXPECT_NEAR(scaled / std::log(2), std::round(scaled / std::log(2)), 1e-9) << "scalings are powers of two";
}

/// A matching tells more of them, and so they are factorized as sparse matrices.
TEST(DenseFactors, LeaveSingularMatrices)
{
    const auto with_row = [](double value) {
        auto a = matrix(60, 0);
        for (I k = a.row_ptrs[13]; k < a.row_ptrs[14]; ++k) {
            a.values[k] = std::isnan(value) ? value : value * a.values[k - a.row_ptrs[13]];
        }
        return a;
    };
    on_each_host([&](const Executor& exec) {
        const auto solver = Lu<double>::factory().generate(csr(exec, with_row(0)));
        EXPECT_EQ(solver->num_unmatched_rows(), 1);
        EXPECT_EQ(solver->unmatched_rows(), (std::vector<size_type>{13}));
        EXPECT_EQ(solver->num_replaced_pivots(), 1);
        const auto dependent = Lu<double>::factory().generate(csr(exec, with_row(2)));
        EXPECT_EQ(dependent->num_unmatched_rows(), 0);
        EXPECT_GE(dependent->num_replaced_pivots(), 1);
        const auto b = Dense<double>::filled(exec, {60, 1}, 1.0);
        auto x = Dense<double>::filled(exec, b.size(), 0.0);
        EXPECT_EQ(dependent->solve(b, x).status(), SolveStatus::stagnated);
        const auto nan = Lu<double>::factory().generate(csr(exec, with_row(std::nan(""))));
        EXPECT_GE(nan->num_replaced_pivots(), 1);
        EXPECT_FALSE(nan->solve(b, x).converged());
    });
}

/// New values that make it singular are counted.
TEST(DenseFactors, TellOfSingularNewValues)
{
    const auto good = matrix(60, 0);
    auto bad = good;
    std::copy_n(bad.values.begin(), 60, bad.values.begin() + 60 * 41);
    on_each_host([&](const Executor& exec) {
        const auto solver = Lu<double>::factory().generate(csr(exec, good));
        solver->update_values(csr(exec, bad));
        EXPECT_EQ(solver->num_replaced_pivots(), 1);
        ASSERT_TRUE(solver->first_replaced_pivot().has_value());
        EXPECT_EQ(solver->first_replaced_pivot()->column, 59);
        auto values = std::vector<double>(60, 1);
        values.front() = 2;  // of two equations with the same left side
        const auto b = Dense<double>::vector(exec, values);
        auto x = Dense<double>::filled(exec, b.size(), 0.0);
        EXPECT_FALSE(solver->solve(b, x).converged());
    });
}

TEST(DenseFactors, AreOfNearlyFullMatricesAlone)
{
    const auto exec = Executor::omp({.threads = 1});
    const auto is_dense = [&](const Data& a, const LuParameters& parameters = {}) {
        return Lu<double>::factory(parameters).generate(csr(exec, a))->has_partial_pivoting();
    };
    EXPECT_TRUE(is_dense(matrix(100, 4)));
    EXPECT_FALSE(is_dense(matrix(100, 5)));
    EXPECT_TRUE(is_dense(matrix(100), {{}, Pivoting::partial}));
    EXPECT_FALSE(is_dense(matrix(100), {{}, Pivoting::fixed}));
    EXPECT_FALSE(is_dense(matrix(100), {{.ordering = FillOrdering::natural}}));
    EXPECT_FALSE(is_dense(matrix(100), {{}, Pivoting::automatic, PivotMatching::approximate}));
}

/// What size_for says of a singular matrix, which is not factorized as a dense one in the end.
TEST(DenseFactors, OfSingularMatricesHaveTheSizeOfFixedPivots)
{
    auto singular = matrix(60, 0);
    std::copy_n(singular.values.begin(), 60, singular.values.begin() + 60 * 41);
    auto empty_column = matrix(60, 0);
    for (std::size_t row = 0; row < 60; ++row) {
        empty_column.values[60 * row + 7] = 0;
    }
    on_each_host([&](const Executor& exec) {
        for (const auto& data : {singular, empty_column}) {
            const auto a = csr(exec, data);
            const auto dense = Lu<double>::size_for(*a), fixed = Lu<double>::size_for(*a, {{}, Pivoting::fixed});
            exec.reset_peak();
            const auto before = exec.counters().allocated_bytes;
            const auto solver = Lu<double>::factory().generate(a);
            EXPECT_FALSE(solver->has_partial_pivoting());
            EXPECT_EQ(solver->factor_size().bytes, fixed.bytes);
            EXPECT_EQ(solver->factor_size().entries, fixed.entries);
            EXPECT_LE(exec.counters().peak_bytes - before,
                      static_cast<std::uint64_t>(std::max(dense.bytes, fixed.bytes)));
        }
    });
}

TEST(DenseFactors, KnowTheirBytes)
{
    on_each_host([](const Executor& exec) {
        for (const I n : {1, 3, 64, 150}) {
            const auto a = csr(exec, matrix(n, n > 1 ? 1 : 0));
            const auto b = Dense<double>::filled(exec, {n, 1}, 1.0);
            auto x = Dense<double>::filled(exec, b.size(), 0.0);
            const auto expected = Lu<double>::size_for(*a);
            exec.reset_peak();
            const auto before = exec.counters().allocated_bytes;
            const auto solver = Lu<double>::factory().generate(a);
            solver->update_values(a);
            solver->solve(b, x);
            const auto seen = static_cast<double>(exec.counters().peak_bytes - before);
            EXPECT_EQ(solver->factor_size().bytes, expected.bytes) << n;
            EXPECT_EQ(expected.entries, n * n);
            EXPECT_LE(seen, static_cast<double>(expected.bytes)) << n;
            EXPECT_GE(seen, 0.97 * static_cast<double>(expected.bytes)) << n;
        }
    });
}

}  // namespace
}  // namespace linden::test
