// needs: double int32
#include <linden/config/config.hpp>
#include <linden/error.hpp>
#include <linden/io/problems.hpp>
#include <linden/matrix/dense.hpp>
#include <linden/matrix/operations.hpp>
#include <linden/matrix/permutation.hpp>
#include <linden/preconditioner/ilu.hpp>
#include <linden/preconditioner/jacobi.hpp>
#include <linden/preconditioner/reordered.hpp>
#include <linden/preconditioner/scaled.hpp>
#include <linden/reorder/cuthill_mckee.hpp>
#include <linden/solver/bicgstab.hpp>
#include <linden/solver/cg.hpp>

#include <algorithm>
#include <numeric>

#include "core/matrix/metis/dissection.hpp"
#include "test/support/compare.hpp"
#include "test/support/matrices.hpp"

/// Orderings, and operators of reordered matrices.
namespace linden::test {
namespace {

using I = std::int32_t;

LinOpPtr<double> csr(const Executor& exec, const CsrData<double, I>& a) { return share(Csr<double, I>(exec, a)); }

/// `a` with rows and columns in another order, the same for both.
CsrData<double, I> shuffled(const CsrData<double, I>& a)
{
    Random random(2101);
    std::vector<I> order(static_cast<std::size_t>(a.size.rows));
    std::iota(order.begin(), order.end(), I{0});
    for (size_type i = a.size.rows - 1; i > 0; --i) {
        std::swap(order[i], order[random.integer(0, i + 1)]);
    }
    const Csr<double, I> matrix(reference_executor(), a);
    return permute_symmetric(matrix, Permutation<double, I>(reference_executor(), order)).to_host();
}

I bandwidth(const CsrData<double, I>& a)
{
    I widest = 0;
    for (I row = 0; row < a.size.rows; ++row) {
        for (I k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
            widest = std::max(widest, std::abs(a.col_idxs[k] - row));
        }
    }
    return widest;
}

CsrData<double, I> reordered(const Executor& exec, const CsrData<double, I>& a)
{
    const Csr<double, I> matrix(exec, a);
    return permute_symmetric(matrix, Permutation<double, I>(exec, reverse_cuthill_mckee(matrix))).to_host();
}

TEST(CuthillMckee, ByHand)
{
    on_each_executor([](const Executor& exec) {
        // The path 2 - 0 - 3 - 1, an isolated vertex 4, and the entry (0, 3) without (3, 0).
        const Csr<double, I> a(exec, {{5, 5}, {0, 2, 3, 4, 5, 5}, {2, 3, 3, 0, 1}, {1, 1, 1, 1, 1}});
        EXPECT_EQ(reverse_cuthill_mckee(a), (std::vector<I>{4, 1, 3, 0, 2}));
        EXPECT_TRUE(reverse_cuthill_mckee(Csr<double, I>(exec, Dim{0, 0})).empty());
        EXPECT_THROW(reverse_cuthill_mckee(Csr<double, I>(exec, Dim{2, 3})), DimensionMismatch);
    });
}

TEST(CuthillMckee, NarrowsBands)
{
    const auto grid = generate_problem<double, I>("lap2d:20");
    const auto skew = generate_problem<double, I>("convdiff3d:7:10");
    on_each_executor([&](const Executor& exec) {
        EXPECT_LE(bandwidth(reordered(exec, shuffled(grid))), 22);  // of a grid row by row: 20
        EXPECT_LE(bandwidth(reordered(exec, shuffled(skew))), 60);  // 49
        EXPECT_GE(bandwidth(shuffled(grid)), 300);
    });
}

/// Iterations no longer hang on the order of rows.
TEST(Reordered, SavesIterations)
{
    const auto grid = generate_problem<double, I>("lap2d:30");
    const auto iterations = [](const Executor& exec, const CsrData<double, I>& a, FactoryPtr<double> m) {
        const auto solver = Cg<double>::factory({.stop = {.relative_residual = 1e-8}, .preconditioner = std::move(m)})
                                .generate(csr(exec, a));
        const auto n = static_cast<std::size_t>(a.size.rows);
        Dense<double> x = Dense<double>::vector(exec, std::vector<double>(n, 0));
        const auto result = solver->solve(Dense<double>::vector(exec, std::vector<double>(n, 1)), x);
        EXPECT_TRUE(result.converged()) << result.reason();
        return result.iterations();
    };
    on_each_executor([&](const Executor& exec) {
        const FactoryPtr<double> ilu0 = Ilu0<double>::factory();
        const auto mixed = shuffled(grid);
        const auto plain = iterations(exec, mixed, ilu0);
        const auto ordered = iterations(exec, mixed, Reordered<double>::factory({.inner = ilu0}));
        EXPECT_LT(ordered, plain);
        EXPECT_LE(ordered, iterations(exec, grid, ilu0) + 3);
        const FactoryPtr<double> natural = Reordered<double>::factory({.ordering = Ordering::natural, .inner = ilu0});
        EXPECT_EQ(iterations(exec, mixed, natural), plain);
    });
}

TEST(Reordered, SolvesByASolverAndTakesNewValues)
{
    auto data = shuffled(generate_problem<double, I>("convdiff3d:5:20"));
    on_each_executor([&](const Executor& exec) {
        Random random(2111);
        const auto expected = random_dense<double>(random, exec, {125, 2});
        Dense<double> b(exec, {125, 2});
        auto m =
            Reordered<double>::factory({.inner = BiCgStab<double>::factory({.stop = {.relative_residual = 1e-12}})})
                .generate(csr(exec, data));
        for (const double factor : {1.0, 3.0}) {
            auto scaled = data;
            for (auto& value : scaled.values) {
                value *= factor;
            }
            const auto a = csr(exec, scaled);
            if (factor != 1) {
                m->update_values(a);
            }
            a->apply(expected, b);
            auto x = Dense<double>::filled(exec, {125, 2}, 1);
            const auto result = m->solve(b, x);
            EXPECT_TRUE(result.converged()) << result.reason();
            EXPECT_EQ(result.columns[1].rhs_norm, b.norm2()[1]);
            expect_near(x.to_host(), expected.to_host(), 1e6, 1.0);
            Dense<double> y(exec, {125, 2});
            m->apply(b, y);
            expect_near(y.to_host(), expected.to_host(), 1e6, 1.0);
        }
    });
}

/// A matrix whose columns were shuffled has zeros on its diagonal, where ILU(0) finds no pivots.
TEST(Reordered, MatchesColumnsWithRows)
{
    const auto skew = generate_problem<double, I>("convdiff3d:6:5");
    const auto n = skew.size.rows;
    std::vector<I> order(static_cast<std::size_t>(n));
    for (I i = 0; i < n; ++i) {
        order[i] = static_cast<I>((i * I{7} + 3) % n);
    }
    const Csr<double, I> a(reference_executor(), skew);
    const auto data = permute_columns(a, Permutation<double, I>(reference_executor(), order)).to_host();
    on_each_executor([&](const Executor& exec) {
        const auto there = csr(exec, data);
        const auto result_of = [&](FactoryPtr<double> m) {
            const auto solver = BiCgStab<double>::factory({.stop = {.max_iterations = 60, .relative_residual = 1e-9},
                                                           .preconditioner = std::move(m)})
                                    .generate(there);
            auto x = Dense<double>::filled(exec, {n, 1}, 0);
            return solver->solve(Dense<double>::filled(exec, {n, 1}, 1), x).converged();
        };
        const FactoryPtr<double> ilu0 = Ilu0<double>::factory();
        EXPECT_FALSE(result_of(ilu0));
        EXPECT_TRUE(result_of(Reordered<double>::factory({.matching = ColumnMatching::maximum, .inner = ilu0})));
        EXPECT_TRUE(result_of(Reordered<double>::factory({.matching = ColumnMatching::approximate, .inner = ilu0})));
        // A row and a column without entries are each other's.
        const auto singular = csr(exec, {{3, 3}, {0, 1, 1, 2}, {1, 0}, {2, 4}});
        const auto m =
            Reordered<double>::factory({.matching = ColumnMatching::maximum, .inner = Jacobi<double>::factory()})
                .generate(singular);
        Dense<double> x(exec, {3, 1});
        m->apply(Dense<double>::vector(exec, {2, 5, 8}), x);
        EXPECT_EQ(x.to_host(), (std::vector<double>{2, 1, 5}));
    });
}

FactoryPtr<double> scaled_ilut() { return Scaled<double>::factory({.inner = Ilut<double>::factory({.k = 3})}); }

/// With matching and scaling inside, and new values without allocation from the second time on.
TEST(Reordered, TakesEveryOrder)
{
    const auto data = shuffled(generate_problem<double, I>("convdiff3d:4:20"));
    std::vector<Ordering> orderings{Ordering::natural, Ordering::rcm, Ordering::amd, Ordering::colamd,
                                    Ordering::colours};
    if (linden::detail::has_metis) {
        orderings.push_back(Ordering::nested_dissection);
    }
    on_each_executor([&](const Executor& exec) {
        const auto a = csr(exec, data);
        auto doubled = data;
        for (auto& value : doubled.values) {
            value *= 2;
        }
        const auto b = csr(exec, doubled);
        for (const auto ordering : orderings) {
            SCOPED_TRACE(static_cast<int>(ordering));
            const auto m = Reordered<double>::factory(
                               {.ordering = ordering, .matching = ColumnMatching::maximum, .inner = scaled_ilut()})
                               .generate(a);
            const auto rhs = Dense<double>::filled(exec, {64, 1}, 1);
            auto x = Dense<double>::filled(exec, {64, 1}, 0);
            const auto solver =
                BiCgStab<double>::factory(
                    {.stop = {.max_iterations = 12, .relative_residual = 1e-9},
                     .preconditioner = Reordered<double>::factory(
                         {.ordering = ordering, .matching = ColumnMatching::maximum, .inner = scaled_ilut()})})
                    .generate(a);
            EXPECT_TRUE(solver->solve(rhs, x).converged());
            auto first = Dense<double>::filled(exec, {64, 1}, 0), second = first.copy();
            m->update_values(b);
            m->update_values(a);
            m->apply(rhs, first);
            const auto before = exec.counters().allocations;
            m->update_values(b);
            EXPECT_EQ(exec.counters().allocations, before);
            m->apply(rhs, second);
            auto expected = first.to_host();
            for (auto& value : expected) {
                value /= 2;
            }
            expect_near(second.to_host(), expected, 1e4, 1.0);
        }
    });
}

TEST(Reordered, TakesAGivenOrder)
{
    const CsrData<double, I> data{{3, 3}, {0, 1, 2, 3}, {0, 1, 2}, {2, 4, 8}};
    on_each_executor([&](const Executor& exec) {
        const auto a = csr(exec, data);
        const auto m = Reordered<double>::factory({.inner = Jacobi<double>::factory(), .order = {2, 0, 1}}).generate(a);
        auto y = Dense<double>::filled(exec, {3, 1}, 0);
        m->row_permutation().apply(Dense<double>::vector(exec, {10, 20, 30}), y);
        EXPECT_EQ(y.to_host(), (std::vector<double>{30, 10, 20}));
        m->apply(Dense<double>::vector(exec, {2, 4, 8}), y);
        EXPECT_EQ(y.to_host(), (std::vector<double>{1, 1, 1}));
        EXPECT_THROW(Reordered<double>::factory({.order = {2, 0}}).generate(a), DimensionMismatch);
        EXPECT_THROW(Reordered<double>::factory({.order = {2, 0, 3}}).generate(a), InvalidParameter);
        EXPECT_THROW(Reordered<double>::factory({.order = {2, 0, 0}}).generate(a), InvalidParameter);
    });
}

TEST(Reordered, ClonesKeepTheirValues)
{
    const auto exec = reference_executor();
    const auto a = csr(exec, generate_problem<double, I>("lap2d:3"));
    const auto m = Reordered<double>::factory({.inner = Ilu0<double>::factory()}).generate(a);
    const auto twin = m->clone(exec);
    auto doubled = generate_problem<double, I>("lap2d:3");
    for (auto& value : doubled.values) {
        value *= 2;
    }
    m->update_values(csr(exec, doubled));
    auto x = Dense<double>::filled(exec, {9, 1}, 0), y = x.copy();
    const auto b = Dense<double>::filled(exec, {9, 1}, 1);
    m->apply(b, x);
    twin->apply(b, y);
    EXPECT_EQ(y.to_host()[4], 2 * x.to_host()[4]);
}

TEST(Reordered, ComesFromText)
{
    const std::string text = "reordered:ordering=nested_dissection,matching=true,inner=ilu0";
    EXPECT_EQ(config::to_short<double>(*config::parse_short<double>(text)).text, text);
    const std::string approximate = "reordered:matching=approximate,inner=ilu0";
    EXPECT_EQ(config::to_short<double>(*config::parse_short<double>(approximate)).text, approximate);
    const auto* const json = R"({"type": "Reordered", "matching": true, "inner": {"type": "Ilu0"}})";
    EXPECT_EQ(config::to_short<double>(*config::parse_factory<double>(json, "here")).text,
              "reordered:matching=true,inner=ilu0");
    const auto a = csr(reference_executor(), generate_problem<double, I>("lap2d:3"));
    const auto m = Reordered<double>::factory({.inner = Jacobi<double>::factory()}).generate(a);
    auto x = Dense<double>::filled(reference_executor(), {9, 1}, 0);
    EXPECT_THROW(m->solve(Dense<double>::filled(reference_executor(), {9, 1}, 1), x), NotSupported);
}

}  // namespace
}  // namespace linden::test
