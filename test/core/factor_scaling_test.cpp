// needs: double int32
#include <linden/config/config.hpp>
#include <linden/io/problems.hpp>
#include <linden/matrix/dense.hpp>
#include <linden/matrix/operations.hpp>
#include <linden/preconditioner/ic.hpp>
#include <linden/preconditioner/ilu.hpp>

#include <algorithm>
#include <cmath>
#include <functional>

#include "test/support/compare.hpp"
#include "test/support/matrices.hpp"

/// Incomplete factors with thresholds do not depend on how the matrix is scaled.
namespace linden::test {
namespace {

using I = std::int32_t;
using Data = CsrData<double, I>;

LinOpPtr<double> csr(const Executor& exec, const Data& a) { return share(Csr<double, I>(exec, a)); }

std::vector<double> random_powers(size_type n, std::uint64_t seed)
{
    Random random(seed);
    std::vector<double> powers(static_cast<std::size_t>(n));
    std::generate(powers.begin(), powers.end(),
                  [&] { return std::ldexp(1.0, static_cast<int>(40 * random.value<double>())); });
    return powers;
}

/// diag(rows) A diag(columns)
Data scaled(Data a, const std::vector<double>& rows, const std::vector<double>& columns)
{
    for (size_type row = 0; row < a.size.rows; ++row) {
        for (I k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
            a.values[k] *= rows[row] * columns[a.col_idxs[k]];
        }
    }
    return a;
}

template <class Op>
Data factors_of(const Op& op)
{
    return dynamic_cast<const Csr<double, I>&>(*op.factors()).to_host();
}

std::vector<double> applied(const LinOp<double>& op, const std::vector<double>& b)
{
    Dense<double> x(op.executor(), {op.size().rows, 1});
    op.apply(Dense<double>::vector(op.executor(), b), x);
    return x.to_host();
}

/// Thresholds that drop much.
const Ilut<double>::Parameters few{.k = 2, .tol = 1e-2};

void expect_row_scaling_changes_nothing(const Executor& exec, const Data& a, const Ilut<double>::Parameters& parameters)
{
    const auto n = a.size.rows;
    const auto rows = random_powers(n, 51);
    const std::vector<double> ones(static_cast<std::size_t>(n), 1);
    const auto plain = Ilut<double>::factory(parameters).generate(csr(exec, a));
    const auto ilu = Ilut<double>::factory(parameters).generate(csr(exec, scaled(a, rows, ones)));
    const auto expected = factors_of(*plain), factors = factors_of(*ilu);
    EXPECT_EQ(factors.row_ptrs, expected.row_ptrs);
    EXPECT_EQ(factors.col_idxs, expected.col_idxs);
    EXPECT_EQ(ilu->num_moved_columns(), plain->num_moved_columns());
    Random random(52);
    const auto b = random_dense<double>(random, reference_executor(), {n, 1}).to_host();
    auto scaled_b = b;
    std::transform(b.begin(), b.end(), rows.begin(), scaled_b.begin(), std::multiplies<>());
    EXPECT_EQ(applied(*ilu, scaled_b), applied(*plain, b)) << "(R A)^-1 R b = A^-1 b, to the bit";
}

/// Each row in the place of the one before it, so that what was on the diagonal is beside it.
CsrData<double, I> with_rows_moved(const CsrData<double, I>& a)
{
    CsrData<double, I> moved{a.size, {0}, {}, {}};
    for (size_type i = 0; i < a.size.rows; ++i) {
        const auto row = static_cast<std::size_t>((i + 1) % a.size.rows);
        moved.col_idxs.insert(moved.col_idxs.end(), a.col_idxs.begin() + a.row_ptrs[row],
                              a.col_idxs.begin() + a.row_ptrs[row + 1]);
        moved.values.insert(moved.values.end(), a.values.begin() + a.row_ptrs[row],
                            a.values.begin() + a.row_ptrs[row + 1]);
        moved.row_ptrs.push_back(static_cast<I>(moved.col_idxs.size()));
    }
    return moved;
}

TEST(FactorScaling, IlutOfScaledRowsIsTheSame)
{
    on_each_executor([](const Executor& exec) {
        const auto skew = generate_problem<double, I>("convdiff3d:6:40");
        expect_row_scaling_changes_nothing(exec, generate_problem<double, I>("aniso2d:12:0.03"), few);
        expect_row_scaling_changes_nothing(exec, skew, few);
        expect_row_scaling_changes_nothing(exec, skew, {.k = 2, .tol = 1e-2, .shift = 0.1});
        expect_row_scaling_changes_nothing(exec, skew, {.k = 2, .tol = 1e-2, .blocks = 3});
        const auto off_diagonal = with_rows_moved(generate_problem<double, I>("random:60:6:3"));
        expect_row_scaling_changes_nothing(exec, off_diagonal, {.k = 2, .tol = 1e-2, .pivoting = 0.5});
    });
}

TEST(FactorScaling, IctOfSymmetricallyScaledMatricesIsTheSame)
{
    on_each_executor([](const Executor& exec) {
        const auto a = generate_problem<double, I>("aniso2d:12:0.03");
        const auto s = random_powers(a.size.rows, 54);
        for (const double shift : {0.0, 0.1}) {
            const Ict<double>::Parameters parameters{.k = 2, .tol = 1e-2, .shift = shift};
            const auto expected = factors_of(*Ict<double>::factory(parameters).generate(csr(exec, a)));
            const auto ic = Ict<double>::factory(parameters).generate(csr(exec, scaled(a, s, s)));
            const auto factors = factors_of(*ic);
            EXPECT_EQ(factors.row_ptrs, expected.row_ptrs);
            EXPECT_EQ(factors.col_idxs, expected.col_idxs);
            const std::vector<double> ones(s.size(), 1);
            EXPECT_EQ(factors.values, scaled(expected, s, ones).values);
        }
    });
}

/// Without the parameter the same rows lose or keep other entries.
TEST(FactorScaling, IsLeftOutOnRequest)
{
    const Executor exec = reference_executor();
    const auto a = generate_problem<double, I>("aniso2d:12:0.03");
    const std::vector<double> large(144, 1024.0), ones(144, 1);
    const auto factors = [&](const Data& data, const char* text) {
        const auto op = config::parse_factory<double>(text, "test")->make(csr(exec, data));
        return factors_of(dynamic_cast<const IncompleteFactorization<double>&>(*op));
    };
    const char* const none = R"({"type": "Ilut", "k": 2, "tol": 1e-2, "scaling": "none"})";
    EXPECT_NE(factors(scaled(a, large, ones), none).col_idxs, factors(a, none).col_idxs);
    const char* const equilibrated = R"({"type": "Ilut", "k": 2, "tol": 1e-2, "scaling": "equilibrate"})";
    EXPECT_EQ(factors(scaled(a, large, ones), equilibrated).col_idxs, factors(a, equilibrated).col_idxs);
}

/// New values of another scaling give what the pattern's factorization gives, with shifts of the scaled matrix.
TEST(FactorScaling, NewValuesAreShiftedAsTheFirst)
{
    on_each_executor([](const Executor& exec) {
        const auto a = generate_problem<double, I>("convdiff3d:5:20");
        const auto n = a.size.rows;
        const std::vector<double> ones(static_cast<std::size_t>(n), 1);
        const auto rows = random_powers(n, 55);
        for (const double shift : {0.0, 0.25}) {
            const auto factory = Ilut<double>::factory({.k = 200, .tol = 0, .shift = shift});
            const auto ilu = factory.generate(csr(exec, a));
            ilu->update_values(csr(exec, scaled(a, rows, ones)));
            const auto expected = factors_of(*factory.generate(csr(exec, scaled(a, rows, ones))));
            const auto found = factors_of(*ilu);
            EXPECT_EQ(found.col_idxs, expected.col_idxs);
            for (std::size_t k = 0; k < found.values.size(); ++k) {
                EXPECT_NEAR(found.values[k], expected.values[k], 1e-12 * std::abs(expected.values[k]) + 1e-300);
            }
        }
    });
}

}  // namespace
}  // namespace linden::test
