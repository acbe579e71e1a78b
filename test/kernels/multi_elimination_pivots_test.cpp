#include <limits>

#include "core/kernels/colouring.hpp"
#include "test/support/multi_elimination.hpp"
#include "test/support/patterns.hpp"

/// The choice of pivots on the diagonal: which rows can have one, in what order they ask for it, and who gets it.
namespace linden::test {
namespace {

template <class Types>
class MultiEliminationPivots : public testing::Test {
};
TYPED_TEST_SUITE(MultiEliminationPivots, TestedValueIndices, TypeNames);

template <class R>
struct Measures {
    std::vector<R> strengths;
    std::vector<std::uint64_t> keys;
};

template <class V, class I>
Measures<real_t<V>> measured(const Executor& exec, const CsrData<V, I>& host, double delta)
{
    using R = real_t<V>;
    const Csr<V, I> a(exec, host);
    Array<R> strengths(exec, std::vector<R>(static_cast<std::size_t>(host.size.rows), R{-7}));
    Array<std::uint64_t> keys(exec, host.size.rows);
    multi_elimination_measure<V, I>(exec, a.view(), delta, strengths.data(), keys.data());
    return {strengths.to_host(), keys.to_host()};
}

constexpr std::uint64_t key_of(std::uint64_t count, size_type rank)
{
    return count << 52 | static_cast<std::uint64_t>(rank);
}

/// [2i . -4 . .; . x . . .; 3 . y . .; 1 . . . .; . . . . 3]
TYPED_TEST(MultiEliminationPivots, MeasuresByHand)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    using R = real_t<V>;
    const V two = is_complex<V> ? number<V>(0, 2) : V{-2};
    CsrData<V, I> a{{5, 5}, {0, 2, 3, 5, 6, 7}, {0, 2, 1, 0, 2, 0, 4}, {two, V{-4}, V{}, V{3}, V{}, V{1}, V{3}}};
    on_each_executor([&](const Executor& exec) {
        for (const auto& [x, y] : {std::pair{V{}, infinite<V>()}, {not_a_number<V>(), -infinite<V>()}}) {
            a.values[2] = x;
            a.values[4] = y;
            const auto [strengths, keys] = measured(exec, a, 0.5);
            EXPECT_EQ(strengths, (std::vector<R>{2, -1, -1, -1, 0}));
            EXPECT_EQ(keys, (std::vector{key_of(2, 0), key_of(1, 3), key_of(2, 2), key_of(1, 4), key_of(1, 1)}));
            EXPECT_EQ(measured(exec, a, 0).strengths, (std::vector<R>{2, -1, -1, -1, 0}));
            EXPECT_EQ(measured(exec, a, 0.51).strengths, (std::vector<R>{-1, -1, -1, -1, 0}));
            a.values[1] = V{0.125};
            EXPECT_EQ(measured(exec, a, 0.5).strengths, (std::vector<R>{1.25, -1, -1, -1, 0}));
            a.values[1] = V{-4};
        }
    });
}

/// With zeros and infinite numbers anywhere, and NaN on the diagonal.
TYPED_TEST(MultiEliminationPivots, MeasuresByDefinition)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    using R = real_t<V>;
    Random random(1702);
    for_each_elimination_matrix<V, I>(random, [&](auto a) {
        const auto n = static_cast<std::size_t>(a.size.rows);
        std::vector<R> largest(n), own(n);
        std::vector<std::uint64_t> keys(n);
        for (std::size_t row = 0; row < n; ++row) {
            for (I k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
                const bool is_own = a.col_idxs[k] == static_cast<I>(row);
                const auto odd = random.integer(0, 30);
                auto& value = a.values[k];
                value = odd == 0 ? V{} : odd == 1 ? infinite<V>() : odd == 2 && is_own ? not_a_number<V>() : value;
                (is_own ? own : largest)[row] = is_own ? std::abs(value) : std::max(largest[row], std::abs(value));
            }
            const auto rank = ScatteredOrder{a.size.rows}.rank(static_cast<size_type>(row));
            keys[row] = key_of(static_cast<std::uint64_t>(a.row_ptrs[row + 1] - a.row_ptrs[row]), rank);
        }
        for (const double delta : {0.1, 0.9, 1.0}) {
            std::vector<R> strengths(n, R{-1});
            for (std::size_t row = 0; row < n; ++row) {
                if (own[row] > 0 && std::isfinite(own[row]) && own[row] >= static_cast<R>(delta) * largest[row]) {
                    strengths[row] = std::min(own[row], 10 * largest[row]);
                }
            }
            on_each_executor([&](const Executor& exec) {
                const auto actual = measured(exec, a, delta);
                expect_near(actual.strengths, strengths, 4);
                EXPECT_EQ(actual.keys, keys);
            });
        }
    });
}

/// Rows of more than 4095 entries count as such.
TYPED_TEST(MultiEliminationPivots, KeysOfLongRows)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    constexpr I n = 5000;
    CsrData<V, I> a{{n, n}, {0}, {}, {}};
    for (I row = 0; row < n; ++row) {
        const I count = row == 7 ? n : row == 8 ? 4096 : row == 9 ? 4095 : row == 10 ? 4094 : 1;
        for (I col = 0; col < count; ++col) {
            a.col_idxs.push_back(col);
        }
        a.row_ptrs.push_back(a.row_ptrs.back() + count);
    }
    a.values.assign(a.col_idxs.size(), V{1});
    const ScatteredOrder order{n};
    on_each_executor([&](const Executor& exec) {
        const auto keys = measured(exec, a, 0.1).keys;
        const std::vector actual(keys.begin() + 6, keys.begin() + 11);
        EXPECT_EQ(actual,
                  (std::vector{key_of(1, order.rank(6)), key_of(4095, order.rank(7)), key_of(4095, order.rank(8)),
                               key_of(4095, order.rank(9)), key_of(4094, order.rank(10))}));
    });
}

/// NeighbourRule on the host.
template <class R>
struct HostRule {
    std::vector<std::uint64_t> keys;
    std::vector<R> strengths;
    double theta = 0;

    template <class V, class I>
    bool are_neighbours(const CsrData<V, I>& a, I row, I k) const
    {
        const I col = a.col_idxs[k];
        const R limit = static_cast<R>(theta) * std::min(strengths[row], strengths[col]);
        return col != row && !(std::abs(a.values[k]) < limit);
    }
};

/// The decisions after each round, until all rows are decided or as many rounds as there are rows.
template <class V, class I>
std::vector<std::vector<I>> rounds_of(const Executor& exec, const CsrData<V, I>& host, const HostRule<real_t<V>>& rule)
{
    const Csr<V, I> a(exec, host);
    const Array<std::uint64_t> keys(exec, rule.keys);
    const Array<real_t<V>> strengths(exec, rule.strengths);
    std::vector<std::vector<I>> rounds;
    do {
        const auto before = rounds.empty() ? Array<I>(exec) : Array<I>(exec, rounds.back());
        Array<I> after(exec, std::vector<I>(rule.keys.size(), I{-7}));
        multi_elimination_decide<V, I>(exec, a.view(), {keys.data(), strengths.data(), rule.theta},
                                       rounds.empty() ? nullptr : before.data(), after.data());
        rounds.push_back(after.to_host());
    } while (std::count(rounds.back().begin(), rounds.back().end(), 0) > 0 && rounds.size() < rule.keys.size());
    return rounds;
}

/// [1 4 . . .; 4 1 x . .; . x 1 2 .; . . 2 1 8; . . . 8 .]
TYPED_TEST(MultiEliminationPivots, RoundsByHand)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    using Rounds = std::vector<std::vector<I>>;
    const auto v = [](double value) { return number<V>(value, 0); };
    CsrData<V, I> a{{5, 5},
                    {0, 2, 5, 8, 11, 12},
                    {0, 1, 0, 1, 2, 1, 2, 3, 2, 3, 4, 3},
                    {v(1), v(4), v(4), v(1), v(1), v(1), v(1), v(2), v(2), v(1), v(8), v(8)}};
    HostRule<real_t<V>> rule{{10, 11, 12, std::uint64_t{1} << 63, 0}, {4, 4, 2, 2, -1}, 0.5};
    on_each_executor([&](const Executor& exec) {
        const Rounds of_path{{1, 0, 0, 0, 2}, {1, 2, 0, 0, 2}, {1, 2, 1, 0, 2}, {1, 2, 1, 2, 2}};
        const Rounds without_weak{{1, 0, 1, 0, 2}, {1, 2, 1, 2, 2}};
        const auto rounds = [&](V x, double theta) {
            a.values[4] = a.values[5] = x;
            rule.theta = theta;
            return rounds_of(exec, a, rule);
        };
        EXPECT_EQ(rounds(v(1), 0), of_path);
        EXPECT_EQ(rounds(v(-1), 0.5), of_path);
        EXPECT_EQ(rounds(v(1), 0.6), without_weak);
        EXPECT_EQ(rounds(V{}, 0), of_path);
        EXPECT_EQ(rounds(V{}, 0.5), without_weak);
        EXPECT_EQ(rounds(not_a_number<V>(), 0.6), of_path);
        EXPECT_EQ(rounds(infinite<V>(), 1e30), (Rounds{{1, 1, 0, 1, 2}, {1, 1, 2, 1, 2}}));
    });
}

/// Keys in a random order that need all of their bits, and strengths, one of ten rows without.
template <class R>
HostRule<R> random_rule(Random& random, size_type n, double theta)
{
    HostRule<R> rule{{}, {}, theta};
    for (const auto place : random_order<std::int32_t>(random, n)) {
        rule.keys.push_back((static_cast<std::uint64_t>(place) + 1) * 0x9E3779B97F4A7C15u);
        rule.strengths.push_back(random.unit() < 0.1 ? R{-1} : static_cast<R>(random.real(0.2, 2)));
    }
    return rule;
}

/// As the contract says it.
template <class V, class I>
std::vector<I> round_by_definition(const CsrData<V, I>& a, const HostRule<real_t<V>>& rule,
                                   const std::vector<I>& before)
{
    auto after = before;
    for (I row = 0; row < a.size.rows; ++row) {
        bool sees_member = false, waits = false;
        for (I k = a.row_ptrs[row]; before[row] == 0 && k < a.row_ptrs[row + 1]; ++k) {
            const I col = a.col_idxs[k];
            const bool is_neighbour = rule.are_neighbours(a, row, k);
            sees_member = sees_member || (is_neighbour && before[col] == 1);
            waits = waits || (is_neighbour && before[col] == 0 && rule.keys[col] < rule.keys[row]);
        }
        after[row] = before[row] != 0 ? before[row] : sees_member ? 2 : waits ? 0 : 1;
    }
    return after;
}

TYPED_TEST(MultiEliminationPivots, RoundsByDefinition)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    Random random(1703);
    for_each_elimination_matrix<V, I>(random, [&](const CsrData<V, I>& finite) {
        const auto a = with_odd_values(random, finite);
        for (const double theta : {0.0, 0.4, 0.9}) {
            const auto rule = random_rule<real_t<V>>(random, a.size.rows, theta);
            std::vector<I> before(rule.keys.size());
            for (std::size_t row = 0; row < before.size(); ++row) {
                before[row] = rule.strengths[row] < 0 ? 2 : 0;
            }
            std::vector<std::vector<I>> expected;
            do {
                before = round_by_definition(a, rule, before);
                expected.push_back(before);
            } while (std::count(before.begin(), before.end(), 0) > 0 && expected.size() < before.size());
            on_each_executor([&](const Executor& exec) { EXPECT_EQ(rounds_of(exec, a, rule), expected); });
        }
    });
}

/// A - A^T without what is below the diagonal of A. Rows are sorted: entries come to each from earlier rows first.
template <class V, class I>
CsrData<V, I> mirrored(const CsrData<V, I>& a)
{
    std::vector<std::vector<std::pair<I, V>>> rows(static_cast<std::size_t>(a.size.rows));
    for (I row = 0; row < a.size.rows; ++row) {
        for (I k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
            const I col = a.col_idxs[k];
            if (col >= row) {
                rows[row].emplace_back(col, a.values[k]);
            }
            if (col > row) {
                rows[col].emplace_back(row, -a.values[k]);
            }
        }
    }
    CsrData<V, I> result{a.size, {0}, {}, {}};
    for (const auto& row : rows) {
        for (const auto& [col, value] : row) {
            result.col_idxs.push_back(col);
            result.values.push_back(value);
        }
        result.row_ptrs.push_back(static_cast<I>(result.values.size()));
    }
    return result;
}

/// Where couplings are as strong in both directions, rounds find what a loop over the rows in the order of keys does.
TYPED_TEST(MultiEliminationPivots, MembersAreTheGreedySet)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    Random random(1715);
    for_each_elimination_matrix<V, I>(random, [&](const CsrData<V, I>& half) {
        const auto a = mirrored(with_odd_values(random, half));
        for (const double theta : {0.0, 0.4, 0.9}) {
            const auto rule = random_rule<real_t<V>>(random, a.size.rows, theta);
            std::vector<I> order(rule.keys.size()), expected(rule.keys.size(), I{2});
            std::iota(order.begin(), order.end(), I{0});
            std::sort(order.begin(), order.end(), [&](I i, I j) { return rule.keys[i] < rule.keys[j]; });
            for (const I row : order) {
                bool is_member = rule.strengths[row] >= 0;
                for (I k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
                    is_member = is_member && !(rule.are_neighbours(a, row, k) && expected[a.col_idxs[k]] == 1);
                }
                expected[row] = is_member ? 1 : 2;
            }
            EXPECT_TRUE(a.size.rows < 31 || std::count(expected.begin(), expected.end(), 1) > 1);
            on_each_executor([&](const Executor& exec) { EXPECT_EQ(rounds_of(exec, a, rule).back(), expected); });
        }
    });
}

template <class I>
class MultiEliminationMembers : public testing::Test {
};
TYPED_TEST_SUITE(MultiEliminationMembers, TestedIndices);

template <class I>
std::vector<I> taken(const Executor& exec, const std::vector<I>& classes, I members)
{
    const Array<I> all(exec, classes);
    Array<I> pivots(exec, std::vector<I>(classes.size(), I{-7}));
    multi_elimination_take_members<I>(exec, all.size(), all.data(), members, pivots.data());
    return pivots.to_host();
}

TYPED_TEST(MultiEliminationMembers, ByHand)
{
    using I = TypeParam;
    on_each_executor([](const Executor& exec) {
        EXPECT_EQ(taken<I>(exec, {1, 0, 2, 1, -1}, 1), (std::vector<I>{0, -1, -1, 3, -1}));
        EXPECT_EQ(taken<I>(exec, {1, 0, 2, 1, -1}, 2), (std::vector<I>{-1, -1, 2, -1, -1}));
    });
}

TYPED_TEST(MultiEliminationMembers, ByDefinition)
{
    using I = TypeParam;
    Random random(1704);
    for (const auto n : tested_rows) {
        std::vector<I> members(static_cast<std::size_t>(n)), expected(members);
        for (std::size_t row = 0; row < members.size(); ++row) {
            members[row] = static_cast<I>(random.integer(0, 3));
            expected[row] = members[row] == 3 ? static_cast<I>(row) : I{-1};
        }
        on_each_executor([&](const Executor& exec) { EXPECT_EQ(taken<I>(exec, members, 3), expected); });
    }
}

}  // namespace
}  // namespace linden::test
