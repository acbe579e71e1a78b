// needs: double int32
#include "core/factorization/closed_pattern.hpp"

#include <linden/matrix/csr.hpp>
#include <linden/matrix/dense.hpp>
#include <linden/solver/direct.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "core/factorization/ordered_graph.hpp"
#include "test/support/host_pattern.hpp"
#include "test/support/random.hpp"
#include "test/support/random_order.hpp"

/// Factors whose pattern is not symmetric.
namespace linden::test {
namespace {

using I = std::int32_t;
using linden::detail::HostPattern;
using linden::detail::view_of;

/// Elimination of sets, and its operations.
std::pair<HostPattern<I>, double> eliminated(const HostPattern<I>& a, const std::vector<I>& rows,
                                             const std::vector<I>& columns)
{
    const I n = static_cast<I>(rows.size());
    std::vector<std::set<I>> sets(rows.size());
    double operations = 0;
    for (I i = 0; i < n; ++i) {
        sets[i].insert(i);
        for (I k = a.row_ptrs[rows[i]]; k < a.row_ptrs[rows[i] + 1]; ++k) {
            sets[i].insert(static_cast<I>(std::find(columns.begin(), columns.end(), a.col_idxs[k]) - columns.begin()));
        }
    }
    for (I k = 0; k < n; ++k) {
        const std::vector<I> beyond(sets[k].upper_bound(k), sets[k].end());
        for (I i = k + 1; i < n; ++i) {
            if (sets[i].count(k) > 0) {
                sets[i].insert(beyond.begin(), beyond.end());
                operations += 1 + 2 * static_cast<double>(beyond.size());
            }
        }
    }
    return {pattern_of(sets), operations};
}

TEST(ClosedPattern, ByHand)
{
    // Row 1 takes (1, 2) from row 0, and row 2 nothing.
    const HostPattern<I> a{{0, 2, 3, 4}, {0, 2, 0, 2}};
    const std::vector<I> same{0, 1, 2};
    const auto f = linden::detail::closed_pattern<I>(view_of(a), same, same, 6).value();
    EXPECT_EQ(f.row_ptrs, (std::vector<I>{0, 2, 5, 6}));
    EXPECT_EQ(f.col_idxs, (std::vector<I>{0, 2, 0, 1, 2, 2}));
    EXPECT_EQ(linden::detail::operations_of<I>(view_of(f)), 3);
    EXPECT_FALSE(linden::detail::closed_pattern<I>(view_of(a), same, same, 5.9).has_value());
    EXPECT_EQ(linden::detail::closed_pattern<I>(view_of(HostPattern<I>{}), {}, {}, 0).value().rows(), 0);
}

TEST(ClosedPattern, IsWhatEliminationLeaves)
{
    Random random(3311);
    for (int round = 0; round < 60; ++round) {
        const I n = static_cast<I>(random.integer(1, 40));
        HostPattern<I> a;
        for (I i = 0; i < n; ++i) {
            for (I j = 0; j < n; ++j) {
                if (random.integer(0, n) < 1 + round % 3) {
                    a.col_idxs.push_back(j);
                }
            }
            a.row_ptrs.push_back(static_cast<I>(a.col_idxs.size()));
        }
        const auto rows = random_order(random, n), columns = random_order(random, n);
        const auto [expected, operations] = eliminated(a, rows, columns);
        const auto f = linden::detail::closed_pattern<I>(view_of(a), rows, columns, n * n).value();
        EXPECT_EQ(f.row_ptrs, expected.row_ptrs);
        EXPECT_EQ(f.col_idxs, expected.col_idxs);
        EXPECT_EQ(linden::detail::operations_of<I>(view_of(f)), operations);
    }
}

/// Chains that lead into one border: most of the fill of A + A^T is not that of A.
Csr<double, I> arrows(const Executor& exec, I n)
{
    Random random(3312);
    CsrData<double, I> a{{n, n}, {0}, {}, {}};
    for (I i = 0; i < n; ++i) {
        std::set<I> columns{i, static_cast<I>(i / 50 * 50)};
        if (i % 50 > 0) {
            columns.insert(i - 1);
        }
        columns.insert(static_cast<I>(n - 1 - random.integer(0, 20)));
        for (const I j : columns) {
            a.col_idxs.push_back(j);
            a.values.push_back(i == j ? 5.0 : random.real(-1, 1));
        }
        a.row_ptrs.push_back(static_cast<I>(a.col_idxs.size()));
    }
    return Csr<double, I>(exec, a);
}

TEST(ClosedPattern, MakesLuSmallOnAnyNumberOfThreads)
{
    constexpr I n = 12'000;
    std::vector<std::vector<double>> solutions;
    std::vector<FactorSize> sizes;
    for (const int threads : {1, 2, 3}) {
        const auto exec = Executor::omp({.threads = threads});
        const auto a = share(arrows(exec, n));
        const auto solver = Lu<double>::factory().generate(a);
        EXPECT_FALSE(solver->has_partial_pivoting());
        EXPECT_EQ(solver->factor_size().entries, Lu<double>::size_for(*a).entries);
        EXPECT_EQ(solver->factor_size().operations, Lu<double>::size_for(*a).operations);
        Dense<double> b(exec, {n, 1}), x = Dense<double>::filled(exec, {n, 1}, 0.0);
        a->apply(Dense<double>::filled(exec, {n, 1}, 1.0), b);
        EXPECT_TRUE(solver->solve(b, x).converged());
        EXPECT_LT(componentwise_backward_error<double>(*a, b, x).front(), 1e-15);
        solutions.push_back(x.to_host());
        sizes.push_back(solver->factor_size());
    }
    EXPECT_EQ(solutions[0], solutions[1]);
    EXPECT_EQ(solutions[0], solutions[2]);
    const auto reference = share(arrows(Executor::reference(), n));
    EXPECT_EQ(Lu<double>::size_for(*reference).entries, sizes[0].entries);
    EXPECT_LT(sizes[0].entries, 2 * reference->num_nonzeros());
    // The order of Cholesky is the same, and its factor that of A + A^T.
    EXPECT_LT(10 * sizes[0].entries, 9 * (2 * Cholesky<double>::size_for(*reference).entries - n));
}

}  // namespace
}  // namespace linden::test
