#include <linden/error.hpp>
#include <linden/io/problems.hpp>
#include <linden/matrix/dense.hpp>
#include <linden/matrix/identity.hpp>
#include <linden/preconditioner/ic.hpp>
#include <linden/preconditioner/ilu.hpp>
#include <linden/solver/bicgstab.hpp>
#include <linden/solver/cg.hpp>

#include <algorithm>
#include <cmath>

#include "core/kernels/vendor_triangular.hpp"
#include "test/support/compare.hpp"
#include "test/support/matrices.hpp"
#include "test/support/pathological.hpp"

/// Incomplete factorizations as preconditioners.
namespace linden::test {
namespace {

using I = std::int32_t;
using enum TriangularAlgorithm;
namespace p = pathological;

LinOpPtr<double> csr(const Executor& exec, const CsrData<double, I>& a) { return share(Csr<double, I>(exec, a)); }

template <class Op>
CsrData<double, I> factors_of(const Op& op)
{
    return dynamic_cast<const Csr<double, I>&>(*op.factors()).to_host();
}

/// The Laplacian on a 2 x 3 grid: ILU(0) by hand drops the fill between neighbours' neighbours.
TEST(Ilu, ByHand)
{
    on_each_executor([](const Executor& exec) {
        // [4 -1 -1 .; -1 4 . -1; -1 . 4 -1; . -1 -1 4]
        const auto a = csr(exec, generate_problem<double, I>("lap2d:2"));
        const auto ilu = Ilu0<double>::factory().generate(a);
        const double u11 = 4 - 1. / 4;
        const double u33 = 4 - 2 / u11;
        expect_near(factors_of(*ilu).values, {4, -1, -1, -1. / 4, u11, -1, -1. / 4, u11, -1, -1 / u11, -1 / u11, u33},
                    8, 4.0);
        const auto ic = Ic0<double>::factory().generate(a);
        const double l11 = std::sqrt(u11);
        expect_near(factors_of(*ic).values, {2, -0.5, l11, -0.5, l11, -1 / l11, -1 / l11, std::sqrt(u33)}, 8, 4.0);
        EXPECT_EQ(ilu->num_bad_pivots(), 0);
        EXPECT_EQ(ilu->first_bad_row(), -1);
    });
}

/// With all fill there is, factors are exact.
template <class Factory>
void expect_exact(const Executor& exec, const Factory& factory, const CsrData<double, I>& data)
{
    Random random(881);
    const auto a = csr(exec, data);
    const auto x = random_dense<double>(random, exec, {a->size().rows, 3});
    Dense<double> b(exec, x.size()), solution(exec, x.size());
    a->apply(x, b);
    factory.generate(a)->apply(b, solution);
    expect_near(solution.to_host(), x.to_host(), 1e5, 1.0);
}

TEST(Ilu, IsExactWithoutDropping)
{
    on_each_executor([](const Executor& exec) {
        const auto grid = generate_problem<double, I>("lap2d:8");
        const auto skew = generate_problem<double, I>("convdiff3d:4:30");
        expect_exact(exec, Iluk<double>::factory({.k = 64}), grid);
        expect_exact(exec, Iluk<double>::factory({.k = 64}), skew);
        expect_exact(exec, Ilut<double>::factory({.k = 64, .tol = 0}), grid);
        expect_exact(exec, Ilut<double>::factory({.k = 64, .tol = 0}), skew);
        expect_exact(exec, Ick<double>::factory({.k = 64}), grid);
        expect_exact(exec, Ict<double>::factory({.k = 128, .tol = 0}), grid);
    });
}

/// Iterations fall with fill; the counts are those of the reference on every executor.
TEST(Ilu, PreconditionsCgAlikeEverywhere)
{
    const auto data = generate_problem<double, I>("lap2d:50");
    const auto iterations = [&](const Executor& exec, FactoryPtr<double> preconditioner) {
        const auto solver =
            Cg<double>::factory({.stop = {.relative_residual = 1e-8}, .preconditioner = std::move(preconditioner)})
                .generate(csr(exec, data));
        const auto b = Dense<double>::vector(exec, std::vector<double>(2500, 1));
        Dense<double> x = Dense<double>::vector(exec, std::vector<double>(2500, 0));
        const auto result = solver->solve(b, x);
        EXPECT_TRUE(result.converged()) << result.reason();
        return result.iterations();
    };
    on_each_executor([&](const Executor& exec) {
        const auto plain = iterations(exec, nullptr);
        const auto ilu0 = iterations(exec, Ilu0<double>::factory());
        const auto ic0 = iterations(exec, Ic0<double>::factory());
        EXPECT_EQ(ilu0, iterations(reference_executor(), Ilu0<double>::factory()));
        EXPECT_LE(std::abs(ic0 - ilu0), 1);
        EXPECT_LT(ilu0, plain / 2);
        for (const auto algorithm : {levels, syncfree, parts}) {
            EXPECT_EQ(iterations(exec, Ilu0<double>::factory({.triangular = {.algorithm = algorithm}})), ilu0);
        }
        if (vendor_triangular_solve<double, I>.available(exec.backend())) {
            const TriangularOptions by_vendor{.algorithm = vendor};
            EXPECT_LE(std::abs(iterations(exec, Ilu0<double>::factory({.triangular = by_vendor})) - ilu0), 1);
            EXPECT_LE(std::abs(iterations(exec, Ic0<double>::factory({.triangular = by_vendor})) - ic0), 1);
        }
        const auto ic1 = iterations(exec, Ick<double>::factory({.k = 1}));
        EXPECT_LT(ic1, ic0);
        EXPECT_LT(iterations(exec, Ict<double>::factory({.k = 10, .tol = 1e-3})), ic1);
        EXPECT_LE(iterations(exec, Ilu0<double>::factory({.triangular = {.storage = StoragePrecision::half}})),
                  ilu0 + 8);
        EXPECT_LE(iterations(exec, Ic0<double>::factory({.triangular = {.algorithm = sweeps, .sweeps = 20}})), ic0 + 2);
    });
}

TEST(Ilu, PreconditionsBiCgStab)
{
    const auto data = generate_problem<double, I>("convdiff3d:12:40");
    on_each_executor([&](const Executor& exec) {
        const auto n = data.size.rows;
        for (const FactoryPtr<double>& m : {FactoryPtr<double>(Ilu0<double>::factory()),
                                            FactoryPtr<double>(Ilut<double>::factory({.k = 5, .tol = 1e-3}))}) {
            const auto solver = BiCgStab<double>::factory({.stop = {.relative_residual = 1e-9}, .preconditioner = m})
                                    .generate(csr(exec, data));
            const auto b = Dense<double>::vector(exec, std::vector<double>(static_cast<std::size_t>(n), 1));
            Dense<double> x = Dense<double>::vector(exec, std::vector<double>(static_cast<std::size_t>(n), 0));
            const auto result = solver->solve(b, x);
            EXPECT_TRUE(result.converged()) << result.reason();
            EXPECT_LT(result.iterations(), 12);
        }
    });
}

/// Zero pivots are counted, the least row with one is named, and applications stay finite.
TEST(Ilu, ReportsBadPivots)
{
    on_each_executor([](const Executor& exec) {
        // [1 2 .; 2 4 .; . . 0]: the second pivot is 0 after elimination, the third from the start
        const CsrData<double, I> a{{3, 3}, {0, 2, 4, 4}, {0, 1, 0, 1}, {1, 2, 2, 4}};
        const auto expect_two = [&](const auto& op) {
            EXPECT_EQ(op.num_bad_pivots(), 2);
            EXPECT_EQ(op.first_bad_row(), 1);
            Dense<double> x(exec, {3, 1});
            op.apply(Dense<double>::vector(exec, {1, 1, 1}), x);
            for (const double value : x.to_host()) {
                EXPECT_TRUE(std::isfinite(value));
            }
        };
        expect_two(*Ilu0<double>::factory().generate(csr(exec, a)));
        expect_two(*Iluk<double>::factory().generate(csr(exec, a)));
        expect_two(*Ilut<double>::factory().generate(csr(exec, a)));
        expect_two(*Ic0<double>::factory().generate(csr(exec, a)));
        expect_two(*Ict<double>::factory().generate(csr(exec, a)));
        EXPECT_EQ(Ilu0<double>::factory({.shift = 0.5}).generate(csr(exec, a))->num_bad_pivots(), 1)
            << "the shift mends the second row, a row of zeros has no norm";
    });
}

/// An indefinite matrix has no Cholesky factor; a solve with what there is says how it ended and never lies.
TEST(Ilu, IndefiniteMatricesEndWithAStatus)
{
    on_each_executor([](const Executor& exec) {
        const auto a = csr(exec, {{2, 2}, {0, 2, 4}, {0, 1, 0, 1}, {1, 2, 2, 1}});
        EXPECT_EQ(Ic0<double>::factory().generate(a)->num_bad_pivots(), 1);
        const auto solver = Cg<double>::factory({.preconditioner = Ic0<double>::factory()}).generate(a);
        Dense<double> x = Dense<double>::vector(exec, {0, 0});
        const auto result = solver->solve(Dense<double>::vector(exec, {1, -1}), x);
        EXPECT_NE(result.status(), SolveStatus::not_a_number);
        if (result.converged()) {
            expect_near(x.to_host(), {-1, 1}, 1e6);
        }
    });
}

/// New values on the pattern of factors with thresholds: the factorization on that pattern.
TEST(Ilu, ThresholdFactorsTakeNewValues)
{
    on_each_executor([](const Executor& exec) {
        auto data = generate_problem<double, I>("lap2d:8");
        auto ilu = Ilut<double>::factory({.k = 64, .tol = 0}).generate(csr(exec, data));
        auto ic = Ict<double>::factory({.k = 128, .tol = 0}).generate(csr(exec, data));
        for (auto& value : data.values) {
            value *= 3;
        }
        const auto a = csr(exec, data);
        ilu->update_values(a);
        ic->update_values(a);
        Random random(882);
        const auto x = random_dense<double>(random, exec, {64, 2});
        Dense<double> b(exec, {64, 2}), solution(exec, {64, 2});
        a->apply(x, b);
        ilu->apply(b, solution);
        expect_near(solution.to_host(), x.to_host(), 1e5, 1.0);
        ic->apply(b, solution);
        expect_near(solution.to_host(), x.to_host(), 1e5, 1.0);
    });
}

TEST(Ilu, LimitsRowsAsThePaperSays)
{
    on_each_executor([](const Executor& exec) {
        const auto data = generate_problem<double, I>("lap2d:20");
        const auto most = data.row_ptrs.back() / data.size.rows + 3;
        const auto factors = factors_of(*Ilut<double>::factory({.k = 3, .tol = 0}).generate(csr(exec, data)));
        I longest = 0;
        for (size_type row = 0; row < data.size.rows; ++row) {
            const auto* const first = &factors.col_idxs[factors.row_ptrs[row]];
            const auto* const last = &factors.col_idxs[factors.row_ptrs[row + 1] - 1] + 1;
            const auto lower = static_cast<I>(std::lower_bound(first, last, row) - first);
            longest = std::max({longest, lower, static_cast<I>(last - first - lower - 1)});
        }
        EXPECT_EQ(longest, most);
    });
}

TEST(Ilu, RefusesWhatItCannotDo)
{
    on_each_executor([](const Executor& exec) {
        const auto a = csr(exec, generate_problem<double, I>("lap2d:3"));
        EXPECT_THROW(Ilu0<double>::factory().generate(share(Identity<double>(exec, 3))), NotSupported);
        EXPECT_THROW(Ilu0<double>::factory().generate(share(Csr<double, I>(exec, Dim{2, 3}))), DimensionMismatch);
        EXPECT_THROW(Iluk<double>::factory({.k = -1}).generate(a), InvalidParameter);
        EXPECT_THROW(Ilut<double>::factory({.tol = -1}).generate(a), InvalidParameter);
        EXPECT_THROW(Ict<double>::factory({.k = -1}).generate(a), InvalidParameter);
    });
}

TEST(Ilu, EmptyAndOneByOne)
{
    on_each_executor([](const Executor& exec) {
        const auto check = [&](const auto& factory) {
            Dense<double> nothing(exec, {0, 1}), result(exec, {0, 1});
            factory.generate(share(Csr<double, I>(exec, Dim{0, 0})))->apply(nothing, result);
            Dense<double> x(exec, {1, 1});
            factory.generate(csr(exec, {{1, 1}, {0, 1}, {0}, {4}}))->apply(Dense<double>::vector(exec, {2}), x);
            EXPECT_EQ(x.to_host(), (std::vector<double>{0.5}));
        };
        check(Ilu0<double>::factory());
        check(Iluk<double>::factory());
        check(Ilut<double>::factory());
        check(Ic0<double>::factory());
        check(Ick<double>::factory());
        check(Ict<double>::factory());
    });
}

}  // namespace
}  // namespace linden::test
