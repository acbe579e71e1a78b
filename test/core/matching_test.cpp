// needs: double int32
#include <linden/error.hpp>
#include <linden/io/problems.hpp>
#include <linden/matrix/operations.hpp>
#include <linden/matrix/permutation.hpp>
#include <linden/reorder/matching.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "test/support/compare.hpp"
#include "test/support/kernel_cases.hpp"
#include "test/support/matrices.hpp"

/// Matchings of largest product.
namespace linden::test {
namespace {

using I = std::int32_t;

double entry(const CsrData<double, I>& a, size_type row, size_type col)
{
    for (auto k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
        if (a.col_idxs[k] == col) {
            return std::abs(a.values[k]);
        }
    }
    return 0;
}

/// Sum of the logarithms of the matched entries.
double log_product(const CsrData<double, I>& a, const std::vector<std::int64_t>& column_of_row)
{
    double sum = 0;
    for (std::size_t row = 0; row < column_of_row.size(); ++row) {
        sum += std::log(entry(a, static_cast<size_type>(row), column_of_row[row]));
    }
    return sum;
}

size_type num_nonzeros(const CsrData<double, I>& a, const std::vector<std::int64_t>& column_of_row)
{
    size_type count = 0;
    for (std::size_t row = 0; row < column_of_row.size(); ++row) {
        count += entry(a, static_cast<size_type>(row), column_of_row[row]) > 0 ? 1 : 0;
    }
    return count;
}

void expect_normal(const Matching& m)
{
    for (const auto* factors : {&m.row_scaling, &m.column_scaling}) {
        EXPECT_TRUE(std::all_of(factors->begin(), factors->end(), [](double x) { return x > 0 && std::isnormal(x); }));
    }
}

/// r_i |a_ij| c_j is at most 1, and 1 for pairs, with factors that are positive and normal.
void expect_scaled(const CsrData<double, I>& a, const Matching& m)
{
    for (size_type row = 0; row < a.size.rows; ++row) {
        for (auto k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
            const double size = m.row_scaling[row] * std::abs(a.values[k]) * m.column_scaling[a.col_idxs[k]];
            EXPECT_LE(size, 1 + 1e-9);
            if (m.column_of_row[row] == a.col_idxs[k]) {
                EXPECT_NEAR(size, 1, 1e-9);
            }
        }
    }
    expect_normal(m);
}

TEST(Matching, ByHand)
{
    on_each_executor([](const Executor& exec) {
        // [0 2 .; 3 . 1; . 5 4]: 3 (row 1) with 2 and 4, not 5.
        const CsrData<double, I> a{{3, 3}, {0, 2, 4, 6}, {0, 1, 0, 2, 1, 2}, {0, 2, 3, 1, 5, 4}};
        const auto m = maximum_product_matching(Csr<double, I>(exec, a));
        EXPECT_EQ(m.column_of_row, (std::vector<std::int64_t>{1, 0, 2}));
        EXPECT_TRUE(m.is_perfect());
        EXPECT_TRUE(m.unmatched_rows().empty());
        expect_scaled(a, m);
        const auto none = maximum_product_matching(Csr<double, I>(exec, Dim{0, 0}));
        EXPECT_TRUE(none.is_perfect());
        EXPECT_THROW(maximum_product_matching(Csr<double, I>(exec, Dim{2, 3})), DimensionMismatch);
    });
}

TEST(Matching, HasTheLargestProductOfAll)
{
    Random random(2203);
    for (int round = 0; round < 60; ++round) {
        auto a = random_csr<double, I>(random, {6, 6}, 2 + round % 3);
        for (auto& value : a.values) {
            value = std::ldexp(value, static_cast<int>(random.integer(0, 40)) - 20);
        }
        std::vector<std::int64_t> columns(6);
        std::iota(columns.begin(), columns.end(), 0);
        double best = -std::numeric_limits<double>::infinity();
        size_type most = 0;
        do {
            best = std::max(best, log_product(a, columns));
            most = std::max(most, num_nonzeros(a, columns));
        } while (std::next_permutation(columns.begin(), columns.end()));
        const auto m = maximum_product_matching(Csr<double, I>(reference_executor(), a));
        EXPECT_EQ(m.num_matched, most);
        if (m.is_perfect()) {
            EXPECT_NEAR(log_product(a, m.column_of_row), best, 1e-9);
        }
        expect_scaled(a, m);
    }
}

TEST(Matching, MatchesAsManyAsThereCanBe)
{
    on_each_executor([](const Executor& exec) {
        const double nan = std::numeric_limits<double>::quiet_NaN();
        // Rows 0, 1 and 3 have nothing but column 1; the entries of row 2 are none but in column 2.
        const CsrData<double, I> a{{4, 4}, {0, 1, 2, 5, 6}, {1, 1, 0, 2, 3, 1}, {1, 2, 0, 7, nan, 3}};
        const auto m = maximum_product_matching(Csr<double, I>(exec, a));
        EXPECT_EQ(m.num_matched, 2);
        EXPECT_EQ(m.column_of_row[2], 2);
        EXPECT_EQ(m.unmatched_rows().size(), 2u);
        EXPECT_EQ(m.unmatched_columns(), (std::vector<size_type>{0, 3}));
    });
}

/// A third of the columns is empty: rows that cannot be matched are found among many that can, and the factors of what
/// their searches have visited are right in the end.
TEST(Matching, ScalesSingularMatrices)
{
    Random random(2204);
    auto a = generate_problem<double, I>("lap2d:30");
    for (std::size_t k = 0; k < a.values.size(); ++k) {
        a.values[k] = a.col_idxs[k] % 3 == 1 ? 0 : std::ldexp(1.0, static_cast<int>(random.integer(0, 40)));
    }
    const auto m = maximum_product_matching(Csr<double, I>(reference_executor(), a));
    EXPECT_EQ(m.num_matched, 600);
    EXPECT_EQ(m.unmatched_columns().size(), 300u);
    expect_scaled(a, m);
}

/// All choices cost the same: only paths, from a few rows that the first choices leave, find the others' columns.
TEST(Matching, MatchesEqualEntries)
{
    auto grid = generate_problem<double, I>("lap2d:30");
    std::fill(grid.values.begin(), grid.values.end(), 2.0);
    std::vector<I> order(static_cast<std::size_t>(grid.size.rows));
    for (std::size_t i = 0; i < order.size(); ++i) {
        order[i] = static_cast<I>((i * 7 + 3) % order.size());
    }
    const Csr<double, I> a(reference_executor(), grid);
    const auto shuffled = permute_columns(a, Permutation<double, I>(reference_executor(), order));
    const auto m = maximum_product_matching(shuffled);
    EXPECT_TRUE(m.is_perfect());
    expect_scaled(shuffled.to_host(), m);
}

TEST(Matching, HasNormalFactorsForExtremeValues)
{
    const auto match = [](const CsrData<double, I>& a) {
        return maximum_product_matching(Csr<double, I>(reference_executor(), a));
    };
    // 1 / a_ii is subnormal, or infinite: columns are scaled, too.
    for (const double value : {1.7e308, 5e-324}) {
        const CsrData<double, I> a{{2, 2}, {0, 1, 2}, {0, 1}, {value, 1}};
        expect_scaled(a, match(a));
    }
    // c_i / c_{i-1} = 1e600: no doubles.
    const CsrData<double, I> a{{3, 3}, {0, 1, 3, 5}, {0, 0, 1, 1, 2}, {1e-300, 1e300, 1e-300, 1e300, 1e-300}};
    const auto m = match(a);
    EXPECT_TRUE(m.is_perfect());
    expect_normal(m);
}

/// The columns of a grid in another order: each row finds its own again.
TEST(Matching, KeepsDiagonalsThatAreLarge)
{
    Random random(11);
    const size_type n = 40;
    for (const int kind : {0, 1, 2}) {  // large among both (definite), in rows, in columns
        auto a = random_csr<double, I>(random, {n, n}, 4);
        CsrData<double, I> b{a.size, {0}, {}, {}};
        std::vector<double> scale;
        for (size_type i = 0; i < n; ++i) {
            scale.push_back(std::ldexp(1.5, static_cast<int>(random.integer(-40, 40))));
        }
        for (size_type i = 0; i < n; ++i) {
            std::map<I, double> row{{static_cast<I>(i), 1.0}};
            for (auto k = a.row_ptrs[i]; k < a.row_ptrs[i + 1]; ++k) {
                row.emplace(a.col_idxs[k], 0.9 * std::tanh(a.values[k]));
            }
            for (const auto& [j, value] : row) {
                b.col_idxs.push_back(j);
                b.values.push_back(value * (kind == 0   ? std::sqrt(scale[i] * scale[j])
                                            : kind == 1 ? scale[i]
                                                        : scale[j]));
            }
            b.row_ptrs.push_back(static_cast<I>(b.values.size()));
        }
        const auto m = maximum_product_matching(Csr<double, I>(Executor::reference(), b));
        for (size_type i = 0; i < n; ++i) {
            EXPECT_EQ(m.column_of_row[i], i);
        }
        expect_scaled(b, m);
    }
}

TEST(Matching, RestoresADiagonal)
{
    const auto grid = generate_problem<double, I>("lap2d:40");
    const auto n = grid.size.rows;
    std::vector<I> order(static_cast<std::size_t>(n));
    for (I i = 0; i < n; ++i) {
        order[i] = static_cast<I>((i * I{7} + 3) % n);
    }
    const Csr<double, I> a(reference_executor(), grid);
    const auto shuffled = permute_columns(a, Permutation<double, I>(reference_executor(), order));
    const auto m = maximum_product_matching(shuffled);
    ASSERT_TRUE(m.is_perfect());
    for (I row = 0; row < n; ++row) {
        EXPECT_EQ(order[m.column_of_row[row]], row);
    }
    expect_scaled(shuffled.to_host(), m);
}

/// Values for which many rows want the same columns, so that prices of an auction come before paths; and the same with
/// two rows for one column, which no price settles.
TEST(Matching, StartsFromPricesWhereManyRowsAreLeft)
{
    auto a = generate_problem<double, I>("lap2d:60");
    const auto n = a.size.rows;
    Random random(41);
    for (auto& value : a.values) {
        value = std::ldexp(1 + std::abs(random.value<double>()), static_cast<int>(random.integer(0, 40)) - 20);
    }
    std::vector<I> order(static_cast<std::size_t>(n));
    for (I i = 0; i < n; ++i) {
        order[i] = static_cast<I>((i * I{7} + 3) % n);
    }
    const auto shuffled =
        permute_columns(Csr<double, I>(reference_executor(), a), Permutation<double, I>(reference_executor(), order));
    const auto m = maximum_product_matching(shuffled);
    EXPECT_TRUE(m.is_perfect());
    expect_scaled(shuffled.to_host(), m);
    EXPECT_NEAR(m.log_product, log_product(shuffled.to_host(), m.column_of_row), 1e-8 * static_cast<double>(n));

    auto singular = shuffled.to_host();
    const auto first = singular.col_idxs.begin();
    const I shared =
        *std::find_if(first, first + singular.row_ptrs[1], [&](I column) { return entry(singular, 1, column) > 0; });
    for (auto k = singular.row_ptrs[0]; k < singular.row_ptrs[2]; ++k) {
        singular.values[k] = singular.col_idxs[k] == shared ? 1 : 0;
    }
    const auto others = maximum_product_matching(Csr<double, I>(reference_executor(), singular));
    EXPECT_EQ(others.num_matched, n - 1);
    expect_scaled(singular, others);
}

/// The number of pairs of a largest matching, by one search from each row.
class StructuralRank {
public:
    explicit StructuralRank(const CsrData<double, I>& a) : a_(a), row_of_(static_cast<std::size_t>(a.size.cols), -1) {}

    size_type operator()()
    {
        size_type rank = 0;
        for (I row = 0; row < a_.size.rows; ++row) {
            seen_.assign(row_of_.size(), 0);
            rank += augment(row) ? 1 : 0;
        }
        return rank;
    }

private:
    bool augment(I row)
    {
        for (auto k = a_.row_ptrs[row]; k < a_.row_ptrs[row + 1]; ++k) {
            const I column = a_.col_idxs[k];
            if (a_.values[k] == 0 || std::exchange(seen_[column], 1) == 1) {
                continue;
            }
            if (row_of_[column] < 0 || augment(row_of_[column])) {
                row_of_[column] = row;
                return true;
            }
        }
        return false;
    }

    const CsrData<double, I>& a_;
    std::vector<I> row_of_;
    std::vector<char> seen_;
};

void expect_best_of_rank(const CsrData<double, I>& a)
{
    const auto m = maximum_product_matching(Csr<double, I>(reference_executor(), a));
    EXPECT_EQ(m.num_matched, StructuralRank(a)());
    EXPECT_EQ(static_cast<size_type>(m.unmatched_rows().size()), a.size.rows - m.num_matched);
    EXPECT_EQ(m.unmatched_columns().size(), m.unmatched_rows().size());
    double sum = 0;
    for (size_type row = 0; row < a.size.rows; ++row) {
        if (m.column_of_row[row] >= 0) {
            sum += std::log(entry(a, row, m.column_of_row[row]));
        }
    }
    EXPECT_NEAR(m.log_product, sum, 1e-9 * static_cast<double>(a.size.rows));
    expect_scaled(a, m);
}

/// One row for two columns, one for one, two rows for one, with larger entries between these parts.
TEST(SingularMatching, ByHand)
{
    // [1 2 100 1000; . . 3 1e9; . . . 5; . . . 4]
    const CsrData<double, I> a{{4, 4}, {0, 4, 6, 7, 8}, {0, 1, 2, 3, 2, 3, 3, 3}, {1, 2, 100, 1000, 3, 1e9, 5, 4}};
    on_each_executor([&](const Executor& exec) {
        const auto m = maximum_product_matching(Csr<double, I>(exec, a));
        EXPECT_EQ(m.num_matched, 3);
        EXPECT_TRUE(m.column_of_row[0] == 0 || m.column_of_row[0] == 1);
        EXPECT_EQ(m.column_of_row[1], 2);
        EXPECT_EQ(m.column_of_row[2] + m.column_of_row[3], 2);  // 3 and -1
        expect_scaled(a, m);
    });
    // [2 .; 3 .]: a column chooses between rows; [. .; 2 3]: rows do not lack columns.
    expect_best_of_rank({{2, 2}, {0, 1, 2}, {0, 0}, {2, 3}});
    expect_best_of_rank({{2, 2}, {0, 0, 2}, {0, 1}, {2, 3}});
    expect_best_of_rank({{2, 2}, {0, 0, 0}, {}, {}});
}

/// No other pairs of the same rows and columns are better.
TEST(SingularMatching, HasTheLargestProductOfItsRowsAndColumns)
{
    Random random(2211);
    size_type num_singular = 0;
    for (int round = 0; round < 200; ++round) {
        auto a = random_csr<double, I>(random, {6, 6}, 1 + round % 3);
        for (auto& value : a.values) {
            value = std::ldexp(value, static_cast<int>(random.integer(0, 40)) - 20);
        }
        const auto m = maximum_product_matching(Csr<double, I>(reference_executor(), a));
        expect_best_of_rank(a);
        std::vector<std::int64_t> rows, columns;
        for (std::int64_t row = 0; row < 6; ++row) {
            if (m.column_of_row[row] >= 0) {
                rows.push_back(row);
                columns.push_back(m.column_of_row[row]);
            }
        }
        num_singular += rows.size() < 6 ? 1 : 0;
        std::sort(columns.begin(), columns.end());
        double best = -std::numeric_limits<double>::infinity();
        do {
            double sum = 0;
            for (std::size_t i = 0; i < rows.size(); ++i) {
                sum += std::log(entry(a, rows[i], columns[i]));
            }
            best = std::max(best, sum);
        } while (std::next_permutation(columns.begin(), columns.end()));
        EXPECT_NEAR(m.log_product, best, 1e-9);
    }
    EXPECT_GT(num_singular, 50);
}

/// A grid whose columns are in another order, with entries of very different sizes, without columns or rows, with rows
/// for which there is only one column, and columns for which there is only one row.
TEST(SingularMatching, MatchesGridsThatLackRowsAndColumns)
{
    struct Lack {
        I columns, rows, single_rows, single_columns;  ///< every so many, 0: none
    };
    const auto is_lacking = [](I every, I i) { return every > 0 && i % every == every / 2; };
    for (const auto [columns, rows, single_rows, single_columns] :
         {Lack{50, 0, 0, 0}, Lack{0, 50, 0, 0}, Lack{50, 30, 0, 0}, Lack{30, 50, 0, 0}, Lack{0, 0, 20, 0},
          Lack{0, 0, 0, 20}, Lack{0, 0, 40, 40}, Lack{40, 70, 110, 100}, Lack{900, 0, 0, 0}, Lack{2, 0, 0, 3}}) {
        auto a = generate_problem<double, I>("lap2d:40");
        const I n = static_cast<I>(a.size.rows);
        Random random(2212);
        for (I row = 0; row < n; ++row) {
            for (auto k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
                const I column = a.col_idxs[k];
                const bool is_single = (is_lacking(single_rows, row / 2) && column != row - row % 2) ||
                                       (is_lacking(single_columns, column / 2) && row != column - column % 2);
                const bool is_absent = is_lacking(columns, column) || is_lacking(rows, row) || is_single;
                a.values[k] = is_absent ? 0 : std::ldexp(1.5, static_cast<int>(random.integer(0, 40)) - 20);
            }
        }
        std::vector<I> order(static_cast<std::size_t>(n));
        for (I i = 0; i < n; ++i) {
            order[i] = static_cast<I>((i * I{7} + 3) % n);
        }
        const auto shuffled = permute_columns(Csr<double, I>(reference_executor(), a),
                                              Permutation<double, I>(reference_executor(), order));
        expect_best_of_rank(shuffled.to_host());
        const auto approximate = approximate_product_matching(shuffled);
        EXPECT_EQ(approximate.column_of_row, maximum_product_matching(shuffled).column_of_row);
    }
}

/// r_i |a_ij| c_j is at most 1, and at least 1/2 for pairs; the product is that of the pairs, the bound not below it,
/// nor below that of the largest product.
void expect_half(const CsrData<double, I>& a, const Matching& m)
{
    for (size_type row = 0; row < a.size.rows; ++row) {
        for (auto k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
            const double size = m.row_scaling[row] * std::abs(a.values[k]) * m.column_scaling[a.col_idxs[k]];
            EXPECT_LE(size, 1.0);
            if (m.column_of_row[row] == a.col_idxs[k]) {
                EXPECT_GE(size, 0.5);
            }
        }
    }
    expect_normal(m);
    const auto exact = maximum_product_matching(Csr<double, I>(reference_executor(), a));
    EXPECT_EQ(m.num_matched, exact.num_matched);
    const auto n = static_cast<double>(m.num_matched);
    const double tolerance = 1e-9 * n + n / 65536;
    EXPECT_NEAR(m.log_product, log_product(a, m.column_of_row), tolerance);
    EXPECT_NEAR(exact.log_product, log_product(a, exact.column_of_row), 1e-9 * n);
    EXPECT_GE(m.log_bound, exact.log_product - 1e-9 * n);
    EXPECT_LE(m.log_bound, m.log_product + n * std::log(2.0) + 1e-9 * n);
    EXPECT_LE(m.log_product, exact.log_product + 1e-9 * n);
    EXPECT_GE(m.log_product, exact.log_product - n * std::log(2.0));
}

void expect_half_everywhere(const CsrData<double, I>& a)
{
    const auto expected = approximate_product_matching(Csr<double, I>(reference_executor(), a));
    EXPECT_TRUE(expected.is_perfect());
    expect_half(a, expected);
    on_each_other_executor([&](const Executor& exec) {
        const auto m = approximate_product_matching(Csr<double, I>(exec, a));
        EXPECT_EQ(m.column_of_row, expected.column_of_row);
        EXPECT_EQ(m.row_scaling, expected.row_scaling);
        EXPECT_EQ(m.column_scaling, expected.column_scaling);
        EXPECT_EQ(m.log_product, expected.log_product);
        EXPECT_EQ(m.log_bound, expected.log_bound);
    });
}

/// Entries of very different sizes on patterns that have a perfect matching, which columns in another order hide.
TEST(ApproximateMatching, HasHalfOfTheLargestProductInTheMean)
{
    Random random(2205);
    for (const size_type n : {1, 2, 7, 33, 300, 2000}) {
        auto a = random_csr<double, I>(random, {n, n}, std::min<size_type>(n, 5));
        CsrData<double, I> b{a.size, {0}, {}, {}};
        for (size_type i = 0; i < n; ++i) {
            std::map<I, double> row{{static_cast<I>((i * 7 + 3) % n), random.value<double>()}};
            for (auto k = a.row_ptrs[i]; k < a.row_ptrs[i + 1]; ++k) {
                row.emplace(a.col_idxs[k], std::ldexp(a.values[k], static_cast<int>(random.integer(0, 40)) - 20));
            }
            for (const auto& [j, value] : row) {
                b.col_idxs.push_back(j);
                b.values.push_back(value);
            }
            b.row_ptrs.push_back(static_cast<I>(b.values.size()));
        }
        if (n % 7 != 0) {  // the columns above are a permutation
            expect_half_everywhere(b);
        }
    }
    expect_half_everywhere(generate_problem<double, I>("convdiff3d:9:40"));
}

/// Rows that many others compete with end on paths through all of them: a chain in which each row prefers the column
/// that the next one needs.
TEST(ApproximateMatching, FindsPathsThatTheAuctionLeaves)
{
    const size_type n = 100;
    CsrData<double, I> a{{n, n}, {0}, {}, {}};
    for (size_type i = 0; i < n; ++i) {
        if (i > 0) {
            a.col_idxs.push_back(static_cast<I>(i - 1));
            a.values.push_back(1);
        }
        a.col_idxs.push_back(static_cast<I>(i));
        a.values.push_back(1e-2);
        a.row_ptrs.push_back(static_cast<I>(a.values.size()));
    }
    expect_half_everywhere(a);
}

TEST(ApproximateMatching, MatchesSingularMatricesAsTheExactOne)
{
    const CsrData<double, I> a{{4, 4}, {0, 1, 2, 5, 6}, {1, 1, 0, 2, 3, 1}, {1, 2, 0, 7, 5, 3}};
    on_each_executor([&](const Executor& exec) {
        const auto m = approximate_product_matching(Csr<double, I>(exec, a));
        EXPECT_EQ(m.column_of_row, maximum_product_matching(Csr<double, I>(exec, a)).column_of_row);
        EXPECT_EQ(m.num_matched, 2);
        EXPECT_EQ(m.unmatched_columns(), (std::vector<size_type>{0, 3}));
        EXPECT_TRUE(approximate_product_matching(Csr<double, I>(exec, Dim{0, 0})).is_perfect());
        EXPECT_THROW(approximate_product_matching(Csr<double, I>(exec, Dim{2, 3})), DimensionMismatch);
    });
}

}  // namespace
}  // namespace linden::test
