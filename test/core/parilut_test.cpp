// needs: double int32
#include <linden/config/config.hpp>
#include <linden/error.hpp>
#include <linden/io/problems.hpp>
#include <linden/matrix/dense.hpp>
#include <linden/preconditioner/ic.hpp>
#include <linden/preconditioner/ilu.hpp>
#include <linden/solver/cg.hpp>
#include <linden/solver/gmres.hpp>

#include <algorithm>
#include <cmath>

#include "test/support/compare.hpp"
#include "test/support/matrices.hpp"

/// Incomplete factors by fixed-point iterations.
namespace linden::test {
namespace {

using I = std::int32_t;

LinOpPtr<double> csr(const Executor& exec, const CsrData<double, I>& a) { return share(Csr<double, I>(exec, a)); }

template <class Op>
CsrData<double, I> factors_of(const Op& op)
{
    return dynamic_cast<const Csr<double, I>&>(*op.factors()).to_host();
}

/// A diffusion whose directions differ, of rows in no special order.
CsrData<double, I> anisotropic(size_type n)
{
    return generate_problem<double, I>("aniso3d:" + std::to_string(n) + ":0.01");
}

CsrData<double, I> scaled(CsrData<double, I> a, double factor)
{
    for (auto& value : a.values) {
        value *= factor;
    }
    return a;
}

/// With as many sweeps as there are rows in a chain, the factors are those of elimination.
TEST(ParIlu, SweepsEndAtTheFactorsOfElimination)
{
    on_each_executor([](const Executor& exec) {
        const auto grid = csr(exec, generate_problem<double, I>("lap2d:9"));
        const auto skew = csr(exec, generate_problem<double, I>("convdiff3d:5:20"));
        const auto expect_same = [](const auto& swept, const auto& eliminated) {
            EXPECT_EQ(factors_of(*swept).col_idxs, factors_of(*eliminated).col_idxs);
            expect_near(factors_of(*swept).values, factors_of(*eliminated).values, 64, 8.0);
            EXPECT_EQ(swept->num_bad_pivots(), 0);
        };
        expect_same(ParIlu<double>::factory({.factor_sweeps = 40}).generate(grid),
                    Ilu0<double>::factory().generate(grid));
        expect_same(ParIlu<double>::factory({.factor_sweeps = 40}).generate(skew),
                    Ilu0<double>::factory().generate(skew));
        expect_same(ParIlu<double>::factory({.k = 2, .factor_sweeps = 60}).generate(skew),
                    Iluk<double>::factory({.k = 2}).generate(skew));
        expect_same(ParIc<double>::factory({.factor_sweeps = 40}).generate(grid),
                    Ic0<double>::factory().generate(grid));
        const auto first = ParIlu<double>::factory({.factor_sweeps = 1}).generate(grid);
        EXPECT_GT(std::abs(factors_of(*first).values.back() -
                           factors_of(*Ilu0<double>::factory().generate(grid)).values.back()),
                  0.05)
            << "one sweep is not enough";
    });
}

/// In place one sweep is elimination where there is one block of rows, three where there are three.
TEST(ParIlu, SweepsInPlaceEliminateInBlocks)
{
    on_each_executor([](const Executor& exec) {
        const auto distance = [&](const char* problem, size_type sweeps, SweepOrder order) {
            const auto a = csr(exec, generate_problem<double, I>(problem));
            const auto swept =
                factors_of(*ParIlu<double>::factory({.factor_sweeps = sweeps, .sweep_order = order}).generate(a));
            const auto eliminated = factors_of(*Ilu0<double>::factory().generate(a));
            EXPECT_EQ(swept.col_idxs, eliminated.col_idxs);
            double most = 0;
            for (std::size_t k = 0; k < swept.values.size(); ++k) {
                most = std::max(most, std::abs(swept.values[k] - eliminated.values[k]));
            }
            return most;
        };
        EXPECT_LT(distance("convdiff3d:9:20", 1, SweepOrder::in_place), 1e-12);
        EXPECT_GT(distance("convdiff3d:9:20", 1, SweepOrder::synchronous), 1e-3);
        EXPECT_GT(distance("lap2d:50", 1, SweepOrder::in_place), 1e-3);  // 2500 rows
        EXPECT_LT(distance("lap2d:50", 3, SweepOrder::in_place), 1e-13);
        EXPECT_GT(distance("lap2d:50", 3, SweepOrder::synchronous), 1e-3);
    });
}

/// Without a limit that binds, steps end at the exact factors.
TEST(ParIlut, StepsEndAtExactFactors)
{
    on_each_executor([](const Executor& exec) {
        const auto expect_exact = [&](const auto& factory, const char* problem) {
            const auto a = csr(exec, generate_problem<double, I>(problem));
            Random random(1901);
            const auto x = random_dense<double>(random, exec, {a->size().rows, 2});
            Dense<double> b(exec, x.size()), solution(exec, x.size());
            a->apply(x, b);
            factory.generate(a)->apply(b, solution);
            expect_near(solution.to_host(), x.to_host(), 1e5, 1.0);
        };
        expect_exact(ParIlut<double>::factory({.steps = 30, .fill = 1000}), "lap2d:6");
        expect_exact(ParIlut<double>::factory({.steps = 30, .fill = 1000}), "convdiff3d:3:20");
        expect_exact(ParIct<double>::factory({.steps = 30, .fill = 1000}), "lap2d:6");
        const auto order = SweepOrder::in_place;
        expect_exact(ParIlut<double>::factory({.steps = 8, .fill = 1000, .sweep_order = order}), "convdiff3d:3:20");
        expect_exact(ParIct<double>::factory({.steps = 8, .fill = 1000, .sweep_order = order}), "lap2d:6");
    });
}

TEST(ParIlut, KeepsItsLimits)
{
    on_each_executor([](const Executor& exec) {
        const auto a = csr(exec, anisotropic(17));  // more rows than a sample has
        const auto nnz = dynamic_cast<const Csr<double, I>&>(*a).num_nonzeros();
        const auto n = a->size().rows;
        const auto entries = [&](SweptThresholdFill p) {
            p.steps = std::min<size_type>(p.steps, 2);
            return static_cast<double>(ParIlut<double>::factory(p).generate(a)->num_nonzeros());
        };
        const auto limit = 1.5 * static_cast<double>(nnz);
        const auto exact = entries({.fill = 1.5});
        EXPECT_LE(exact, limit);
        EXPECT_GE(exact, 0.97 * limit);
        const auto approximate = entries({.fill = 1.5, .selection = Selection::approximate});
        EXPECT_LE(approximate, 1.05 * limit);
        EXPECT_GE(approximate, 0.95 * limit);
        const auto in_place = entries({.fill = 1.5, .sweep_order = SweepOrder::in_place});
        EXPECT_LE(in_place, limit);
        EXPECT_GE(in_place, 0.97 * limit);
        EXPECT_LE(entries({.steps = 1, .fill = 8, .row_fill = 4}), 4.0 * static_cast<double>(n));
        EXPECT_LE(entries({.steps = 1, .fill = 8, .bytes = 60.0 * static_cast<double>(n)}),
                  5.0 * static_cast<double>(n));
        EXPECT_EQ(entries({.steps = 1, .fill = 0}), static_cast<double>(n)) << "the diagonal stays";
        EXPECT_EQ(entries({.steps = 0, .fill = 0}), static_cast<double>(nnz)) << "no step looks at the limit";
    });
}

TEST(ParIlut, HasTheSameBitsEverywhere)
{
    const auto skew = generate_problem<double, I>("convdiff3d:17:30");
    const auto grid = anisotropic(17);
    const auto factors = [](const Executor& exec, const CsrData<double, I>& a, SweptThresholdFill p) {
        p.steps = 2;
        p.fill = 1.7;
        return factors_of(*ParIlut<double>::factory(p).generate(csr(exec, a)));
    };
    const auto cholesky = [](const Executor& exec, const CsrData<double, I>& a) {
        return factors_of(*ParIct<double>::factory({.steps = 2, .fill = 1.7}).generate(csr(exec, a)));
    };
    for (const auto& p : {SweptThresholdFill{}, SweptThresholdFill{.selection = Selection::approximate},
                          SweptThresholdFill{.sweep_order = SweepOrder::in_place}}) {
        const auto expected = factors(reference_executor(), skew, p);
        on_each_executor([&](const Executor& exec) {
            const auto actual = factors(exec, skew, p);
            EXPECT_EQ(actual.row_ptrs, expected.row_ptrs);
            EXPECT_EQ(actual.col_idxs, expected.col_idxs);
            EXPECT_EQ(actual.values, expected.values);
        });
    }
    const auto expected = cholesky(reference_executor(), grid);
    on_each_executor([&](const Executor& exec) {
        const auto actual = cholesky(exec, grid);
        EXPECT_EQ(actual.col_idxs, expected.col_idxs);
        EXPECT_EQ(actual.values, expected.values);
    });
}

/// Of GMRES to a residual of 1e-9.
size_type iterations_with(const Executor& exec, const CsrData<double, I>& data, FactoryPtr<double> preconditioner)
{
    const auto solver =
        Gmres<double>::factory({.stop = {.relative_residual = 1e-9}, .preconditioner = std::move(preconditioner)})
            .generate(csr(exec, data));
    const auto n = static_cast<std::size_t>(data.size.rows);
    Dense<double> x = Dense<double>::vector(exec, std::vector<double>(n, 0));
    const auto result = solver->solve(Dense<double>::vector(exec, std::vector<double>(n, 1)), x);
    EXPECT_TRUE(result.converged()) << result.reason();
    return result.iterations();
}

/// Each step helps, and the counts are those of the reference.
TEST(ParIlut, StepsSaveIterations)
{
    const auto data = anisotropic(8);
    const auto iterations = [&](const Executor& exec, FactoryPtr<double> preconditioner) {
        return iterations_with(exec, data, std::move(preconditioner));
    };
    const auto after = [&](const Executor& exec, size_type steps) {
        return iterations(exec, ParIlut<double>::factory({.steps = steps, .fill = 2}));
    };
    on_each_executor([&](const Executor& exec) {
        EXPECT_LT(after(exec, 1), after(exec, 0));
        EXPECT_LT(after(exec, 3), after(exec, 1));
        EXPECT_EQ(after(exec, 3), after(reference_executor(), 3));
        EXPECT_LT(after(exec, 5), iterations(exec, Ilu0<double>::factory()));
        EXPECT_LE(iterations(exec, ParIlut<double>::factory({.steps = 1, .eliminate = true})), after(exec, 1));
        EXPECT_LT(iterations(exec, ParIlut<double>::factory({.k = 1, .steps = 1})), after(exec, 1));
    });
}

/// Rows in three blocks.
TEST(ParIlut, SweepsInPlaceSaveSteps)
{
    const auto data = generate_problem<double, I>("aniso2d:50:0.01");
    on_each_executor([&](const Executor& exec) {
        const auto after = [&](size_type steps, SweepOrder order) {
            return iterations_with(
                exec, data,
                ParIlut<double>::factory({.steps = steps, .fill = 2, .factor_sweeps = 1, .sweep_order = order}));
        };
        EXPECT_EQ(after(0, SweepOrder::in_place), after(0, SweepOrder::synchronous)) << "nothing is swept";
        EXPECT_LT(after(1, SweepOrder::in_place), after(2, SweepOrder::synchronous));
        EXPECT_LT(after(2, SweepOrder::in_place), after(1, SweepOrder::in_place));
    });
}

/// On the patterns that steps find, elimination does what an infinite number of sweeps would.
TEST(ParIlut, EliminatesOnThePatternsFound)
{
    on_each_executor([](const Executor& exec) {
        const auto a = csr(exec, generate_problem<double, I>("convdiff3d:6:20"));
        auto eliminated = ParIlut<double>::factory({.steps = 3, .eliminate = true}).generate(a);
        const auto swept = ParIlut<double>::factory({.steps = 3}).generate(a);
        EXPECT_NE(factors_of(*eliminated).values, factors_of(*swept).values);
        auto product = [](const CsrData<double, I>& f, I row, I col) {
            double sum = 0;
            for (I k = f.row_ptrs[row]; k < f.row_ptrs[row + 1] && f.col_idxs[k] <= std::min(row, col); ++k) {
                const I mid = f.col_idxs[k];
                const auto* const first = &f.col_idxs[f.row_ptrs[mid]];
                const auto* const last = first + (f.row_ptrs[mid + 1] - f.row_ptrs[mid]);
                const auto* const at = std::lower_bound(first, last, col);
                if (at != last && *at == col) {
                    sum += (mid == row ? 1 : f.values[k]) * f.values[at - f.col_idxs.data()];
                }
            }
            return sum;
        };
        const auto matrix = dynamic_cast<const Csr<double, I>&>(*a).to_host();
        const auto expect_product = [&](const CsrData<double, I>& f, double factor) {
            for (I row = 0; row < matrix.size.rows; ++row) {
                for (I k = matrix.row_ptrs[row]; k < matrix.row_ptrs[row + 1]; ++k) {
                    ASSERT_NEAR(product(f, row, matrix.col_idxs[k]), factor * matrix.values[k], 1e-12);
                }
            }
        };
        expect_product(factors_of(*eliminated), 1);
        eliminated->update_values(csr(exec, scaled(matrix, 3)));
        expect_product(factors_of(*eliminated), 3);
    });
}

/// New values take the pattern that was found; a factor of two changes no bit of L.
TEST(ParIlut, TakesNewValues)
{
    const auto order = {SweepOrder::synchronous, SweepOrder::in_place};
    on_each_executor([&](const Executor& exec) {
        const auto data = generate_problem<double, I>("convdiff3d:8:20");
        for (const auto sweep_order : order) {
            auto ilu = ParIlut<double>::factory({.sweep_order = sweep_order}).generate(csr(exec, data));
            const auto pattern = factors_of(*ilu).col_idxs;
            ilu->update_values(csr(exec, data));
            const auto once = factors_of(*ilu);
            const auto twice = csr(exec, scaled(data, 2));
            const auto before = exec.counters();
            ilu->update_values(twice);
            EXPECT_EQ(exec.counters().allocations, before.allocations);
            const auto doubled = factors_of(*ilu);
            EXPECT_EQ(doubled.col_idxs, pattern);
            for (size_type row = 0; row < data.size.rows; ++row) {
                for (auto k = doubled.row_ptrs[row]; k < doubled.row_ptrs[row + 1]; ++k) {
                    ASSERT_EQ(doubled.values[k], (doubled.col_idxs[k] < row ? 1 : 2) * once.values[k]);
                }
            }
        }
        const auto eliminated = Ilu0<double>::factory().generate(csr(exec, data));
        auto swept = ParIlu<double>::factory({.factor_sweeps = 40}).generate(csr(exec, scaled(data, 5)));
        swept->update_values(csr(exec, data));
        expect_near(factors_of(*swept).values, factors_of(*eliminated).values, 64, 8.0);
    });
}

TEST(ParIlut, BlocksAreFactorizedByThemselves)
{
    on_each_executor([](const Executor& exec) {
        const auto data = generate_problem<double, I>("lap2d:8");
        auto ilu = ParIlut<double>::factory({.steps = 30, .fill = 1000, .block_rows = 16}).generate(csr(exec, data));
        const auto exact = Ilut<double>::factory({.k = 64, .tol = 0, .block_rows = 16}).generate(csr(exec, data));
        EXPECT_EQ(factors_of(*ilu).col_idxs, factors_of(*exact).col_idxs);
        expect_near(factors_of(*ilu).values, factors_of(*exact).values, 64, 8.0);
        ilu->update_values(csr(exec, data));
        expect_near(factors_of(*ilu).values, factors_of(*exact).values, 64, 8.0);
    });
}

/// Pivots that are not there, and values that are none.
TEST(ParIlut, ReplacesBadPivots)
{
    on_each_executor([](const Executor& exec) {
        // [. 2 .; 3 . .; . . 0]: rows without a diagonal, a row of zeros
        const auto a = csr(exec, {{3, 3}, {0, 1, 2, 3}, {1, 0, 2}, {2, 3, 0}});
        const auto ilu = ParIlut<double>::factory({.steps = 1, .factor_sweeps = 0}).generate(a);
        EXPECT_EQ(ilu->num_bad_pivots(), 2) << "0 and 2; 1 gets -3 from 2 / 2 3";
        EXPECT_EQ(ilu->first_bad_row(), 0);
        auto data = generate_problem<double, I>("lap2d:5");
        data.values[7] = std::numeric_limits<double>::quiet_NaN();
        const auto result = ParIlut<double>::factory().generate(csr(exec, data));
        for (const auto value : factors_of(*result).values) {
            EXPECT_TRUE(std::isfinite(value)) << "what is not a number is dropped";
        }
    });
}

TEST(ParIlut, EmptyAndOneByOne)
{
    on_each_executor([](const Executor& exec) {
        const auto check = [&](const auto& factory) {
            Dense<double> nothing(exec, {0, 1}), result(exec, {0, 1});
            factory.generate(share(Csr<double, I>(exec, Dim{0, 0})))->apply(nothing, result);
            Dense<double> x(exec, {1, 1});
            factory.generate(csr(exec, {{1, 1}, {0, 1}, {0}, {4}}))->apply(Dense<double>::vector(exec, {2}), x);
            EXPECT_EQ(x.to_host(), (std::vector<double>{0.5}));
        };
        check(ParIlu<double>::factory());
        check(ParIlut<double>::factory());
        check(ParIc<double>::factory());
        check(ParIct<double>::factory());
    });
}

TEST(ParIlut, RefusesWhatItCannotDo)
{
    const auto a = csr(reference_executor(), generate_problem<double, I>("lap2d:3"));
    const auto refused = [&](SweptThresholdFill p) -> std::string {
        try {
            (void)ParIlut<double>::factory(p).generate(a);
        } catch (const InvalidParameter& e) {
            return e.name + ": " + e.allowed;
        }
        return "accepted";
    };
    EXPECT_EQ(refused({.steps = -1}), "steps: at least 0");
    EXPECT_EQ(refused({.fill = -1}), "fill: at least 0");
    EXPECT_EQ(refused({.fill = std::numeric_limits<double>::quiet_NaN()}), "fill: at least 0");
    EXPECT_EQ(refused({.row_fill = -1}), "row_fill: at least 0");
    EXPECT_EQ(refused({.bytes = -1}), "bytes: at least 0");
    EXPECT_EQ(refused({.factor_sweeps = -1}), "factor_sweeps: at least 0");
    EXPECT_EQ(refused({.k = -1}), "k: at least 0");
    EXPECT_THROW(ParIlu<double>::factory({.k = -1}).generate(a), InvalidParameter);
}

TEST(ParIlut, ComesFromText)
{
    const std::string text = "parilut:steps=3,fill=1.5,factor_sweeps=4,sweep_order=in_place,selection=approximate";
    const auto factory = config::parse_short<double>(text);
    const auto& p = dynamic_cast<const Factory<ParIlut<double>>&>(*factory).parameters();
    EXPECT_EQ(p.steps, 3);
    EXPECT_EQ(p.fill, 1.5);
    EXPECT_EQ(p.factor_sweeps, 4);
    EXPECT_EQ(p.sweep_order, SweepOrder::in_place);
    EXPECT_EQ(p.selection, Selection::approximate);
    EXPECT_EQ(config::to_short<double>(*factory).text, "par-ilut" + text.substr(text.find(':')));
    const auto json = config::to_json<double>(factory);
    EXPECT_EQ(config::to_json<double>(config::parse_factory<double>(json, "parilut.json")), json);
}

}  // namespace
}  // namespace linden::test
