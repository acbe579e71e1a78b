#include "test/support/multi_elimination.hpp"

/// What a level leaves behind for the factors of the first level's matrix: its pivots, E, F and D^-1, by names.
namespace linden::test {
namespace {

template <class Types>
class MultiEliminationFactors : public testing::Test {
};
TYPED_TEST_SUITE(MultiEliminationFactors, TestedValueIndices, TypeNames);

template <class I>
struct HostNames {
    std::vector<I> rows, columns;
};

/// Names among `total`, more than there are rows.
template <class I>
HostNames<I> random_names(Random& random, size_type n, size_type total)
{
    HostNames<I> names{random_order<I>(random, total), random_order<I>(random, total)};
    names.rows.resize(static_cast<std::size_t>(n));
    names.columns.resize(static_cast<std::size_t>(n));
    return names;
}

/// EliminationRecord on the host, -7 where nothing was entered.
template <class I>
struct HostRecord {
    explicit HostRecord(size_type n) : levels(static_cast<std::size_t>(n), I{-7}), columns(levels), rows(levels) {}

    void enter(I row, I col, I level)
    {
        levels[row] = level;
        columns[row] = col;
        rows[col] = row;
    }
    bool operator==(const HostRecord&) const = default;

    std::vector<I> levels, columns, rows;
};

template <class I>
HostRecord<I> recorded(const Executor& exec, const HostLevel<I>& level, const HostNames<I>& names, I number,
                       bool is_last, const HostRecord<I>& before)
{
    const LevelOn<I> there(exec, level);
    const Array<I> row_names(exec, names.rows), column_names(exec, names.columns);
    Array<I> levels(exec, before.levels), columns(exec, before.columns), rows(exec, before.rows);
    multi_elimination_record<I>(exec, there.view(), {row_names.data(), column_names.data()}, number, is_last,
                                {levels.data(), columns.data(), rows.data()});
    auto after = before;
    after.levels = levels.to_host();
    after.columns = columns.to_host();
    after.rows = rows.to_host();
    return after;
}

/// Of a first matrix with 7 rows.
template <class I>
HostNames<I> example_names()
{
    return {{6, 0, 3, 1, 5}, {2, 4, 0, 1, 6}};
}

TYPED_TEST(MultiEliminationFactors, RecordByHand)
{
    using I = typename TypeParam::index_type;
    const auto level = example_level<I>();
    HostRecord<I> expected(7), expected_of_last(7);
    expected.levels = {2, 2, -7, -7, -7, 2, -7};
    expected.columns = {1, 2, -7, -7, -7, 6, -7};
    expected.rows = {-7, 0, 1, -7, -7, -7, 5};
    expected_of_last.levels = {2, 2, -7, 3, -7, 2, 3};
    expected_of_last.columns = {1, 2, -7, 0, -7, 6, 4};
    expected_of_last.rows = {3, 0, 1, -7, 6, -7, 5};
    on_each_executor([&](const Executor& exec) {
        const auto record = [&](bool is_last) {
            return recorded<I>(exec, level, example_names<I>(), 2, is_last, HostRecord<I>(7));
        };
        EXPECT_TRUE(record(false) == expected);
        EXPECT_TRUE(record(true) == expected_of_last);
    });
}

TYPED_TEST(MultiEliminationFactors, RecordByDefinition)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    Random random(1712);
    for_each_level<V, I>(random, [&](const CsrData<V, I>& a, const HostLevel<I>& level) {
        const auto total = a.size.rows + 5;
        const auto names = random_names<I>(random, a.size.rows, total);
        for (const bool is_last : {false, true}) {
            HostRecord<I> expected(total);
            for (const I row : level.pivot_rows) {
                expected.enter(names.rows[row], names.columns[level.pivots[row]], 4);
            }
            for (std::size_t k = 0; is_last && k < level.kept_rows.size(); ++k) {
                expected.enter(names.rows[level.kept_rows[k]], names.columns[level.kept_columns[k]], 5);
            }
            on_each_executor([&](const Executor& exec) {
                EXPECT_TRUE(recorded<I>(exec, level, names, 4, is_last, HostRecord<I>(total)) == expected);
            });
        }
    });
}

template <class V, class I>
struct Taken {
    std::vector<I> cursors, col_idxs;
    std::vector<V> values;
};

/// To `places` places that hold -7.
template <class V, class I>
Taken<V, I> taken(const Executor& exec, const CsrData<V, I>& host, const HostLevel<I>& level, const HostNames<I>& names,
                  const std::vector<I>& before, std::size_t places)
{
    const Csr<V, I> a(exec, host);
    const LevelOn<I> there(exec, level);
    const Array<I> row_names(exec, names.rows), column_names(exec, names.columns);
    Array<I> cursors(exec, before), col_idxs(exec, std::vector<I>(places, I{-7}));
    Array<V> values(exec, std::vector<V>(places, V{-7}));
    multi_elimination_take_factors<V, I>(exec, a.view(), there.view(), {row_names.data(), column_names.data()},
                                         cursors.data(), col_idxs.data(), values.data());
    return {cursors.to_host(), col_idxs.to_host(), values.to_host()};
}

/// Room for two entries in each row of the first matrix.
TYPED_TEST(MultiEliminationFactors, TakenByHand)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    const auto a = elimination_example<V, I>();
    const auto v = [](double value) { return number<V>(value, 0); };
    const V o = v(-7);
    on_each_executor([&](const Executor& exec) {
        const auto [cursors, col_idxs, values] =
            taken(exec, a, example_level<I>(), example_names<I>(), {0, 2, 4, 6, 8, 10, 12}, 14);
        EXPECT_EQ(cursors, (std::vector<I>{2, 3, 4, 8, 8, 10, 13}));
        EXPECT_EQ(col_idxs, (std::vector<I>{4, 0, 4, -7, -7, -7, 2, 1, -7, -7, -7, -7, 6, -7}));
        EXPECT_EQ(values, (std::vector<V>{v(5), v(9), v(6), o, o, o, v(1), v(4), o, o, o, o, v(3), o}));
    });
}

/// Values that are NaN or infinite come along.
TYPED_TEST(MultiEliminationFactors, TakenByDefinition)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    Random random(1713);
    for_each_level<V, I>(random, [&](const CsrData<V, I>& finite, const HostLevel<I>& level) {
        const auto a = with_odd_values(random, finite);
        const auto total = static_cast<std::size_t>(a.size.rows + 5);
        const auto names = random_names<I>(random, a.size.rows, a.size.rows + 5);
        std::vector<std::vector<std::pair<I, V>>> entries(total);
        const auto counts = counts_where(a, [&](I row, I k) {
            const I col = a.col_idxs[k];
            const bool is_taken = level.is_pivot_row(row) != level.is_pivot_column(col);
            if (is_taken) {
                entries[names.rows[row]].emplace_back(names.columns[col], a.values[k]);
            }
            return is_taken;
        });
        // Each row has three places more than it needs, one of them before its entries.
        std::vector<I> places_of(total, I{3});
        for (size_type row = 0; row < a.size.rows; ++row) {
            places_of[names.rows[row]] += counts[row];
        }
        auto cursors = prefix_sums(places_of);
        const auto places = static_cast<std::size_t>(cursors.back());
        cursors.pop_back();
        Taken<V, I> expected{cursors, std::vector<I>(places, I{-7}), std::vector<V>(places, V{-7})};
        for (std::size_t name = 0; name < total; ++name) {
            ++cursors[name];
            expected.cursors[name] = cursors[name];
            for (const auto& [col, value] : entries[name]) {
                expected.col_idxs[expected.cursors[name]] = col;
                expected.values[expected.cursors[name]++] = value;
            }
        }
        on_each_executor([&](const Executor& exec) {
            const auto actual = taken(exec, a, level, names, cursors, places);
            EXPECT_EQ(actual.cursors, expected.cursors);
            EXPECT_EQ(actual.col_idxs, expected.col_idxs);
            expect_near(actual.values, expected.values, 0);
        });
    });
}

/// The values alone, by the kernel that splits the level. Names of rows are their numbers.
template <class V, class I>
Taken<V, I> taken_by_split(const Executor& exec, const CsrData<V, I>& host, const HostLevel<I>& level,
                           const std::vector<I>& before, std::size_t places)
{
    const Csr<V, I> a(exec, host);
    const LevelOn<I> there(exec, level);
    const std::size_t n = level.rows.size();
    std::vector<I> kept_counts, interpolation_counts(n, I{0});
    for (const I row : level.kept_rows) {
        kept_counts.push_back(host.row_ptrs[row + 1] - host.row_ptrs[row]);
    }
    for (std::size_t row = 0; row < n; ++row) {
        interpolation_counts[row] += level.columns[row] >= 0 ? 1 : 0;
        for (I k = host.row_ptrs[row]; level.rows[row] < 0 && k < host.row_ptrs[row + 1]; ++k) {
            interpolation_counts[level.pivots[row]] += level.columns[host.col_idxs[k]] >= 0 ? 1 : 0;
        }
    }
    const auto num_kept = static_cast<size_type>(level.kept_rows.size());
    RowsOn<V, I> kept(exec, {num_kept, host.size.cols}, kept_counts);
    RowsOn<V, I> interpolation(exec, {host.size.cols, num_kept}, interpolation_counts);
    Array<V> d(exec, static_cast<size_type>(level.pivot_rows.size())), inverses(exec, d.size());
    const Array<I> names = [&] {
        std::vector<I> numbers(n);
        std::iota(numbers.begin(), numbers.end(), I{0});
        return Array<I>(exec, numbers);
    }();
    Array<I> cursors(exec, before);
    Array<V> values(exec, std::vector<V>(places, V{-7}));
    multi_elimination_split<V, I>(exec, a.view(), there.view(), 0.5, {d.data(), inverses.data()}, kept.written(),
                                  interpolation.written(), {names.data(), cursors.data(), values.data()});
    return {cursors.to_host(), {}, values.to_host()};
}

/// As without splitting, but for the cursors of pivots' rows, which have no more entries.
TYPED_TEST(MultiEliminationFactors, TakenWhereALevelIsSplit)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    Random random(1719);
    for_each_level<V, I>(random, [&](const CsrData<V, I>& a, const HostLevel<I>& level) {
        HostNames<I> names{std::vector<I>(level.rows.size()), std::vector<I>(level.rows.size())};
        std::iota(names.rows.begin(), names.rows.end(), I{0});
        names.columns = names.rows;
        const auto places = static_cast<std::size_t>(a.row_ptrs.back());
        const std::vector<I> before(a.row_ptrs.begin(), a.row_ptrs.end() - 1);
        on_each_executor([&](const Executor& exec) {
            const auto expected = taken(exec, a, level, names, before, places);
            const auto actual = taken_by_split(exec, a, level, before, places);
            expect_near(actual.values, expected.values, 0);
            for (const I row : level.kept_rows) {
                EXPECT_EQ(actual.cursors[row], expected.cursors[row]);
            }
        });
    });
}

/// order, and its inverse.
template <class V, class I>
CsrData<V, I> permuted(const Executor& exec, const CsrData<V, I>& host, const std::vector<I>& order)
{
    const Array<I> row_ptrs(exec, host.row_ptrs), col_idxs(exec, host.col_idxs);
    const Array<V> values(exec, host.values);
    const CsrView<V, I> a{host.size.rows,  host.size.cols,  values.size(),
                          row_ptrs.data(), col_idxs.data(), values.data()};
    std::vector<I> position(order.size()), counts;
    for (const I row : order) {
        position[row] = static_cast<I>(counts.size());
        counts.push_back(host.row_ptrs[row + 1] - host.row_ptrs[row]);
    }
    const Array<I> order_there(exec, order), position_there(exec, position);
    RowsOn<V, I> result(exec, host.size, counts);
    multi_elimination_permute<V, I>(exec, a, order_there.data(), position_there.data(), result.written());
    return result.to_host();
}

/// [1 . 2; . . .; 3 4 .] with row 2 first and row 0 last: columns 0, 1, 2 become 2, 1, 0, in the old order of entries.
TYPED_TEST(MultiEliminationFactors, PermuteByHand)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    const auto v = [](double value) { return number<V>(value, value); };
    const CsrData<V, I> a{{3, 3}, {0, 2, 2, 4}, {0, 2, 0, 1}, {v(1), v(2), v(3), v(4)}};
    on_each_executor([&](const Executor& exec) {
        expect_same_matrix(permuted(exec, a, {2, 1, 0}),
                           {{3, 3}, {0, 2, 2, 4}, {2, 1, 2, 0}, {v(3), v(4), v(1), v(2)}});
        expect_same_matrix(permuted(exec, a, {1, 2, 0}),
                           {{3, 3}, {0, 0, 2, 4}, {2, 0, 2, 1}, {v(3), v(4), v(1), v(2)}});
    });
}

/// Rows in any order; values that are NaN or infinite come along.
TYPED_TEST(MultiEliminationFactors, PermuteByDefinition)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    Random random(1717);
    for_each_elimination_matrix<V, I>(random, [&](const CsrData<V, I>& finite) {
        auto a = with_odd_values(random, finite);
        for (I row = 0; row < a.size.rows; ++row) {
            std::reverse(a.col_idxs.begin() + a.row_ptrs[row], a.col_idxs.begin() + a.row_ptrs[row + 1]);
        }
        const auto order = random_order<I>(random, a.size.rows);
        CsrData<V, I> expected{a.size, {0}, {}, {}};
        for (const I row : order) {
            for (I k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
                const auto at = std::find(order.begin(), order.end(), a.col_idxs[k]) - order.begin();
                expected.col_idxs.push_back(static_cast<I>(at));
                expected.values.push_back(a.values[k]);
            }
            expected.row_ptrs.push_back(static_cast<I>(expected.values.size()));
        }
        on_each_executor([&](const Executor& exec) { expect_same_matrix(permuted(exec, a, order), expected); });
    });
}

template <class V, class I>
std::vector<V> scattered(const Executor& exec, const std::vector<I>& names, const std::vector<V>& source,
                         std::size_t total)
{
    const Array<I> names_there(exec, names);
    const Array<V> source_there(exec, source);
    Array<V> target(exec, std::vector<V>(total, V{-7}));
    multi_elimination_scatter<V, I>(exec, names_there.size(), names_there.data(), source_there.data(), target.data());
    return target.to_host();
}

TYPED_TEST(MultiEliminationFactors, ScatterByHand)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    on_each_executor([](const Executor& exec) {
        EXPECT_EQ((scattered<V, I>(exec, {4, 0, 3}, {V{1}, number<V>(2, 3), V{5}}, 5)),
                  (std::vector<V>{number<V>(2, 3), V{-7}, V{-7}, V{5}, V{1}}));
    });
}

TYPED_TEST(MultiEliminationFactors, ScatterByDefinition)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    Random random(1714);
    for (const auto n : tested_rows) {
        const auto names = random_names<I>(random, n, n + 5).rows;
        std::vector<V> source(names.size()), expected(names.size() + 5, V{-7});
        for (std::size_t k = 0; k < names.size(); ++k) {
            source[k] = random.value<V>();
            expected[names[k]] = source[k];
        }
        on_each_executor(
            [&](const Executor& exec) { EXPECT_EQ(scattered(exec, names, source, expected.size()), expected); });
    }
}

}  // namespace
}  // namespace linden::test
