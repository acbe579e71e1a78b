// needs: double int32
#include <linden/config/config.hpp>
#include <linden/error.hpp>
#include <linden/io/problems.hpp>
#include <linden/matrix/dense.hpp>
#include <linden/preconditioner/ilu.hpp>
#include <linden/preconditioner/jacobi.hpp>
#include <linden/preconditioner/scaled.hpp>
#include <linden/preconditioner/symmetric_scaling.hpp>
#include <linden/solver/bicgstab.hpp>
#include <linden/solver/gmres.hpp>

#include <cmath>

#include "test/support/compare.hpp"
#include "test/support/matrices.hpp"

/// Rows and columns scaled to norm 1.
namespace linden::test {
namespace {

using I = std::int32_t;

LinOpPtr<double> csr(const Executor& exec, const CsrData<double, I>& a) { return share(Csr<double, I>(exec, a)); }

/// `a` with units that differ by many orders of magnitude between rows, and between columns.
CsrData<double, I> in_other_units(CsrData<double, I> a, bool is_symmetric)
{
    const auto unit = [](size_type i, int seed) {
        return std::ldexp(1.0, static_cast<int>((i * 37 + seed) % 41) - 20);
    };
    for (size_type row = 0; row < a.size.rows; ++row) {
        for (auto k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
            a.values[k] *= unit(row, 3) * unit(a.col_idxs[k], is_symmetric ? 3 : 11);
        }
    }
    return a;
}

/// The norms of the rows, and of the columns, of R A C.
std::pair<std::vector<double>, std::vector<double>> norms_of(const CsrData<double, I>& a,
                                                             const ScaledOperator<double>& m, ScalingNorm norm)
{
    const auto r = m.row_scaling().to_host(), c = m.column_scaling().to_host();
    std::vector<double> rows(r.size(), 0), columns(c.size(), 0);
    const auto add = [&](double& sum, double x) {
        sum = norm == ScalingNorm::infinity ? std::max(sum, x) : sum + (norm == ScalingNorm::two ? x * x : x);
    };
    for (size_type row = 0; row < a.size.rows; ++row) {
        for (auto k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
            const double x = std::abs(r[row] * a.values[k] * c[a.col_idxs[k]]);
            add(rows[row], x);
            add(columns[a.col_idxs[k]], x);
        }
    }
    return {rows, columns};
}

TEST(Scaled, MakesNormsOne)
{
    // Sums converge slowly where entries on one side of the diagonal are small.
    const auto a = in_other_units(generate_problem<double, I>("lap3d:4"), false);
    on_each_executor([&](const Executor& exec) {
        for (const auto norm : {ScalingNorm::infinity, ScalingNorm::two, ScalingNorm::one}) {
            const auto m = Scaled<double>::factory({.norm = norm, .scaling_steps = 80}).generate(csr(exec, a));
            const auto [rows, columns] = norms_of(a, *m, norm);
            for (std::size_t i = 0; i < rows.size(); ++i) {
                EXPECT_NEAR(rows[i], 1, norm == ScalingNorm::infinity ? 0.01 : 0.1);
                EXPECT_NEAR(columns[i], 1, norm == ScalingNorm::infinity ? 0.01 : 0.1);
            }
        }
    });
}

TEST(Scaled, KeepsSymmetry)
{
    const auto a = in_other_units(generate_problem<double, I>("lap2d:9"), true);
    on_each_executor([&](const Executor& exec) {
        for (const auto norm : {ScalingNorm::infinity, ScalingNorm::two, ScalingNorm::one}) {
            const auto m = Scaled<double>::factory({.norm = norm}).generate(csr(exec, a));
            EXPECT_EQ(m->row_scaling().to_host(), m->column_scaling().to_host());
        }
    });
}

TEST(Scaled, RoundsToPowersOfTwo)
{
    const auto a = in_other_units(generate_problem<double, I>("convdiff3d:4:7"), false);
    on_each_executor([&](const Executor& exec) {
        const auto exact = Scaled<double>::factory().generate(csr(exec, a));
        const auto rounded = Scaled<double>::factory({.powers_of_two = true}).generate(csr(exec, a));
        const auto r = exact->row_scaling().to_host(), p = rounded->row_scaling().to_host();
        for (std::size_t i = 0; i < r.size(); ++i) {
            int exponent = 0;
            EXPECT_EQ(std::frexp(p[i], &exponent), 0.5);
            EXPECT_LE(std::abs(std::log2(p[i] / r[i])), 0.6);
        }
    });
}

/// What thresholds drop no longer hangs on units.
TEST(Scaled, SavesIterationsWhereUnitsDiffer)
{
    const auto skew = generate_problem<double, I>("convdiff3d:8:20");
    const auto a = in_other_units(skew, false);
    const auto iterations = [](const Executor& exec, const CsrData<double, I>& matrix, FactoryPtr<double> m) {
        const auto there = csr(exec, matrix);
        const auto solver = Gmres<double>::factory({.stop = {.max_iterations = 60, .relative_residual = 1e-9},
                                                    .preconditioner = std::move(m),
                                                    .krylov_dim = 60})
                                .generate(there);
        const auto n = static_cast<std::size_t>(matrix.size.rows);
        Dense<double> x = Dense<double>::vector(exec, std::vector<double>(n, 0));
        const auto ones = Dense<double>::vector(exec, std::vector<double>(n, 1));
        Dense<double> b(exec, x.size());
        there->apply(ones, b);
        const auto result = solver->solve(b, x);
        return result.converged() ? result.iterations() : 61;
    };
    on_each_executor([&](const Executor& exec) {
        const FactoryPtr<double> ilut = Ilut<double>::factory({.k = 5, .tol = 1e-2, .scaling = FactorScaling::none});
        const auto plain = iterations(exec, a, ilut);
        const auto scaled = iterations(exec, a, Scaled<double>::factory({.inner = ilut}));
        EXPECT_LT(2 * scaled, plain);
        EXPECT_LE(scaled, 3 * iterations(exec, skew, ilut));
        EXPECT_LT(iterations(exec, a, Ilut<double>::factory({.k = 5, .tol = 1e-2})), plain) << "by itself";
    });
}

/// Residuals and norms are those of the unscaled system.
TEST(Scaled, SolvesByASolver)
{
    const auto data = in_other_units(generate_problem<double, I>("convdiff3d:5:20"), false);
    on_each_executor([&](const Executor& exec) {
        const auto a = csr(exec, data);
        Random random(2011);
        const auto expected = random_dense<double>(random, exec, {a->size().rows, 2});
        Dense<double> b(exec, expected.size()), x(exec, expected.size());
        a->apply(expected, b);
        x.fill(0);
        const auto scaled =
            Scaled<double>::factory({.inner = BiCgStab<double>::factory({.stop = {.relative_residual = 1e-12}})})
                .generate(a);
        const auto result = scaled->solve(b, x);
        EXPECT_TRUE(result.converged()) << result.reason();
        EXPECT_EQ(result.columns[0].rhs_norm, b.norm2()[0]);
        Dense<double> r = b.copy();
        a->apply(-1.0, x, 1.0, r);
        EXPECT_NEAR(result.columns[1].residual, r.norm2()[1], 1e-6 * b.norm2()[1]);
        EXPECT_LE(r.norm2()[1], 1e-6 * b.norm2()[1]);
    });
}

TEST(Scaled, TakesNewValues)
{
    const auto data = generate_problem<double, I>("convdiff3d:5:20");
    const auto other = in_other_units(data, false);
    on_each_executor([&](const Executor& exec) {
        const auto factory = Scaled<double>::factory({.inner = Ilu0<double>::factory()});
        auto m = factory.generate(csr(exec, data));
        const auto expected = factory.generate(csr(exec, other));
        m->update_values(csr(exec, other));
        EXPECT_EQ(m->row_scaling().to_host(), expected->row_scaling().to_host());
        const auto b = Dense<double>::filled(exec, {125, 1}, 1);
        Dense<double> x(exec, {125, 1}), y(exec, {125, 1});
        m->apply(b, x);
        expected->apply(b, y);
        EXPECT_EQ(x.to_host(), y.to_host());
    });
}

TEST(Scaled, RowsOfZerosKeepTheirFactor)
{
    on_each_executor([](const Executor& exec) {
        // [4 . .; . . .; . . 0]
        const auto m = Scaled<double>::factory().generate(csr(exec, {{3, 3}, {0, 1, 1, 2}, {0, 2}, {4, 0}}));
        const auto r = m->row_scaling().to_host(), c = m->column_scaling().to_host();
        EXPECT_NEAR(r[0] * c[0], 0.25, 1e-3);
        EXPECT_EQ(r[1], 1);
        EXPECT_EQ(c[2], 1);
        EXPECT_EQ(Scaled<double>::factory().generate(share(Csr<double, I>(exec, Dim{0, 0})))->size(), (Dim{0, 0}));
    });
}

TEST(Scaled, RefusesWhatItCannotDo)
{
    const auto a = csr(reference_executor(), generate_problem<double, I>("lap2d:3"));
    EXPECT_THROW(Scaled<double>::factory({.scaling_steps = 0}).generate(a), InvalidParameter);
    EXPECT_THROW(Scaled<double>::factory().generate(share(Csr<double, I>(reference_executor(), Dim{2, 3}))),
                 DimensionMismatch);
    const auto m = Scaled<double>::factory({.inner = Jacobi<double>::factory()}).generate(a);
    auto x = Dense<double>::filled(reference_executor(), {9, 1}, 0);
    EXPECT_THROW(m->solve(Dense<double>::filled(reference_executor(), {9, 1}, 1), x), NotSupported);
    const std::string text = "scaled:norm=two,powers_of_two=true,inner=ilu0";
    EXPECT_EQ(config::to_short<double>(*config::parse_short<double>(text)).text, text);
}

/// They used to end in a null pointer's memory.
TEST(Scaled, FactoriesOfOthersThatMakeNothing)
{
    const auto a = csr(reference_executor(), generate_problem<double, I>("lap2d:3"));
    const auto nothing =
        make_factory<double>([](const LinOpPtr<double>&) -> std::unique_ptr<LinOp<double>> { return nullptr; });
    EXPECT_THROW(Scaled<double>::factory({.inner = nothing}).generate(a), InvalidParameter);
    EXPECT_THROW(Gmres<double>::factory({.preconditioner = nothing}).generate(a), InvalidParameter);
}

}  // namespace
}  // namespace linden::test
