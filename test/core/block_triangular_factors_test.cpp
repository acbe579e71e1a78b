// needs: double int32
#include <linden/matrix/dense.hpp>
#include <linden/solver/direct.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "test/support/compare.hpp"
#include "test/support/entries_of.hpp"
#include "test/support/matrices.hpp"
#include "test/support/random_order.hpp"

/// Lu of networks on hosts, which factorizes the diagonal blocks of a block triangular form and keeps what is right of
/// them.
namespace linden::test {
namespace {

using I = std::int32_t;

/// Blocks of these sizes, each a ring of rows with a few other entries, and two entries a row right of its block; in
/// any order.
template <class V>
CsrData<V, I> shuffled_blocks(const std::vector<I>& sizes, std::uint64_t seed)
{
    const I n = std::accumulate(sizes.begin(), sizes.end(), I{0});
    Random random(seed);
    const auto rows = random_order(random, n);
    auto columns = rows;  // Pivots are on the diagonal of A, but for some where blocks meet.
    for (std::size_t b = 0, end = 0; b + 1 < sizes.size(); ++b) {
        end += static_cast<std::size_t>(sizes[b]);
        if (b % 8 == 0) {
            std::swap(columns[end - 1], columns[end]);
        }
    }
    std::vector<std::vector<std::pair<I, V>>> entries(static_cast<std::size_t>(n));
    I first = 0;
    for (const I size : sizes) {
        for (I i = first; i < first + size; ++i) {
            auto& row = entries[rows[i]];
            row.emplace_back(columns[i], V(3) + random.value<V>());
            for (const I step : {1, 4}) {
                if (size > step) {
                    row.emplace_back(columns[first + (i - first + step) % size], random.value<V>());
                }
            }
            for (const I away : {2, 9}) {
                if (first + size + away < n) {
                    row.emplace_back(columns[first + size + (i + away) % (n - first - size)], random.value<V>());
                }
            }
        }
        first += size;
    }
    CsrData<V, I> a{{n, n}, {0}, {}, {}};
    for (auto& row : entries) {
        std::sort(row.begin(), row.end(), [](const auto& x, const auto& y) { return x.first < y.first; });
        for (std::size_t k = 0; k < row.size(); ++k) {
            if (k == 0 || row[k].first != row[k - 1].first) {
                a.col_idxs.push_back(row[k].first);
                a.values.push_back(row[k].second);
            }
        }
        a.row_ptrs.push_back(static_cast<I>(a.col_idxs.size()));
    }
    return a;
}

std::vector<I> mixed_sizes()
{
    std::vector<I> sizes;
    for (I k = 0; k < 60; ++k) {
        sizes.push_back(k % 5 == 2 ? 2 + k % 11 : 1);
    }
    return sizes;
}

template <class F>
void on_each_host(const F& f)
{
    for (const int threads : {1, 2, 0}) {
        f(threads > 0 ? Executor::omp({.threads = threads}) : Executor::reference());
    }
}

/// For two right-hand sides.
template <class V>
void expect_solves(const Lu<V>& solver, const LinOpPtr<V>& a)
{
    Random random(5);
    const auto b = random_dense<V>(random, a->executor(), {a->size().rows, 2});
    Dense<V> x(a->executor(), b.size());
    x.fill(V{});
    const auto result = solver.solve(b, x);
    EXPECT_TRUE(result.converged()) << result.reason();
    for (const double error : componentwise_backward_error(*a, b, x)) {
        EXPECT_LE(error, 64 * static_cast<double>(std::numeric_limits<real_t<V>>::epsilon()));
    }
}

/// Whether entries right of blocks were kept: then factors() is a copy.
template <class V>
bool has_blocks(const Lu<V>& solver)
{
    return solver.factors() != solver.factors();
}

template <class V>
void expect_takes_values(const std::vector<I>& sizes, bool by_blocks)
{
    const auto first = shuffled_blocks<V>(sizes, 31), second = [&] {
        auto a = first;
        for (std::size_t k = 0; k < a.values.size(); ++k) {
            a.values[k] *= V(real_t<V>(1 + 0.2 * std::sin(static_cast<double>(k))));
        }
        return a;
    }();
    on_each_host([&](const Executor& exec) {
        const auto a = share(Csr<V, I>(exec, first)), other = share(Csr<V, I>(exec, second));
        const auto solver = Lu<V>::factory().generate(a);
        EXPECT_EQ(has_blocks(*solver), by_blocks);
        expect_solves<V>(*solver, a);
        for (const auto& next : {other, a}) {
            const auto before = exec.counters();
            solver->update_values(next);
            EXPECT_EQ(exec.counters().allocations, before.allocations);
            EXPECT_EQ(solver->num_replaced_pivots(), 0);
            expect_solves<V>(*solver, next);
        }
    });
}

template <class V>
class BlockTriangularFactors : public testing::Test {
};
TYPED_TEST_SUITE(BlockTriangularFactors, TestedValues, TypeNames);

TYPED_TEST(BlockTriangularFactors, TakeBlocksOfAnySize) { expect_takes_values<TypeParam>(mixed_sizes(), true); }

TYPED_TEST(BlockTriangularFactors, TakeBlocksOfOneRow) { expect_takes_values<TypeParam>(std::vector<I>(200, 1), true); }

TYPED_TEST(BlockTriangularFactors, TakeOneBlock) { expect_takes_values<TypeParam>({80}, false); }

/// L U of the copy that users get is the scaled matrix: its determinant is that of the pivots, and a solve with it that
/// of the solver.
TEST(BlockTriangularLu, HasTheFactorsOfTheWholeMatrixForUsers)
{
    const auto data = shuffled_blocks<double>(mixed_sizes(), 33);
    LuParameters by_columns;
    by_columns.pivoting = Pivoting::partial;
    on_each_host([&](const Executor& exec) {
        const auto a = share(Csr<double, I>(exec, data));
        const auto solver = Lu<double>::factory().generate(a);
        ASSERT_TRUE(has_blocks(*solver));
        const auto other = Lu<double>::factory(by_columns).generate(a);
        const auto expected = other->log_determinant(), found = solver->log_determinant();
        EXPECT_NEAR(found.log_magnitude, expected.log_magnitude, 1e-11);
        EXPECT_EQ(found.argument, expected.argument);
        const double condition = other->condition_estimate();
        EXPECT_NEAR(solver->condition_estimate(), condition, 1e-8 * condition);
        EXPECT_GT(condition, 2);

        const auto factors = dynamic_cast<const Csr<double, I>&>(*solver->factors()).to_host();
        EXPECT_EQ(factors.size.rows, data.size.rows);
        EXPECT_GT(factors.num_nonzeros(), solver->factor_size().entries) << "nothing fills in right of blocks";
        for (size_type i = 0; i < factors.size.rows; ++i) {
            const auto row = factors.col_idxs.begin();
            EXPECT_TRUE(std::is_sorted(row + factors.row_ptrs[i], row + factors.row_ptrs[i + 1]));
        }
    });
}

TEST(BlockTriangularLu, KnowsItsSizeBefore)
{
    const auto data = shuffled_blocks<double>(mixed_sizes(), 34);
    on_each_host([&](const Executor& exec) {
        const auto a = share(Csr<double, I>(exec, data));
        const auto before = Lu<double>::size_for(*a);
        exec.reset_peak();
        const auto counted = exec.counters().allocated_bytes;
        const auto solver = Lu<double>::factory().generate(a);
        solver->update_values(a);
        const auto b = Dense<double>::filled(exec, {a->size().rows, 1}, 1.0);
        auto x = Dense<double>::filled(exec, b.size(), 0.0);
        const auto of_vectors = 2 * static_cast<size_type>(sizeof(double)) * a->size().rows;
        solver->solve(b, x);
        const auto seen = static_cast<double>(exec.counters().peak_bytes - counted - of_vectors);
        EXPECT_EQ(solver->factor_size().entries, before.entries);
        EXPECT_EQ(solver->factor_size().bytes, before.bytes);
        EXPECT_EQ(solver->factor_size().operations, before.operations);
        EXPECT_LE(seen, static_cast<double>(before.bytes));
        EXPECT_GE(seen, 0.9 * static_cast<double>(before.bytes));
    });
}

/// A block of two rows that is singular, among others that are not: no solution, and a pivot that tells where.
TEST(BlockTriangularLu, TellsOfSingularBlocks)
{
    constexpr I n = 40;
    std::vector<std::vector<double>> rows(n, std::vector<double>(n, 0.0));
    for (I i = 0; i < n; ++i) {
        rows[i][i] = 2;
        rows[i][std::min(i + 3, n - 1)] += 1;
    }
    rows[20][21] = rows[21][20] = 2;  // [2 2; 2 2]
    on_each_host([&](const Executor& exec) {
        const auto solver = Lu<double>::factory().generate(share(Csr<double, I>(exec, entries_of(rows))));
        EXPECT_EQ(solver->num_unmatched_rows(), 0);
        EXPECT_EQ(solver->num_replaced_pivots(), 1);
        ASSERT_TRUE(solver->first_replaced_pivot().has_value());
        EXPECT_TRUE(solver->first_replaced_pivot()->row == 20 || solver->first_replaced_pivot()->row == 21);
        Random random(6);
        const auto b = random_dense<double>(random, exec, {n, 1});
        auto x = Dense<double>::filled(exec, b.size(), 0.0);
        EXPECT_EQ(solver->solve(b, x).status(), SolveStatus::stagnated);
    });
}

/// New values make a block singular: its pivot is replaced and counted, others stay.
TEST(BlockTriangularLu, TellsOfNewValuesThatAreSingular)
{
    const auto data = shuffled_blocks<double>(mixed_sizes(), 35);
    on_each_host([&](const Executor& exec) {
        const auto a = share(Csr<double, I>(exec, data));
        const auto solver = Lu<double>::factory().generate(a);
        ASSERT_TRUE(has_blocks(*solver));
        auto zero = data;
        std::fill(zero.values.begin() + zero.row_ptrs[7], zero.values.begin() + zero.row_ptrs[8], 0.0);
        solver->update_values(share(Csr<double, I>(exec, zero)));
        EXPECT_EQ(solver->num_replaced_pivots(), 1);
        solver->update_values(a);
        expect_solves<double>(*solver, a);
    });
}

}  // namespace
}  // namespace linden::test
