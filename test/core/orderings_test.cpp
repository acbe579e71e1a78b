// needs: double int32
#include <linden/error.hpp>
#include <linden/io/problems.hpp>
#include <linden/reorder/matching.hpp>
#include <linden/reorder/minimum_degree.hpp>

#include <algorithm>
#include <numeric>

#include "core/factorization/ordering_sizes.hpp"
#include "core/matrix/block_triangular.hpp"
#include "test/support/compare.hpp"
#include "test/support/matrices.hpp"

/// Sizes of factors by order, column minimum degree, and block triangular forms.
namespace linden::test {
namespace {

using I = std::int32_t;
using linden::detail::HostPattern;

/// A small pattern as a table.
using Table = std::vector<std::vector<char>>;

Table table_of(const HostPattern<I>& a, const std::vector<I>& order)
{
    const auto n = order.size();
    std::vector<I> place(n);
    for (std::size_t i = 0; i < n; ++i) {
        place[order[i]] = static_cast<I>(i);
    }
    Table t(n, std::vector<char>(n, 0));
    for (std::size_t row = 0; row < n; ++row) {
        for (I k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
            t[place[row]][place[a.col_idxs[k]]] = 1;
        }
    }
    return t;
}

/// A^T A
Table squared(const Table& a)
{
    const auto n = a.size();
    Table t(n, std::vector<char>(n, 0));
    for (const auto& row : a) {
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t j = 0; j < n; ++j) {
                t[i][j] |= row[i] & row[j];
            }
        }
    }
    return t;
}

/// Entries of the Cholesky factor of t + t^T and the diagonal, by elimination.
size_type eliminated_entries(Table t)
{
    const auto n = t.size();
    size_type count = 0;
    for (std::size_t k = 0; k < n; ++k) {
        t[k][k] = 1;
        for (std::size_t i = k; i < n; ++i) {
            t[i][k] = t[k][i] = t[i][k] | t[k][i];
            count += t[i][k];
        }
        for (std::size_t i = k + 1; i < n; ++i) {
            for (std::size_t j = k + 1; j < n; ++j) {
                t[i][j] |= t[i][k] & t[k][j];
            }
        }
    }
    return count;
}

std::vector<I> natural(size_type n)
{
    std::vector<I> order(static_cast<std::size_t>(n));
    std::iota(order.begin(), order.end(), I{0});
    return order;
}

/// The pattern, and that of a + a^T, both with the diagonal.
std::pair<HostPattern<I>, HostPattern<I>> with_graph(const CsrData<double, I>& a)
{
    HostPattern<I> pattern, graph;
    auto t = table_of({a.row_ptrs, a.col_idxs}, natural(a.size.rows));
    for (I i = 0; i < a.size.rows; ++i) {
        t[i][i] = 1;
        for (I j = 0; j < a.size.rows; ++j) {
            if (t[i][j] || i == j) {
                pattern.col_idxs.push_back(j);
            }
            if (t[i][j] || t[j][i] || i == j) {
                graph.col_idxs.push_back(j);
            }
        }
        pattern.row_ptrs.push_back(static_cast<I>(pattern.col_idxs.size()));
        graph.row_ptrs.push_back(static_cast<I>(graph.col_idxs.size()));
    }
    return {pattern, graph};
}

TEST(OrderingSizes, AreThoseOfElimination)
{
    Random random(2901);
    for (const int per_row : {1, 2, 3}) {
        const auto a = random_csr<double, I>(random, {30, 30}, per_row);
        const auto [pattern, graph] = with_graph(a);
        auto backwards = natural(30);
        std::reverse(backwards.begin(), backwards.end());
        for (const auto& order :
             {natural(30), backwards, approximate_minimum_degree(Csr<double, I>(reference_executor(), a))}) {
            const auto sizes = linden::detail::sizes_of_ordering(pattern, graph, order);
            const auto t = table_of(pattern, order);
            EXPECT_EQ(sizes.cholesky, eliminated_entries(t));
            EXPECT_EQ(sizes.lu, 2 * sizes.cholesky - 30);
            EXPECT_EQ(sizes.lu_bound, 2 * eliminated_entries(squared(t)) - 30);
            size_type bandwidth = 0, profile = 0;
            for (I i = 0; i < 30; ++i) {
                I reach = 0;
                for (I j = 0; j < i; ++j) {
                    reach = t[i][j] || t[j][i] ? std::max(reach, i - j) : reach;
                }
                bandwidth = std::max<size_type>(bandwidth, reach);
                profile += reach;
            }
            EXPECT_EQ(sizes.bandwidth, bandwidth);
            EXPECT_EQ(sizes.profile, profile);
        }
    }
}

void expect_permutation(std::vector<I> order, size_type n)
{
    std::sort(order.begin(), order.end());
    EXPECT_EQ(order, natural(n));
}

/// As minimum degree of A^T A, formed.
TEST(ColumnMinimumDegree, LeavesLittleFillWithAnyPivots)
{
    const auto a = generate_problem<double, I>("convdiff3d:6:5");
    const auto [pattern, graph] = with_graph(a);
    CsrData<double, I> square{{216, 216}, {0}, {}, {}};
    for (const auto& row : squared(table_of(pattern, natural(216)))) {
        for (I j = 0; j < 216; ++j) {
            if (row[j]) {
                square.col_idxs.push_back(j);
            }
        }
        square.row_ptrs.push_back(static_cast<I>(square.col_idxs.size()));
    }
    square.values.assign(square.col_idxs.size(), 1);
    const auto bound = [&, &p = pattern, &g = graph](const std::vector<I>& order) {
        return linden::detail::sizes_of_ordering(p, g, order).lu_bound;
    };
    const auto formed = bound(approximate_minimum_degree(Csr<double, I>(reference_executor(), square)));
    EXPECT_LT(formed, bound(natural(216)));
    on_each_executor([&](const Executor& exec) {
        const auto order = approximate_column_minimum_degree(Csr<double, I>(exec, a));
        expect_permutation(order, 216);
        EXPECT_LT(bound(order), formed * 11 / 10);
    });
}

/// Columns that meet in no row have no fill: those of one row each go before the column that all have in common.
TEST(ColumnMinimumDegree, OrdersEveryPattern)
{
    const auto exec = reference_executor();
    // Rows {0, j}: A^T A is a star around column 0.
    CsrData<double, I> star{{8, 9}, {0}, {}, std::vector<double>(16, 1)};
    for (I j = 1; j < 9; ++j) {
        star.col_idxs.insert(star.col_idxs.end(), {0, j});
        star.row_ptrs.push_back(2 * j);
    }
    auto order = approximate_column_minimum_degree(Csr<double, I>(exec, star));
    expect_permutation(order, 9);
    EXPECT_GE(std::find(order.begin(), order.end(), 0) - order.begin(), 7);  // last, or with the last leaf
    Random random(2902);
    for (const auto& size : {Dim{0, 0}, Dim{1, 1}, Dim{40, 25}, Dim{25, 40}, Dim{100, 100}}) {
        const auto a = random_csr<double, I>(random, size, std::min<size_type>(3, size.cols));
        expect_permutation(approximate_column_minimum_degree(Csr<double, I>(exec, a)), size.cols);
    }
    // A full row is left out, a full column goes last.
    const I n = 400;
    CsrData<double, I> arrow{{n, n}, {0}, {}, {}};
    for (I i = 0; i < n; ++i) {
        for (I j = 0; j < n; ++j) {
            if (i == 7 || j == 3 || i == j) {
                arrow.col_idxs.push_back(j);
            }
        }
        arrow.row_ptrs.push_back(static_cast<I>(arrow.col_idxs.size()));
    }
    arrow.values.assign(arrow.col_idxs.size(), 1);
    order = approximate_column_minimum_degree(Csr<double, I>(exec, arrow));
    expect_permutation(order, n);
    EXPECT_EQ(order.back(), 3);
}

/// Nothing is below the blocks, and diagonals are full.
void expect_form(const CsrData<double, I>& a, const linden::detail::BlockTriangularForm<I>& form)
{
    const auto n = a.size.rows;
    expect_permutation(form.rows, n);
    expect_permutation(form.columns, n);
    std::vector<size_type> row_block(static_cast<std::size_t>(n)), column_block(row_block);
    const auto number = [&](size_type position, size_type before) {
        const auto inside = position - before;
        if (inside < 0) {
            return size_type{-1};
        }
        return static_cast<size_type>(std::upper_bound(form.block_ptrs.begin(), form.block_ptrs.end(), inside) -
                                      form.block_ptrs.begin()) -
               1;
    };
    for (size_type i = 0; i < n; ++i) {
        row_block[form.rows[i]] = number(i, form.horizontal_rows);
        column_block[form.columns[i]] = number(i, form.horizontal_columns);
    }
    std::vector<char> has_diagonal(static_cast<std::size_t>(n), 0);
    std::vector<I> place(static_cast<std::size_t>(n));
    for (size_type i = 0; i < n; ++i) {
        place[form.columns[i]] = static_cast<I>(i);
    }
    for (size_type i = 0; i < n; ++i) {
        const I row = form.rows[i];
        for (I k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
            EXPECT_LE(row_block[row], column_block[a.col_idxs[k]]) << row << ' ' << a.col_idxs[k];
            has_diagonal[i] |= place[a.col_idxs[k]] == i;
        }
    }
    if (form.horizontal_columns == 0) {
        EXPECT_EQ(std::count(has_diagonal.begin(), has_diagonal.end(), 1), n);
    }
}

linden::PatternView<I> pattern_of(const CsrData<double, I>& a)
{
    return {a.size.rows, a.size.cols, static_cast<size_type>(a.col_idxs.size()), a.row_ptrs.data(), a.col_idxs.data()};
}

linden::detail::BlockTriangularForm<I> form_of(const CsrData<double, I>& a)
{
    const auto matching = maximum_product_matching(Csr<double, I>(reference_executor(), a));
    return linden::detail::block_triangular_form<I>(pattern_of(a), matching.column_of_row);
}

TEST(BlockTriangularForm, ByHand)
{
    // Rows 1 and 3 are coupled with columns 0 and 2; row 0 needs column 3 first; row 2 has column 1.
    const CsrData<double, I> a{{4, 4}, {0, 2, 4, 5, 7}, {0, 3, 0, 2, 1, 0, 2}, {1, 1, 2, 1, 1, 1, 2}};
    const auto form = form_of(a);
    expect_form(a, form);
    EXPECT_EQ(form.num_blocks(), 3);
    auto sizes = form.block_ptrs;
    std::adjacent_difference(sizes.begin(), sizes.end(), sizes.begin());
    EXPECT_EQ(std::count(sizes.begin() + 1, sizes.end(), 2), 1);
    // Rows 0 and 1 have column 0 only; columns 1 and 2 have row 2 only.
    const CsrData<double, I> singular{{3, 3}, {0, 1, 2, 4}, {0, 0, 1, 2}, {1, 1, 1, 1}};
    const auto parts = form_of(singular);
    EXPECT_EQ(parts.horizontal_rows, 1);
    EXPECT_EQ(parts.horizontal_columns, 2);
    EXPECT_EQ(parts.vertical_rows, 2);
    EXPECT_EQ(parts.vertical_columns, 1);
    EXPECT_EQ(parts.num_blocks(), 0);
    expect_form(singular, parts);
    EXPECT_EQ(form_of({{0, 0}, {0}, {}, {}}).num_blocks(), 0);
}

TEST(BlockTriangularForm, FindsHiddenBlocks)
{
    Random random(2903);
    const I n = 60;
    std::vector<I> rows = natural(n), columns = natural(n);
    for (I i = n - 1; i > 0; --i) {
        std::swap(rows[i], rows[random.integer(0, i + 1)]);
        std::swap(columns[i], columns[random.integer(0, i + 1)]);
    }
    // Cycles of 6 rows are the blocks, entries above them couple them.
    std::vector<std::vector<I>> entries(n);
    for (I i = 0; i < n; ++i) {
        const I block = i / 6;
        entries[rows[i]] = {columns[i], columns[6 * block + (i + 1) % 6]};
        if (block < 9) {
            entries[rows[i]].push_back(columns[random.integer(6 * (block + 1), n)]);
        }
    }
    CsrData<double, I> a{{n, n}, {0}, {}, {}};
    for (auto& row : entries) {
        std::sort(row.begin(), row.end());
        a.col_idxs.insert(a.col_idxs.end(), row.begin(), row.end());
        a.row_ptrs.push_back(static_cast<I>(a.col_idxs.size()));
    }
    a.values.assign(a.col_idxs.size(), 1);
    const auto form = form_of(a);
    expect_form(a, form);
    EXPECT_EQ(form.num_blocks(), 10);
    // A chain of many blocks needs no deep recursion.
    const I length = 100000;
    CsrData<double, I> chain{{length, length}, {0}, {}, {}};
    for (I i = 0; i < length; ++i) {
        chain.col_idxs.push_back(i);
        if (i + 1 < length) {
            chain.col_idxs.push_back(i + 1);
        }
        chain.row_ptrs.push_back(static_cast<I>(chain.col_idxs.size()));
    }
    std::vector<std::int64_t> diagonal(length);
    std::iota(diagonal.begin(), diagonal.end(), std::int64_t{0});
    EXPECT_EQ(linden::detail::block_triangular_form<I>(pattern_of(chain), diagonal).num_blocks(), length);
}

}  // namespace
}  // namespace linden::test
