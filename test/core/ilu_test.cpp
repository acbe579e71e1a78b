// needs: double int32
#include <linden/config/config.hpp>
#include <linden/error.hpp>
#include <linden/io/problems.hpp>
#include <linden/matrix/dense.hpp>
#include <linden/matrix/identity.hpp>
#include <linden/preconditioner/ic.hpp>
#include <linden/preconditioner/ilu.hpp>
#include <linden/preconditioner/jacobi.hpp>
#include <linden/solver/bicgstab.hpp>
#include <linden/solver/cg.hpp>

#include <algorithm>
#include <cmath>

#include "core/factorization/threshold.hpp"
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
        for (const auto algorithm : {levels, syncfree, segments}) {
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
        EXPECT_LE(iterations(exec, Ic0<double>::factory({.triangular = {.algorithm = jacobi, .sweeps = 20}})), ic0 + 2);
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

/// The matrix of [Kershaw78], positive definite, for which the last pivot of IC(0) is negative.
TEST(Ilu, CholeskyFactorsFindTheirShift)
{
    const CsrData<double, I> kershaw{
        {4, 4}, {0, 3, 6, 9, 12}, {0, 1, 3, 0, 1, 2, 1, 2, 3, 0, 2, 3}, {3, -2, 2, -2, 3, -2, -2, 3, -2, 2, -2, 3}};
    auto larger = kershaw;
    for (auto& value : larger.values) {
        value *= 2;
    }
    on_each_executor([&](const Executor& exec) {
        const auto a = csr(exec, kershaw);
        const auto expect_good = [&](const IncompleteFactorization<double>& ic) {
            EXPECT_EQ(ic.num_bad_pivots(), 0);
            EXPECT_TRUE(ic.has_found_shift());
            EXPECT_LT(ic.shift(), 0.2);
        };
        auto ic = Ic0<double>::factory().generate(a);
        expect_good(*ic);
        expect_good(*Ic0<double>::factory({.shift = 0.002}).generate(a));
        const double shift = ic->shift();
        ic->update_values(csr(exec, larger));
        EXPECT_EQ(ic->shift(), shift);
        expect_good(*ic);
        const auto enough = Ic0<double>::factory({.shift = 0.3}).generate(a);
        EXPECT_FALSE(enough->has_found_shift());
        EXPECT_EQ(enough->shift(), 0.3);
        EXPECT_EQ(Ick<double>::factory({.k = 2}).generate(a)->shift(), 0) << "the whole factor exists";
        const auto none = csr(exec, {{2, 2}, {0, 1, 2}, {0, 1}, {1, std::nan("")}});
        const auto bad = Ic0<double>::factory({.shift = 0.25}).generate(none);
        EXPECT_EQ(bad->num_bad_pivots(), 1);
        EXPECT_EQ(bad->shift(), 0.25) << "no shift helps";
    });
}

/// An indefinite matrix has no Cholesky factor; a solve with what there is says how it ended and never lies.
TEST(Ilu, IndefiniteMatricesEndWithAStatus)
{
    on_each_executor([](const Executor& exec) {
        const auto a = csr(exec, {{2, 2}, {0, 2, 4}, {0, 1, 0, 1}, {1, 2, 2, 1}});
        const auto ic = Ic0<double>::factory().generate(a);
        EXPECT_EQ(ic->num_bad_pivots(), 0);
        EXPECT_EQ(ic->shift(), 1.024) << "the first of 0.001 2^k with (1 + s) (1 + sqrt(5) s) > 4";
        EXPECT_GT(Ict<double>::factory().generate(a)->shift(), 0.4);
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

TEST(Ilu, ThresholdFactorsAreTheSameWhereverTheyAreFound)
{
    const auto data = generate_problem<double, I>("convdiff3d:8:3");
    for (const bool is_cholesky : {false, true}) {
        const linden::detail::FactorizationPlan plan{.is_cholesky = is_cholesky, .k = 3, .tolerance = 1e-4};
        const Csr<double, I> a(reference_executor(), data);
        const auto expected = linden::detail::factorize_with_threshold(a, plan);
        const auto factors = expected.factors.to_host();
        on_each_executor([&](const Executor& exec) {
            const Csr<double, I> there(exec, data);
            for (const auto& where : {exec, reference_executor()}) {
                const auto found = linden::detail::factorize_with_threshold_on(where, there, plan);
                EXPECT_EQ(found.factors.executor(), exec);
                EXPECT_EQ(found.report.num_bad, expected.report.num_bad);
                EXPECT_EQ(found.factors.to_host().row_ptrs, factors.row_ptrs);
                EXPECT_EQ(found.factors.to_host().col_idxs, factors.col_idxs);
                EXPECT_EQ(found.factors.to_host().values, factors.values);
            }
        });
    }
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

/// `a` without the entries that couple different blocks, `block_of` being nondecreasing.
template <class BlockOf>
CsrData<double, I> without_couplings(const CsrData<double, I>& a, const BlockOf& block_of)
{
    CsrData<double, I> kept{a.size, {0}, {}, {}};
    for (size_type row = 0; row < a.size.rows; ++row) {
        for (auto k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
            if (block_of(row) == block_of(a.col_idxs[k])) {
                kept.col_idxs.push_back(a.col_idxs[k]);
                kept.values.push_back(a.values[k]);
            }
        }
        kept.row_ptrs.push_back(static_cast<I>(kept.col_idxs.size()));
    }
    return kept;
}

/// Factors of A in blocks are those of A without what couples blocks, also after new values.
template <class Op>
void expect_blockwise(const Executor& exec, const CsrData<double, I>& data)
{
    using P = typename Op::Parameters;
    auto other = data;
    for (auto& value : other.values) {
        value *= 1.5 + 0.25 * value;
    }
    const auto n = data.size.rows;
    const auto compare = [&](const P& parameters, const auto& block_of) {
        const auto op = Op::factory(parameters).generate(csr(exec, data));
        const auto whole = Op::factory().generate(csr(exec, without_couplings(data, block_of)));
        const auto equal = [&](double k) {
            const auto factors = factors_of(*op), expected = factors_of(*whole);
            EXPECT_EQ(factors.row_ptrs, expected.row_ptrs);
            EXPECT_EQ(factors.col_idxs, expected.col_idxs);
            expect_near(factors.values, expected.values, k);
            Dense<double> x(exec, {n, 1}), y(exec, {n, 1});
            const auto b = Dense<double>::vector(exec, std::vector<double>(static_cast<std::size_t>(n), 1));
            op->apply(b, x);
            whole->apply(b, y);
            expect_near(x.to_host(), y.to_host(), 16 * k);
        };
        equal(16);
        op->update_values(csr(exec, other));
        whole->update_values(csr(exec, without_couplings(other, block_of)));
        equal(16);
    };
    compare({.block_rows = 20}, [](size_type row) { return row / 20; });
    compare({.block_rows = 7}, [](size_type row) { return row / 7; });
    compare({.blocks = 2}, [n](size_type row) { return row < n - n / 2 ? 0 : 1; });
    compare({.blocks = n}, [](size_type row) { return row; });
    compare({.block_rows = n}, [](size_type) { return 0; });
    compare({.block_rows = 10 * n}, [](size_type) { return 0; });
}

TEST(Ilu, BlocksAreFactorizedByThemselves)
{
    on_each_executor([](const Executor& exec) {
        const auto grid = generate_problem<double, I>("twophase:9:50");
        const auto skew = generate_problem<double, I>("random:85:6:11");
        expect_blockwise<Ic0<double>>(exec, grid);
        expect_blockwise<Ick<double>>(exec, grid);
        expect_blockwise<Ict<double>>(exec, grid);
        expect_blockwise<Ilu0<double>>(exec, skew);
        expect_blockwise<Iluk<double>>(exec, skew);
        expect_blockwise<Ilut<double>>(exec, skew);
    });
}

TEST(Ilu, BlocksByHand)
{
    on_each_executor([](const Executor& exec) {
        // [4 2 .; 2 5 8; . 8 9] in blocks {0, 1} and {2}: L = [2 . .; 1 2 .; . . 3]
        const auto a = csr(exec, {{3, 3}, {0, 2, 5, 7}, {0, 1, 0, 1, 2, 1, 2}, {4, 2, 2, 5, 8, 8, 9}});
        const auto ic = Ic0<double>::factory({.block_rows = 2}).generate(a);
        expect_near(factors_of(*ic).values, {2, 1, 2, 3}, 4);
        EXPECT_EQ(ic->num_bad_pivots(), 0);
        Dense<double> x(exec, {3, 1});
        ic->apply(Dense<double>::vector(exec, {8, 12, 18}), x);  // [4 2 .; 2 5 .; . . 9] x = b
        expect_near(x.to_host(), {1, 2, 2}, 16);
        const auto ilu = Ilu0<double>::factory({.blocks = 2}).generate(a);
        expect_near(factors_of(*ilu).values, {4, 2, 0.5, 4, 9}, 4);
        EXPECT_EQ(ic->shift(), 0);
        EXPECT_GT(Ic0<double>::factory().generate(a)->shift(), 0) << "8 is too large for the whole";
        const auto copy = ic->clone(reference_executor());
        Dense<double> y(reference_executor(), {3, 1});
        copy->apply(Dense<double>::vector(reference_executor(), {8, 12, 18}), y);
        expect_near(y.to_host(), {1, 2, 2}, 16);
    });
}

TEST(Ilu, BlocksOfOneRowAreJacobi)
{
    on_each_executor([](const Executor& exec) {
        const auto a = csr(exec, generate_problem<double, I>("twophase:12:1000"));
        const auto b = Dense<double>::vector(exec, std::vector<double>(144, 1));
        Dense<double> expected(exec, {144, 1}), x(exec, {144, 1});
        Jacobi<double>::factory().generate(a)->apply(b, expected);
        for (const Ic0<double>::Parameters& parameters : {Ic0<double>::Parameters{.block_rows = 1}, {.blocks = 144}}) {
            const auto ic = Ic0<double>::factory(parameters).generate(a);
            EXPECT_TRUE(exec.is_host() || ic->num_levels() == 1);
            ic->apply(b, x);
            expect_near(x.to_host(), expected.to_host(), 8);
        }
        Ilu0<double>::factory({.block_rows = 1}).generate(a)->apply(b, x);
        expect_near(x.to_host(), expected.to_host(), 8);
    });
}

/// Blocks of g rows of an N x N grid in natural order wait for each other's N + g / N - 1 diagonals alone.
TEST(Ilu, BlocksTakeFewLevels)
{
    on_each_executor([](const Executor& exec) {
        if (!exec.is_host()) {
            const auto a = csr(exec, generate_problem<double, I>("lap2d:24"));
            EXPECT_EQ(Ic0<double>::factory().generate(a)->num_levels(), 47);
            const auto blocks = Ic0<double>::factory({.block_rows = 48}).generate(a);
            EXPECT_EQ(blocks->num_levels(), 25);
            EXPECT_EQ(blocks->algorithm(), segments);
            const auto narrow = Ic0<double>::factory({.block_rows = 6}).generate(a);
            EXPECT_EQ(narrow->num_levels(), 6);
            EXPECT_EQ(narrow->algorithm(), syncfree) << "levels that are few and wide keep a device busy";
        }
    });
}

/// Larger blocks, fewer iterations. [GuptaEtAl11, 3.1]
TEST(Ilu, LargerBlocksTakeFewerIterations)
{
    const auto data = generate_problem<double, I>("twophase:32:1000");
    const auto iterations = [&](const Executor& exec, Ic0<double>::Parameters parameters) {
        const auto solver = Cg<double>::factory({.stop = {.relative_residual = 1e-6},
                                                 .preconditioner = Ic0<double>::factory(parameters)})
                                .generate(csr(exec, data));
        auto x = Dense<double>::filled(exec, {1024, 1}, 0);
        const auto result = solver->solve(Dense<double>::filled(exec, {1024, 1}, 1), x);
        EXPECT_TRUE(result.converged()) << result.reason();
        return result.iterations();
    };
    on_each_executor([&](const Executor& exec) {
        const auto two = iterations(exec, {.block_rows = 64});
        const auto eight = iterations(exec, {.block_rows = 256});
        EXPECT_LT(iterations(exec, {}), eight);
        EXPECT_LT(eight, two);
        EXPECT_LT(two, iterations(exec, {.block_rows = 1}));
    });
}

template <class P>
void expect_blocks_from_text(const char* name)
{
    const std::string text = std::string(name) + ":shift=0.5,block_rows=8,trisolve=syncfree";
    const auto factory = config::parse_short<double>(text);
    EXPECT_EQ(dynamic_cast<const Factory<P>&>(*factory).parameters().block_rows, 8) << name;
    EXPECT_EQ(dynamic_cast<const Factory<P>&>(*factory).parameters().blocks, 1) << name;
    const auto json = config::to_json<double>(factory);
    EXPECT_EQ(config::to_json<double>(config::parse_factory<double>(json, "blocks.json")), json);
    EXPECT_EQ(config::to_short<double>(*factory).text, text);
    const auto by_count = config::parse_short<double>(std::string(name) + ":blocks=3");
    EXPECT_EQ(dynamic_cast<const Factory<P>&>(*by_count).parameters().blocks, 3) << name;
}

TEST(Ilu, BlocksComeFromText)
{
    expect_blocks_from_text<Ilu0<double>>("ilu0");
    expect_blocks_from_text<Iluk<double>>("iluk");
    expect_blocks_from_text<Ilut<double>>("ilut");
    expect_blocks_from_text<Ic0<double>>("ic0");
    expect_blocks_from_text<Ick<double>>("ick");
    expect_blocks_from_text<Ict<double>>("ict");
}

template <class Op>
void expect_refusals_of_blocks(const LinOpPtr<double>& a)
{
    const auto refused = [&](const typename Op::Parameters& parameters) -> std::string {
        try {
            (void)Op::factory(parameters).generate(a);
        } catch (const InvalidParameter& e) {
            return e.name + ": " + e.allowed;
        }
        return "accepted";
    };
    EXPECT_EQ(refused({.blocks = 0}), "blocks: 1 to the number of rows");
    EXPECT_EQ(refused({.blocks = 10}), "blocks: 1 to the number of rows");
    EXPECT_EQ(refused({.blocks = 9}), "accepted");
    EXPECT_EQ(refused({.block_rows = -1}), "block_rows: at least 0");
    EXPECT_EQ(refused({.blocks = 2, .block_rows = 2}), "block_rows: 0 where blocks is given");
}

TEST(Ilu, RefusesBlocksThatThereCannotBe)
{
    on_each_executor([](const Executor& exec) {
        const auto a = csr(exec, generate_problem<double, I>("lap2d:3"));
        expect_refusals_of_blocks<Ic0<double>>(a);
        expect_refusals_of_blocks<Ilut<double>>(a);
        const auto none = share(Csr<double, I>(exec, Dim{0, 0}));
        EXPECT_EQ(Ic0<double>::factory({.block_rows = 4}).generate(none)->num_nonzeros(), 0);
        EXPECT_THROW((void)Ic0<double>::factory({.blocks = 2}).generate(none), InvalidParameter);
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
