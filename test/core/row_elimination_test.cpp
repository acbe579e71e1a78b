// needs: double int32
#include "core/factorization/row_elimination.hpp"

#include <linden/reorder/matching.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "core/factorization/outside_blocks.hpp"
#include "core/factorization/plain_pivots.hpp"
#include "core/factorization/symmetric_elimination.hpp"
#include "core/matrix/quotient_graph.hpp"
#include "test/support/entries_of.hpp"
#include "test/support/random.hpp"
#include "test/support/random_order.hpp"

/// Factorizations that find pivots and pattern as they go, and the pivots that they start from.
namespace linden::test {
namespace {

using I = std::int32_t;
using Data = CsrData<double, I>;
using Rows = std::vector<std::vector<double>>;
using Eliminated = linden::detail::EliminatedRows<double, I>;

CsrView<double, I> view(const Data& a)
{
    return {a.size.rows, a.size.cols, a.num_nonzeros(), a.row_ptrs.data(), a.col_idxs.data(), a.values.data()};
}

std::vector<I> natural(std::size_t n)
{
    std::vector<I> order(n);
    std::iota(order.begin(), order.end(), I{0});
    return order;
}

/// In this order, with these blocks; none: there is one.
std::optional<Eliminated> eliminated(const Data& a, size_type most_entries = 10000, double least_pivot = 1e-8,
                                     std::vector<I> block_ptrs = {})
{
    const auto order = natural(a.row_ptrs.size() - 1);
    const std::vector<double> ones(order.size(), 1.0);
    if (block_ptrs.empty()) {
        block_ptrs = {0, static_cast<I>(order.size())};
    }
    return linden::detail::eliminate_rows<double, I>(view(a), {order, order, ones, ones, block_ptrs, 0}, most_entries,
                                                     least_pivot);
}

/// Factors as a full array.
Rows full(const Eliminated& f)
{
    Rows rows(f.columns.size(), std::vector<double>(f.columns.size(), 0.0));
    for (std::size_t i = 0; i < rows.size(); ++i) {
        for (auto k = f.pattern.row_ptrs[i]; k < f.pattern.row_ptrs[i + 1]; ++k) {
            rows[i][f.pattern.col_idxs[k]] = f.values[k];
        }
    }
    return rows;
}

TEST(RowElimination, ByHand)
{
    const auto f = eliminated(entries_of({{2, 1, 0}, {4, 5, 1}, {0, 3, 7}}));
    ASSERT_TRUE(f.has_value());
    EXPECT_EQ(full(*f), (Rows{{2, 1, 0}, {2, 3, 1}, {0, 1, 6}}));
    EXPECT_EQ(f->pattern.row_ptrs, (std::vector<I>{0, 2, 5, 7}));
    EXPECT_EQ(f->pattern.col_idxs, (std::vector<I>{0, 1, 0, 1, 2, 1, 2}));
    EXPECT_EQ(f->columns, natural(3));
    EXPECT_FALSE(f->has_exchanges);
    EXPECT_EQ(f->num_updates, 2);
    EXPECT_EQ(f->norms[0], std::sqrt(5.0));
}

TEST(RowElimination, ExchangesColumnsForLargerPivots)
{
    const auto kept = eliminated(entries_of({{0.002, 1}, {1, 1}}));
    ASSERT_TRUE(kept.has_value());
    EXPECT_FALSE(kept->has_exchanges);
    const auto exchanged = eliminated(entries_of({{0.0005, 1}, {1, 1}}));
    ASSERT_TRUE(exchanged.has_value());
    EXPECT_TRUE(exchanged->has_exchanges);
    EXPECT_EQ(exchanged->columns, (std::vector<I>{1, 0}));
    EXPECT_EQ(full(*exchanged), (Rows{{1, 0.0005}, {1, 0.9995}}));
}

TEST(RowElimination, RefusesSmallPivotsAndMuchFill)
{
    EXPECT_FALSE(eliminated(entries_of({{1, 2}, {2, 4}})).has_value());
    EXPECT_FALSE(eliminated(entries_of({{1, 2}, {2, 4 + 1e-9}})).has_value());
    EXPECT_TRUE(eliminated(entries_of({{1, 2}, {2, 4 + 1e-6}})).has_value());
    EXPECT_FALSE(eliminated(entries_of({{1, INFINITY}, {2, 4}})).has_value());
    EXPECT_FALSE(eliminated(entries_of({{1, NAN}, {2, 4}})).has_value());
    const auto dense = entries_of({{4, 1, 1}, {1, 4, 1}, {1, 1, 4}});
    EXPECT_TRUE(eliminated(dense, 9).has_value());
    EXPECT_FALSE(eliminated(dense, 8).has_value());
    EXPECT_TRUE(eliminated(entries_of({})).has_value());
}

/// L U is the scaled matrix in the order that was found, to rounding, and the pattern has all fill.
TEST(RowElimination, FactorizesRandomMatrices)
{
    Random random(4711);
    bool has_exchanged = false;
    for (int run = 0; run < 40; ++run) {
        const std::size_t n = 1 + static_cast<std::size_t>(random.integer(0, 60));
        Rows a(n, std::vector<double>(n, 0.0));
        for (std::size_t i = 0; i < n; ++i) {
            a[i][i] = run % 2 == 0 ? 3.0 : random.real(-1, 1) * 1e-3;
            for (int k = 0; k < 3; ++k) {
                a[i][static_cast<std::size_t>(random.integer(0, static_cast<size_type>(n)))] += random.real(-1, 1);
            }
        }
        const auto data = entries_of(a);
        const auto order = random_order(random, static_cast<I>(n));
        std::vector<double> of_rows, of_columns;
        for (std::size_t i = 0; i < n; ++i) {
            of_rows.push_back(random.real(0.5, 2));
            of_columns.push_back(random.real(0.5, 2));
        }
        const std::vector<I> one_block{0, static_cast<I>(n)};
        const auto f = linden::detail::eliminate_rows<double, I>(
            view(data), {order, order, of_rows, of_columns, one_block, 0}, 10000, 1e-12);
        ASSERT_TRUE(f.has_value());
        has_exchanged |= f->has_exchanges;
        const auto lu = full(*f);
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t j = 0; j < n; ++j) {
                double sum = i <= j ? lu[i][j] : 0.0, sizes = std::abs(sum);
                for (std::size_t k = 0; k < std::min(i, j + 1); ++k) {
                    sum += lu[i][k] * lu[k][j];
                    sizes += std::abs(lu[i][k] * lu[k][j]);
                }
                const auto row = order[i], column = f->columns[j];
                EXPECT_NEAR(sum, of_rows[row] * a[row][column] * of_columns[column], 1e-14 * (sizes + 10));
            }
            const auto begin = f->pattern.col_idxs.begin() + f->pattern.row_ptrs[i];
            const auto end = f->pattern.col_idxs.begin() + f->pattern.row_ptrs[i + 1];
            EXPECT_TRUE(std::is_sorted(begin, end));
            for (auto k = begin; k < end && static_cast<std::size_t>(*k) < i; ++k) {
                for (auto e = f->pattern.row_ptrs[*k]; e < f->pattern.row_ptrs[*k + 1]; ++e) {
                    EXPECT_TRUE(std::binary_search(begin, end, f->pattern.col_idxs[e]) || f->pattern.col_idxs[e] <= *k);
                }
            }
        }
    }
    EXPECT_TRUE(has_exchanged);
}

/// [1 3 | 2 0 | 0]
/// [2 5 | 0 0 | 4]
/// [  0 | 0 3 | 5]
/// [  0 | 2 1 | 0]
/// [  0 |  0  | 7]  The second block exchanges its columns, which those right of the first one follow.
TEST(RowElimination, KeepsWhatIsRightOfBlocks)
{
    const auto a = entries_of({{1, 3, 2, 0, 0}, {2, 5, 0, 0, 4}, {0, 0, 0, 3, 5}, {0, 0, 2, 1, 0}, {0, 0, 0, 0, 7}});
    const auto f = eliminated(a, 10000, 1e-8, {0, 2, 4, 5});
    ASSERT_TRUE(f.has_value());
    EXPECT_EQ(f->columns, (std::vector<I>{0, 1, 3, 2, 4}));
    EXPECT_EQ(f->pattern.row_ptrs, (std::vector<I>{0, 2, 4, 5, 7, 8}));
    EXPECT_EQ(f->pattern.col_idxs, (std::vector<I>{0, 1, 0, 1, 2, 2, 3, 4}));
    EXPECT_EQ(f->outside.row_ptrs, (std::vector<I>{0, 1, 2, 3, 3, 3}));
    EXPECT_EQ(f->outside.col_idxs, (std::vector<I>{3, 4, 4}));
    EXPECT_EQ(f->values, (std::vector<double>{1, 3, 2, -1, 3, 1.0 / 3, 2, 7, 2, 4, 5}));
    EXPECT_EQ(f->num_updates, 1);
    EXPECT_EQ(f->norms[1], std::sqrt(45.0));
    EXPECT_TRUE(f->has_exchanges);
    EXPECT_TRUE(eliminated(a, 8, 1e-8, {0, 2, 4, 5}).has_value()) << "what is outside was counted";
    EXPECT_FALSE(eliminated(a, 7, 1e-8, {0, 2, 4, 5}).has_value());
}

TEST(RowElimination, RefusesSingularBlocks)
{
    const std::vector<I> blocks{0, 1, 3};
    EXPECT_TRUE(eliminated(entries_of({{2, 1, 1}, {0, 1, 2}, {0, 2, 5}}), 10000, 1e-8, blocks).has_value());
    EXPECT_FALSE(eliminated(entries_of({{2, 1, 1}, {0, 1, 2}, {0, 2, 4}}), 10000, 1e-8, blocks).has_value());
    EXPECT_FALSE(eliminated(entries_of({{1e-9, 1, 1}, {0, 1, 2}, {0, 2, 5}}), 10000, 1e-8, blocks).has_value());
    EXPECT_FALSE(eliminated(entries_of({{2, INFINITY, 1}, {0, 1, 2}, {0, 2, 5}}), 10000, 1e-8, blocks).has_value());
    EXPECT_FALSE(eliminated(entries_of({{NAN, 1, 1}, {0, 1, 2}, {0, 2, 5}}), 10000, 1e-8, blocks).has_value());
    auto zero = entries_of({{2, 1, 1}, {0, 1, 2}, {0, 2, 5}});
    zero.values.front() = 0;
    EXPECT_FALSE(eliminated(zero, 10000, 0, blocks).has_value());
}

/// [2 1 | 3  .]      [2 1 |  3  .]
/// [4 5 | .  6]      [2 3 | -6  6]
/// [    | 1  8]  ->  [    |  1  8]
/// [    | 2 17]      [    |  2  1]
TEST(JoinedFactors, ByHand)
{
    const Data blocks{{4, 4}, {0, 2, 4, 6, 8}, {0, 1, 0, 1, 2, 3, 2, 3}, {2, 1, 2, 3, 1, 8, 2, 1}};
    const Data right{{4, 4}, {0, 1, 2, 2, 2}, {2, 3}, {3, 6}};
    const auto whole = linden::detail::joined_factors<double, I>(blocks, view(right));
    EXPECT_EQ(whole.row_ptrs, (std::vector<I>{0, 3, 7, 9, 11}));
    EXPECT_EQ(whole.col_idxs, (std::vector<I>{0, 1, 2, 0, 1, 2, 3, 2, 3, 2, 3}));
    EXPECT_EQ(whole.values, (std::vector<double>{2, 1, 3, 2, 3, -6, 6, 1, 8, 2, 1}));
}

/// In the order of minimum degree, which knows the entries of columns.
std::optional<Eliminated> eliminated_symmetrically(const Data& a)
{
    linden::detail::QuotientGraph<I> graph(view(a));
    const auto order = graph.eliminate();
    const std::vector<double> ones(order.size(), 1.0);
    return linden::detail::eliminate_symmetric<double, I>(view(a), {order, ones, graph.counts()}, 1e-8);
}

TEST(SymmetricElimination, ByHand)
{
    const auto a = entries_of({{4, 2, 0}, {2, 5, 4}, {0, 4, 6}});
    const auto order = natural(3);
    const std::vector<double> ones(3, 1.0);
    const std::vector<I> counts{2, 2, 1};
    const auto f = linden::detail::eliminate_symmetric<double, I>(view(a), {order, ones, counts}, 1e-8);
    ASSERT_TRUE(f.has_value());
    EXPECT_EQ(full(*f), (Rows{{4, 2, 0}, {0.5, 4, 4}, {0, 1, 2}}));
    EXPECT_EQ(f->pattern.row_ptrs, (std::vector<I>{0, 2, 5, 7}));
    EXPECT_EQ(f->pattern.col_idxs, (std::vector<I>{0, 1, 0, 1, 2, 1, 2}));
    EXPECT_EQ(f->tree, (std::vector<I>{1, 2, -1}));
    EXPECT_EQ(f->num_updates, 2);
    EXPECT_EQ(f->norms[0], std::sqrt(20.0));
    EXPECT_TRUE(f->is_hermitian && f->is_definite && !f->has_exchanges);
}

TEST(SymmetricElimination, RefusesSmallPivots)
{
    EXPECT_FALSE(eliminated_symmetrically(entries_of({{1, 1}, {1, 1}})).has_value());
    EXPECT_FALSE(eliminated_symmetrically(entries_of({{0.0005, 1}, {1, 0.0005}})).has_value());
    EXPECT_FALSE(eliminated_symmetrically(entries_of({{std::nan(""), 1}, {1, 1}})).has_value());
    const auto indefinite = eliminated_symmetrically(entries_of({{1, 2}, {2, 1}}));
    ASSERT_TRUE(indefinite.has_value());
    EXPECT_FALSE(indefinite->is_definite);
    EXPECT_EQ(full(*indefinite), (Rows{{1, 2}, {2, -3}}));
}

TEST(SymmetricElimination, FindsWhatRowsFind)
{
    Random random(4712);
    for (int run = 0; run < 40; ++run) {
        const std::size_t n = 1 + static_cast<std::size_t>(random.integer(0, 60));
        Rows a(n, std::vector<double>(n, 0.0));
        for (std::size_t i = 0; i < n; ++i) {
            a[i][i] += run % 4 == 3 && i % 7 == 6 ? -8.0 : 8.0;
            for (int k = 0; k < 2; ++k) {
                const auto j = static_cast<std::size_t>(random.integer(0, static_cast<size_type>(n)));
                const double value = random.real(-1, 1);
                a[i][j] += value;
                a[j][i] += value;
            }
        }
        const auto data = entries_of(a);
        const auto f = eliminated_symmetrically(data);
        ASSERT_TRUE(f.has_value());
        const std::vector<double> ones(n, 1.0);
        const std::vector<I> one_block{0, static_cast<I>(n)};
        const auto rows = linden::detail::eliminate_rows<double, I>(
            view(data), {f->columns, f->columns, ones, ones, one_block, 0}, 10000, 1e-8);
        ASSERT_TRUE(rows.has_value() && !rows->has_exchanges);
        EXPECT_EQ(f->pattern.row_ptrs, rows->pattern.row_ptrs);
        EXPECT_EQ(f->pattern.col_idxs, rows->pattern.col_idxs);
        EXPECT_EQ(f->num_updates, rows->num_updates);
        for (std::size_t k = 0; k < f->values.size(); ++k) {
            EXPECT_NEAR(f->values[k], rows->values[k], 1e-13);
        }
    }
}

std::optional<std::vector<I>> pivots(const Rows& rows)
{
    const auto a = entries_of(rows);
    return linden::detail::plain_pivots<double, I>(view(a));
}

TEST(PlainPivots, ByHand)
{
    EXPECT_EQ(pivots({{1e-9, 5, 0}, {7, 1e-9, 0}, {1, 1, 1}}), (std::vector<I>{0, 1, 2}));
    // Row 2 has no diagonal entry, and its largest entry is taken already: by row 1, which has another one.
    EXPECT_EQ(pivots({{1, 0, 0, 0}, {0, 1, 3, 0}, {0, 9, 0, 0}, {0, 0, 0, 1}}), (std::vector<I>{0, 2, 1, 3}));
    // Row 1 has no other entry than that on the diagonal of row 0.
    EXPECT_EQ(pivots({{1, 2, 0}, {3, 0, 0}, {0, 0, 1}}), (std::vector<I>{1, 0, 2}));
    // Row 2 has no free column, but that of row 0, which has another one.
    EXPECT_EQ(pivots({{1, 0, 1}, {0, 1, 0}, {1, 1, 0}}), (std::vector<I>{2, 1, 0}));
    // Of columns 2 and 3, which are free, the larger entry
    EXPECT_EQ(pivots({{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 0, 8}, {0, 0, 2, 0}}), (std::vector<I>{0, 1, 3, 2}));
}

/// Rows of a band without some diagonal entries: paths lead through many rows.
TEST(PlainPivots, FollowLongPaths)
{
    constexpr std::size_t n = 60;
    Rows a(n, std::vector<double>(n, 0.0));
    for (std::size_t i = 0; i < n; ++i) {
        a[i][i] = i == 0 ? 0 : 1;
        a[i][(i + 1) % n] = 1;
    }
    const auto found = pivots(a);
    ASSERT_TRUE(found.has_value());
    for (std::size_t i = 0; i < n; ++i) {
        EXPECT_EQ((*found)[i], static_cast<I>((i + 1) % n));
    }
    a[n - 1][0] = 0;  // Nothing is in column 0.
    EXPECT_FALSE(pivots(a).has_value());
}

/// Each row has another column, through an entry that is not 0, where there is such a matching.
TEST(PlainPivots, AreAMatching)
{
    Random random(77);
    int num_found = 0;
    for (int run = 0; run < 50; ++run) {
        constexpr std::size_t n = 40;
        Rows a(n, std::vector<double>(n, 0.0));
        for (std::size_t i = 0; i < n; ++i) {
            a[i][i] = random.unit() < 0.7 ? 1 : 0;
            for (int k = 0; k < 2; ++k) {
                a[i][static_cast<std::size_t>(random.integer(0, n))] += random.real(-1, 1);
            }
        }
        const auto found = pivots(a);
        num_found += found.has_value() ? 1 : 0;
        const Csr<double, I> matrix(Executor::reference(), entries_of(a));
        EXPECT_EQ(found.has_value(), maximum_product_matching(matrix).num_matched == static_cast<size_type>(n));
        std::vector<char> is_taken(n, 0);
        for (std::size_t i = 0; found.has_value() && i < n; ++i) {
            EXPECT_EQ(is_taken[(*found)[i]]++, 0);
            EXPECT_NE(a[i][(*found)[i]], 0);
        }
    }
    EXPECT_GT(num_found, 0);
    EXPECT_LT(num_found, 50);
}

TEST(PlainPivots, AreNoneWhereNoMatchingIsComplete)
{
    EXPECT_FALSE(pivots({{1, 1, 0}, {0, 1, 0}, {0, 1, 0}}).has_value());
    EXPECT_FALSE(pivots({{1, 1, 0}, {0, 1, 0}, {0, 1, NAN}}).has_value());
    auto zero = entries_of({{1, 1, 0}, {0, 1, 0}, {0, 0, 1}});
    zero.values.back() = 0;
    EXPECT_FALSE((linden::detail::plain_pivots<double, I>(view(zero)).has_value()));
    // Most of the diagonal is missing.
    EXPECT_FALSE(pivots({{0, 1, 0}, {0, 0, 1}, {1, 0, 0}}).has_value());
    EXPECT_TRUE(pivots({}).has_value());
}

}  // namespace
}  // namespace linden::test
