#include "core/factorization/pivot_selection.hpp"

#include <linden/error.hpp>

#include <algorithm>
#include <cmath>
#include <set>

#include "core/kernels/pivoting.hpp"
#include "test/support/pathological.hpp"
#include "test/support/pivoting.hpp"
#include "test/support/problems.hpp"

/// Pivots of a level of elimination.
namespace linden::test {
namespace {

using linden::detail::PivotRule;
using linden::detail::select_pivots;
namespace p = pathological;

template <class T>
class PivotSelection : public testing::Test {
};
TYPED_TEST_SUITE(PivotSelection, TestedValueIndices, TypeNames);

template <class V, class I>
std::vector<I> selected(const Executor& exec, const CsrData<V, I>& a, const PivotRule& rule)
{
    const Csr<V, I> matrix(exec, a);
    const auto columns = select_pivots<V, I>(exec, matrix.view(), rule).column.to_host();
    EXPECT_EQ(columns, (select_pivots<V, I>(exec, matrix.view(), rule).column.to_host())) << "two runs differ";
    return columns;
}

/// The size of a number as a pivot: its larger part, or 0.
template <class V>
double size_of(V value)
{
    const double size = std::max(std::abs(std::real(value)), std::abs(std::imag(value)));
    return is_nan(value) || !std::isfinite(size) ? 0 : size;
}

/// What every choice of pivots has to be, and whether another one would fit beside it.
template <class V, class I>
class Checked {
public:
    Checked(const CsrData<V, I>& a, const std::vector<I>& columns, const PivotRule& rule)
        : a_(a),
          columns_(columns),
          rule_(rule),
          touched_(columns.size()),
          of_pivot_(columns.size())
    {
        for (size_type row = 0; row < a.size.rows; ++row) {
            if (columns[row] < 0) {
                continue;
            }
            ++count_;
            EXPECT_FALSE(of_pivot_[columns[row]]) << "column " << columns[row] << " twice";
            of_pivot_[columns[row]] = true;
            for_row(row, [&](I k) { touched_[a.col_idxs[k]] = true; });
        }
    }

    size_type count() const { return count_; }

    void expect_diagonal_and_large() const
    {
        for (size_type row = 0; row < a_.size.rows; ++row) {
            if (columns_[row] < 0) {
                continue;
            }
            bool is_allowed = false;
            for_row(row, [&](I k) {
                is_allowed |= a_.col_idxs[k] == columns_[row] && allows(row, k);
                EXPECT_TRUE(a_.col_idxs[k] == columns_[row] || !of_pivot_[a_.col_idxs[k]]) << "in row " << row;
            });
            EXPECT_TRUE(is_allowed) << "the pivot of row " << row;
        }
    }

    /// A row without a pivot whose entries are in no pivot's column, and an entry there in an untouched column.
    size_type num_others_that_fit() const
    {
        size_type num_others = 0;
        for (size_type row = 0; row < a_.size.rows; ++row) {
            bool is_blocked = columns_[row] >= 0;
            for_row(row, [&](I k) { is_blocked |= of_pivot_[a_.col_idxs[k]]; });
            bool fits = false;
            for_row(row, [&](I k) { fits |= !touched_[a_.col_idxs[k]] && allows(row, k); });
            num_others += fits && !is_blocked;
        }
        return num_others;
    }

private:
    template <class F>
    void for_row(size_type row, const F& f) const
    {
        for (I k = a_.row_ptrs[row]; k < a_.row_ptrs[row + 1]; ++k) {
            f(k);
        }
    }
    bool allows(size_type row, I at) const
    {
        double largest = 0;
        for_row(row, [&](I k) { largest = std::max(largest, size_of(a_.values[k])); });
        using R = real_t<V>;
        const double size = size_of(a_.values[at]);
        return size > 0 && size >= static_cast<R>(rule_.delta) * static_cast<R>(largest) &&
               (!rule_.diagonal_only || a_.col_idxs[at] == row);
    }

    const CsrData<V, I>& a_;
    const std::vector<I>& columns_;
    PivotRule rule_;
    std::vector<bool> touched_, of_pivot_;
    size_type count_ = 0;
};

/// Pivots as they have to be, the same on every executor, and one at least wherever there is a number. Returns them.
template <class V, class I>
std::vector<I> expect_pivots(const CsrData<V, I>& a, const PivotRule& rule)
{
    const auto columns = selected(reference_executor(), a, rule);
    on_each_other_executor([&](const Executor& exec) { EXPECT_EQ(selected(exec, a, rule), columns); });
    const Checked<V, I> checked(a, columns, rule);
    checked.expect_diagonal_and_large();
    const auto is_number = [](V value) { return size_of(value) > 0; };
    if (!rule.diagonal_only && std::any_of(a.values.begin(), a.values.end(), is_number)) {
        EXPECT_GT(checked.count(), 0);
    }
    return columns;
}

template <class V, class I>
CsrData<V, I> tridiagonal(size_type n)
{
    CsrData<V, I> a{{n, n}, {0}, {}, {}};
    for (size_type row = 0; row < n; ++row) {
        for (size_type col = std::max<size_type>(row - 1, 0); col < std::min(row + 2, n); ++col) {
            a.col_idxs.push_back(static_cast<I>(col));
            a.values.push_back(V{static_cast<real_t<V>>(col == row ? 2 : -1)});
        }
        a.row_ptrs.push_back(static_cast<I>(a.values.size()));
    }
    return a;
}

/// In the first round (0, 0) and (3, 4); then every other row has an entry in one of their columns.
TYPED_TEST(PivotSelection, ByHand)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    const auto a = pivot_example<V, I>();
    PivotRule rule{.delta = 0.5, .fraction = 1, .hashed_ties = false};
    EXPECT_EQ(expect_pivots(a, rule), (std::vector<I>{0, -1, -1, 4, -1}));
    rule.diagonal_only = true;  // (0, 0) and (2, 2) are candidates, and (4, 4), which has an entry in column 2
    EXPECT_EQ(expect_pivots(a, rule), (std::vector<I>{0, -1, 2, -1, -1}));
}

/// Row 0 takes column 0, so that row 2 is out; row 1, whose column 1 is touched then, takes column 2.
TYPED_TEST(PivotSelection, TakesAnotherColumnInALaterRound)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    const CsrData<V, I> a{{3, 3}, {0, 2, 4, 6}, {0, 1, 1, 2, 0, 2}, {V{2}, V{1}, V{2}, V{1}, V{2}, V{1}}};
    PivotRule rule{.fraction = 1, .hashed_ties = false, .rounds = 1};
    EXPECT_EQ(expect_pivots(a, rule), (std::vector<I>{0, -1, -1}));
    rule.rounds = 2;
    EXPECT_EQ(expect_pivots(a, rule), (std::vector<I>{0, 2, -1}));
}

TYPED_TEST(PivotSelection, OfTinyMatrices)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    const PivotRule rule;
    const V nan = not_a_number<V>();
    EXPECT_EQ(expect_pivots(p::without_rows<V, I>(), rule), (std::vector<I>{}));
    EXPECT_EQ(expect_pivots(p::without_entries<V, I>(3), rule), (std::vector<I>{-1, -1, -1}));
    EXPECT_EQ(expect_pivots(CsrData<V, I>{{1, 1}, {0, 1}, {0}, {V{3}}}, rule), (std::vector<I>{0}));
    EXPECT_EQ(expect_pivots(CsrData<V, I>{{1, 1}, {0, 1}, {0}, {V{}}}, rule), (std::vector<I>{-1}));
    EXPECT_EQ(expect_pivots(CsrData<V, I>{{1, 1}, {0, 1}, {0}, {nan}}, rule), (std::vector<I>{-1}));
    EXPECT_EQ(expect_pivots(CsrData<V, I>{{2, 2}, {0, 1, 2}, {1, 0}, {V{1}, V{1}}}, rule), (std::vector<I>{1, 0}));
    expect_pivots(p::missing_diagonal<V, I>(), rule);
    expect_pivots(p::zero_diagonal<V, I>(), rule);
    expect_pivots(p::rank_one<V, I>(), rule);
    EXPECT_EQ(expect_pivots(p::rank_one<V, I>(), {.fraction = 0, .min_product = 0, .hashed_ties = false}),
              (std::vector<I>{2, -1, -1}));
}

TYPED_TEST(PivotSelection, OfRandomMatrices)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    for_each_pivot_problem<V, I>(1405, [](const CsrData<V, I>& a, const PivotSettings& settings) {
        expect_pivots(a, {.delta = settings.rule.delta,
                          .diagonal_only = settings.rule.diagonal_only,
                          .fraction = settings.limit.fraction,
                          .min_product = static_cast<size_type>(settings.limit.lowest),
                          .hashed_ties = settings.hashed});
    });
}

/// With rounds enough and every product nothing is left out.
TYPED_TEST(PivotSelection, IsMaximalInTheEnd)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    for_each_pivot_problem<V, I>(1406, [](const CsrData<V, I>& a, const PivotSettings& settings) {
        const PivotRule rule{.delta = settings.rule.delta,
                             .diagonal_only = settings.rule.diagonal_only,
                             .min_product = std::numeric_limits<size_type>::max(),
                             .rounds = 40};
        const auto columns = selected(reference_executor(), a, rule);
        EXPECT_EQ((Checked<V, I>(a, columns, rule).num_others_that_fit()), 0);
    });
}

/// Diagonal entries one after the other in the order of their keys, each that those before do not exclude.
template <class V, class I>
std::vector<I> greedy_choice(const CsrData<V, I>& a, const PivotRule& rule)
{
    const size_type n = a.size.rows;
    const PivotKeys keys(n, rule.hashed_ties);
    const auto counts = column_counts(a.col_idxs, n);
    std::vector<std::set<I>> rows;
    std::vector<std::pair<PivotKey, I>> order;
    for (size_type row = 0; row < n; ++row) {
        rows.emplace_back(a.col_idxs.begin() + a.row_ptrs[row], a.col_idxs.begin() + a.row_ptrs[row + 1]);
        double largest = 0;
        double diagonal = 0;
        for (I k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
            largest = std::max(largest, size_of(a.values[k]));
            diagonal = a.col_idxs[k] == row ? size_of(a.values[k]) : diagonal;
        }
        using R = real_t<V>;
        if (diagonal > 0 && diagonal >= static_cast<R>(rule.delta) * static_cast<R>(largest)) {
            order.emplace_back(keys(row, a.row_ptrs[row + 1] - a.row_ptrs[row], counts[row]), static_cast<I>(row));
        }
    }
    std::sort(order.begin(), order.end());
    std::vector<I> columns(static_cast<std::size_t>(n), -1), chosen;
    for (const auto& candidate : order) {
        const I row = candidate.second;
        const auto excludes = [&](I other) { return rows[row].contains(other) || rows[other].contains(row); };
        if (std::none_of(chosen.begin(), chosen.end(), excludes)) {
            columns[row] = row;
            chosen.push_back(row);
        }
    }
    return columns;
}

/// With one candidate per row the rounds find what one after the other finds.
TYPED_TEST(PivotSelection, OfDiagonalsIsTheGreedyChoice)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    for_each_pivot_problem<V, I>(1407, [](const CsrData<V, I>& a, const PivotSettings& settings) {
        const PivotRule rule{
            .delta = 0.01, .diagonal_only = true, .fraction = 1, .hashed_ties = settings.hashed, .rounds = 60};
        EXPECT_EQ(selected(reference_executor(), a, rule), greedy_choice(a, rule));
    });
}

/// Rows that wait for their neighbours are few in a hashed order; in the order of rows each round has one pivot.
TYPED_TEST(PivotSelection, OfAChain)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    const auto a = tridiagonal<V, I>(2000);
    PivotRule rule;
    const auto count = [&] { return Checked<V, I>(a, expect_pivots(a, rule), rule).count(); };
    EXPECT_GT(count(), 2000 / 3);
    rule.hashed_ties = false;
    EXPECT_LE(count(), 2 * rule.rounds);
}

/// Those that are the first to be eliminated leave little fill: no row or column of a hub.
TYPED_TEST(PivotSelection, LeavesLargeProductsForLaterLevels)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    constexpr size_type n = 400;
    Random random(1408);
    auto a = random_csr<V, I>(random, {n, n}, 3, Pattern::dense_row);
    const auto columns = expect_pivots(a, PivotRule{});
    EXPECT_EQ(columns[n / 2], -1);
    const auto counts = column_counts(a.col_idxs, n);
    const auto count_of = [&](double fraction) {
        const PivotRule rule{.fraction = fraction, .min_product = 0};
        return Checked<V, I>(a, expect_pivots(a, rule), rule).count();
    };
    EXPECT_LT(count_of(0), count_of(0.25));
    EXPECT_LT(count_of(0.25), count_of(1));
}

TYPED_TEST(PivotSelection, RejectsWrongRules)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    const auto& exec = reference_executor();
    const Csr<V, I> a(exec, p::healthy<V, I>());
    const auto select = [&](const PivotRule& rule) { return select_pivots<V, I>(exec, a.view(), rule); };
    EXPECT_THROW(select({.delta = -0.1}), InvalidParameter);
    EXPECT_THROW(select({.delta = std::nan("")}), InvalidParameter);
    EXPECT_THROW(select({.delta = 1.5}), InvalidParameter);
    EXPECT_THROW(select({.fraction = 1.5}), InvalidParameter);
    EXPECT_THROW(select({.min_product = -1}), InvalidParameter);
    EXPECT_THROW(select({.rounds = 0}), InvalidParameter);
    const Csr<V, I> wide(exec, CsrData<V, I>{{1, 2}, {0, 1}, {1}, {V{1}}});
    EXPECT_THROW((select_pivots<V, I>(exec, wide.view(), PivotRule{})), DimensionMismatch);
}

}  // namespace
}  // namespace linden::test
