#include <algorithm>
#include <numeric>

#include "core/factorization/ordered_graph.hpp"
#include "core/factorization/supernode_turns.hpp"
#include "test/support/factorizations.hpp"

/// Exact factorizations by supernodes, and solves with them.
namespace linden::test {
namespace {

template <class Types>
class SupernodesFactorize : public testing::Test {
};
TYPED_TEST_SUITE(SupernodesFactorize, TestedValueIndices, TypeNames);

/// With rows and columns in the postorder of the elimination tree.
template <class V, class I>
CsrData<V, I> in_postorder(const CsrData<V, I>& a)
{
    std::vector<I> natural(a.row_ptrs.size() - 1);
    std::iota(natural.begin(), natural.end(), I{0});
    const auto order = linden::detail::OrderedGraph<I>({a.row_ptrs, a.col_idxs}, natural).order;
    const Full<V> full(a);
    CsrData<V, I> p{a.size, {0}, {}, {}};
    for (const I row : order) {
        for (std::size_t j = 0; j < order.size(); ++j) {
            if (full.has(row, order[j])) {
                p.col_idxs.push_back(static_cast<I>(j));
                p.values.push_back(full.values[row * full.n + order[j]]);
            }
        }
        p.row_ptrs.push_back(static_cast<I>(p.col_idxs.size()));
    }
    return p;
}

/// Full blocks of 1, 2, ... rows, each with a few rows of a border that joins them; not Hermitian. diagonal: 0: it is
/// dominant.
template <class V, class I>
CsrData<V, I> bordered_blocks(Random& random, I num_blocks, I border, double diagonal = 0)
{
    std::vector<I> block_of;
    for (I b = 0; b < num_blocks; ++b) {
        block_of.insert(block_of.end(), static_cast<std::size_t>(b % 23 + 1), b);
    }
    const I inner = static_cast<I>(block_of.size()), n = inner + border;
    CsrData<V, I> a{{n, n}, {0}, {}, {}};
    for (I i = 0; i < n; ++i) {
        for (I j = 0; j < n; ++j) {
            const I low = std::min(i, j), high = std::max(i, j);
            const bool is_entry = high < inner ? block_of[i] == block_of[j]
                                               : low >= inner || (block_of[low] * 3 + high - inner) % border < 3;
            if (is_entry) {
                a.col_idxs.push_back(j);
                a.values.push_back(i == j ? V{real_t<V>(diagonal > 0 ? diagonal : 2.0 * n)} : random.value<V>());
            }
        }
        a.row_ptrs.push_back(static_cast<I>(a.col_idxs.size()));
    }
    return in_postorder(a);
}

template <class V, class I>
CsrData<V, I> hermitian(CsrData<V, I> a)
{
    const Full<V> full(a);
    for (size_type i = 0; i < full.n; ++i) {
        for (I k = a.row_ptrs[i]; k < a.row_ptrs[i + 1]; ++k) {
            a.values[k] += conj(full.values[a.col_idxs[k] * full.n + i]);
        }
    }
    return a;
}

template <class V>
struct Result {
    std::vector<V> values;  ///< n x n: L below the diagonal, U on it and above
    PivotReport report;
};

template <class V, class I>
std::size_t place_in(const linden::detail::Supernodes<I>& s, size_type row, size_type column)
{
    const auto node = std::upper_bound(s.first.begin(), s.first.end(), static_cast<I>(column)) - s.first.begin() - 1;
    const auto begin = s.rows.begin() + s.row_ptrs[node], end = s.rows.begin() + s.row_ptrs[node + 1];
    const auto at = std::lower_bound(begin, end, static_cast<I>(row));
    EXPECT_TRUE(at != end && *at == row);
    return static_cast<std::size_t>(s.value_ptrs[node] + (column - s.first[node]) * (end - begin) + (at - begin));
}

/// In which order devices take tasks: all reversed, or only the first half of those of a supernode, updates most of
/// them, behind its others.
enum class Turns { as_made, reversed, updates_last };

template <class I>
linden::detail::TurnsOfSupernodes<I> in_order(linden::detail::TurnsOfSupernodes<I> turns, Turns order)
{
    std::vector<std::pair<I, I>> tasks;
    for (std::size_t t = 0; t < turns.tasks.size(); t += 2) {
        tasks.emplace_back(turns.tasks[t], turns.tasks[t + 1]);
    }
    if (order == Turns::reversed) {
        std::reverse(tasks.begin(), tasks.end());
    } else if (order == Turns::updates_last) {
        std::vector<I> counts(turns.tile_ptrs.size(), 0);
        for (const auto& [supernode, number] : tasks) {
            ++counts[supernode];
        }
        std::stable_partition(tasks.begin(), tasks.end(),
                              [&](const auto& task) { return task.second >= counts[task.first] / 2; });
    }
    turns.tasks.clear();
    for (const auto& [supernode, number] : tasks) {
        turns.tasks.insert(turns.tasks.end(), {supernode, number});
    }
    if (order == Turns::reversed) {
        std::reverse(turns.solves.begin(), turns.solves.end());
        for (std::size_t k = 0; k < turns.solves.size(); k += 2) {
            std::swap(turns.solves[k], turns.solves[k + 1]);
        }
    }
    return turns;
}

/// x, if there is one: overwritten by the solution.
template <class V, class I>
Result<V> factors_of(const Executor& exec, const CsrData<V, I>& a, bool is_hermitian, Dense<V>* x = nullptr,
                     PivotLimits<real_t<V>> limits = {}, Turns turns = Turns::as_made)
{
    const linden::detail::HostPattern<I> pattern{a.row_ptrs, a.col_idxs};
    std::vector<I> natural(a.row_ptrs.size() - 1);
    std::iota(natural.begin(), natural.end(), I{0});
    const linden::detail::OrderedGraph<I> graph(pattern, natural);
    EXPECT_EQ(graph.order, natural) << "a tree in postorder was expected";
    const auto s = linden::detail::make_supernodes(graph.graph, graph.parent, graph.counts,
                                                   linden::detail::most_columns_for<V>(exec));
    const linden::detail::SupernodeSchedule<I> schedule(exec, s, is_hermitian ? 1 : 2);
    SupernodeView<I> view = schedule.view();
    const auto in_turn = in_order(linden::detail::make_turns(s, is_hermitian ? 1 : 2), turns);
    const Array<I> solves(exec, in_turn.solves), tasks(exec, in_turn.tasks);
    if (turns != Turns::as_made) {
        view.turns.solves = solves.data();
        view.turns.tasks = tasks.data();
    }
    const size_type n = a.size.rows, count = s.value_ptrs.back();
    std::vector<V> panels(static_cast<std::size_t>(is_hermitian ? count : 2 * count), V{});
    for (size_type i = 0; i < n; ++i) {
        for (I k = a.row_ptrs[i]; k < a.row_ptrs[i + 1]; ++k) {
            const size_type j = a.col_idxs[k];
            if (j <= i) {
                panels[place_in<V>(s, i, j)] = a.values[k];
            } else if (!is_hermitian) {
                panels[static_cast<std::size_t>(count) + place_in<V>(s, j, i)] = a.values[k];
            }
        }
    }
    const Array<real_t<V>> norms(exec, row_norms(a));
    limits.norms = norms.data();
    const auto threads = exec.is_host() ? std::max<size_type>(exec.info().num_units, 1) : 1;
    Array<std::byte> workspace(exec, schedule.template workspace_bytes<V>(threads));
    Array<V> values(exec, panels);
    Array<PivotReport> report(exec, 1);
    V* const upper = is_hermitian ? nullptr : values.data() + count;
    supernodes_factorize<V, I>(exec, view, limits, SupernodeFactors<V>{values.data(), upper}, report.data(),
                               WorkspaceView{workspace.data(), workspace.size()});
    if (x != nullptr) {
        // For one column at a time, for all of five, or for two.
        const size_type columns = turns == Turns::as_made ? 1 : turns == Turns::reversed ? 5 : 2;
        const size_type num_values = 2 * columns * schedule.template solve_workspace_values<V>(threads, 1, 1);
        Array<V> room(exec, schedule.template solve_workspace_values<V>(threads, x->size().cols, num_values));
        supernodes_solve<V, I>(
            exec, view, SupernodeFactors<const V>{values.data(), upper}, x->view(),
            WorkspaceView{reinterpret_cast<std::byte*>(room.data()), room.size() * static_cast<size_type>(sizeof(V))});
    }
    Result<V> result{std::vector<V>(static_cast<std::size_t>(n * n), V{}), report.to_host().front()};
    const auto found = values.to_host();
    const auto filled = linden::detail::filled_pattern(graph.graph, graph.parent, graph.counts);
    for (size_type i = 0; i < n; ++i) {
        for (I k = filled.row_ptrs[i]; k < filled.row_ptrs[i + 1]; ++k) {
            const size_type j = filled.col_idxs[k];
            const auto at = place_in<V>(s, std::max(i, j), std::min(i, j));
            result.values[i * n + j] = j <= i          ? found[at]
                                       : !is_hermitian ? found[static_cast<std::size_t>(count) + at]
                                                       : found[place_in<V>(s, i, i)] * conj(found[at]);
        }
    }
    return result;
}

/// Without zeros' places: n x n.
template <class V, class I>
std::vector<V> dense_lu(const CsrData<V, I>& a)
{
    Full<V> f(a);
    for (size_type k = 0; k < f.n; ++k) {
        for (size_type i = k + 1; i < f.n; ++i) {
            V& l = f.values[i * f.n + k];
            l /= f.values[k * f.n + k];
            for (size_type j = k + 1; j < f.n && l != V{}; ++j) {
                f.values[i * f.n + j] -= l * f.values[k * f.n + j];
            }
        }
    }
    return f.values;
}

TYPED_TEST(SupernodesFactorize, ByHand)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    const CsrData<V, I> a{
        {3, 3}, {0, 3, 6, 9}, {0, 1, 2, 0, 1, 2, 0, 1, 2}, {V{2}, V{1}, V{1}, V{4}, V{5}, V{3}, V{2}, V{7}, V{9}}};
    on_each_executor([&](const Executor& exec) {
        auto x = Dense<V>::vector(exec, {V{4}, V{12}, V{18}});
        const auto f = factors_of(exec, a, false, &x);
        EXPECT_EQ(f.values, (std::vector<V>{V{2}, V{1}, V{1}, V{2}, V{3}, V{1}, V{1}, V{2}, V{6}}));
        expect_same_report(f.report, PivotReport{});
        expect_near(x.to_host(), {V{1}, V{1}, V{1}}, 4);
        const CsrData<V, I> definite{{2, 2}, {0, 2, 4}, {0, 1, 0, 1}, {V{4}, V{2}, V{2}, V{5}}};
        auto y = Dense<V>::vector(exec, {V{6}, V{7}});
        EXPECT_EQ(factors_of(exec, definite, true, &y).values, (std::vector<V>{V{4}, V{2}, V{0.5}, V{4}}));
        expect_near(y.to_host(), {V{1}, V{1}}, 4);
        const CsrData<V, I> singular{{2, 2}, {0, 2, 4}, {0, 1, 0, 1}, {V{1}, V{3}, V{4}, V{12}}};
        expect_same_report(factors_of(exec, singular, false).report, {1, 1});
        const CsrData<V, I> empty{{0, 0}, {0}, {}, {}};
        expect_same_report(factors_of(exec, empty, true).report, PivotReport{});
        const CsrData<V, I> diagonal{{2, 2}, {0, 1, 2}, {0, 1}, {V{5}, V{-1}}};
        EXPECT_EQ(factors_of(exec, diagonal, true).values, (std::vector<V>{V{5}, V{}, V{}, V{-1}}));
        expect_same_report(factors_of(exec, diagonal, true).report, PivotReport{});
        PivotLimits<real_t<V>> of_definite;
        of_definite.is_definite = true;
        expect_same_report(factors_of<V, I>(exec, diagonal, true, nullptr, of_definite).report, {1, 1});
    });
}

/// Many supernodes with rows of others between theirs, and one that is cut since it is wide.
TYPED_TEST(SupernodesFactorize, LikeDefinition)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    Random random(71);
    for (const auto& a : {bordered_blocks<V, I>(random, 25, 31), bordered_blocks<V, I>(random, 2, 270)}) {
        const auto expected = dense_lu(a), of_hermitian = dense_lu(hermitian(a));
        on_each_executor([&](const Executor& exec) {
            const auto f = factors_of(exec, a, false);
            expect_near(f.values, expected, 200);
            expect_same_report(f.report, PivotReport{});
            expect_near(factors_of(exec, hermitian(a), true).values, of_hermitian, 200);
        });
    }
}

TYPED_TEST(SupernodesFactorize, SmallPivotsByHand)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    Dense<V>* const no_solve = nullptr;
    on_each_executor([&](const Executor& exec) {
        for (const bool is_hermitian : {false, true}) {
            expect_replaces_small_pivots<V, I>([&](const CsrData<V, I>& a) {
                return factors_of(exec, a, is_hermitian, no_solve, limits_of_small_pivots<real_t<V>>());
            });
        }
    });
}

/// Those of wide supernodes, whose rows far below are looked at before they are eliminated: as in the reference, which
/// has eliminated them.
TYPED_TEST(SupernodesFactorize, SmallPivotsLikeReference)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    Random random(74);
    const auto general = bordered_blocks<V, I>(random, 2, 270, 8);
    Dense<V>* const no_solve = nullptr;
    PivotLimits<real_t<V>> limits{.stand_in = 1, .small = 1, .keeps_sign = true};
    for (const bool is_hermitian : {false, true}) {
        const auto a = is_hermitian ? hermitian(general) : general;
        const auto expected = factors_of(Executor::reference(), a, is_hermitian, no_solve, limits);
        const auto one = factors_of(Executor::omp({.threads = 1}), a, is_hermitian, no_solve, limits);
        const auto two = factors_of(Executor::omp({.threads = 2}), a, is_hermitian, no_solve, limits);
        EXPECT_GT(expected.report.num_bad, 5);
        EXPECT_LT(expected.report.num_bad, a.size.rows - 20);  // some stay
        expect_same_report(one.report, expected.report);
        expect_near(one.values, expected.values, 1e4);
        EXPECT_TRUE(same_bits(one.values, two.values));
        on_each_executor([&](const Executor& exec) {
            const auto found = factors_of(exec, a, is_hermitian, no_solve, limits);
            expect_same_report(found.report, expected.report);
            expect_near(found.values, expected.values, 1e4);
        });
    }
}

/// Different ones.
template <class V>
Dense<V> right_hand_sides(const Executor& exec, size_type n, size_type k)
{
    std::vector<V> values;
    for (size_type i = 0; i < n * k; ++i) {
        values.push_back(V(static_cast<real_t<V>>(1 + i % 7 + 10 * (i % k))));
    }
    return Dense<V>::from_host(exec, {{n, k}, values});
}

TYPED_TEST(SupernodesFactorize, OnAnyNumberOfThreads)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    Random random(72);
    const auto general = bordered_blocks<V, I>(random, 90, 40);
    for (const bool is_hermitian : {false, true}) {
        const auto a = is_hermitian ? hermitian(general) : general;
        const auto solve = [&](const Executor& exec, Result<V>& factors) {
            auto x = right_hand_sides<V>(exec, a.size.rows, 3);
            factors = factors_of(exec, a, is_hermitian, &x);
            return x.to_host();
        };
        Result<V> one, two, reference;
        const auto x = solve(Executor::omp({.threads = 1}), one), y = solve(Executor::omp({.threads = 2}), two),
                   z = solve(Executor::reference(), reference);
        EXPECT_TRUE(same_bits(one.values, two.values));
        EXPECT_TRUE(same_bits(x, y));
        expect_near(one.values, reference.values, 100);
        expect_near(x, z, 100);
        on_each_executor([&](const Executor& exec) {
            Result<V> first, second;
            const auto u = solve(exec, first), v = solve(exec, second);
            EXPECT_TRUE(same_bits(first.values, second.values));
            EXPECT_TRUE(same_bits(u, v));
            expect_near(first.values, reference.values, 100);
            expect_near(u, z, 100);
        });
    }
}

TYPED_TEST(SupernodesFactorize, ColumnsAreThoseOfOneAtATime)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    Random random(76);
    const auto a = bordered_blocks<V, I>(random, 5, 70);
    on_each_executor([&](const Executor& exec) {
        auto x = right_hand_sides<V>(exec, a.size.rows, 3);
        const auto b = x.to_host();
        factors_of(exec, a, false, &x, {}, Turns::reversed);
        const auto together = x.to_host();
        for (size_type j = 0; j < 3; ++j) {
            std::vector<V> own, expected;
            for (size_type i = 0; i < a.size.rows; ++i) {
                own.push_back(b[3 * i + j]);
                expected.push_back(together[3 * i + j]);
            }
            auto column = Dense<V>::vector(exec, own);
            factors_of(exec, a, false, &column);
            EXPECT_TRUE(same_bits(column.to_host(), expected)) << j;
        }
    });
}

/// Of few tasks, all of which run at a time: those that begin before what they need wait for it.
TYPED_TEST(SupernodesFactorize, TasksWaitForWhatTheyNeed)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    Random random(75);
    const auto dominant = bordered_blocks<V, I>(random, 5, 70),
               with_small_pivots = bordered_blocks<V, I>(random, 5, 70, 2);
    for (const bool looks_at_pivots : {false, true}) {
        const PivotLimits<real_t<V>> limits{.small = looks_at_pivots ? real_t<V>{1} : real_t<V>{}, .keeps_sign = true};
        for (const bool is_hermitian : {false, true}) {
            const auto& general = looks_at_pivots ? with_small_pivots : dominant;
            const auto a = is_hermitian ? hermitian(general) : general;
            on_each_executor([&](const Executor& exec) {
                auto x = right_hand_sides<V>(exec, a.size.rows, 5);
                const auto expected = factors_of(exec, a, is_hermitian, &x, limits);
                EXPECT_EQ(expected.report.num_bad > 0, looks_at_pivots);
                for (const auto turns : {Turns::reversed, Turns::updates_last}) {
                    auto y = right_hand_sides<V>(exec, a.size.rows, 5);
                    const auto found = factors_of(exec, a, is_hermitian, &y, limits, turns);
                    EXPECT_TRUE(same_bits(found.values, expected.values));
                    EXPECT_TRUE(same_bits(x.to_host(), y.to_host()));
                }
            });
        }
    }
}

/// Supernodes hold all entries of L, and each is updated by all that it has to do with.
TEST(Supernodes, HoldTheFactor)
{
    using I = std::int32_t;
    Random random(73);
    const auto a = bordered_blocks<float, I>(random, 60, 40);
    const linden::detail::HostPattern<I> pattern{a.row_ptrs, a.col_idxs};
    std::vector<I> natural(a.row_ptrs.size() - 1);
    std::iota(natural.begin(), natural.end(), I{0});
    const linden::detail::OrderedGraph<I> graph(pattern, natural);
    const auto s = linden::detail::make_supernodes(graph.graph, graph.parent, graph.counts);
    EXPECT_GE(s.num_lower(), graph.fill());
    EXPECT_LE(s.num_lower(), 2 * graph.fill());
    EXPECT_GT(s.task_ptrs.size(), 4);
    EXPECT_EQ(s.first.back(), a.size.rows);
    for (size_type k = 0; k < s.count(); ++k) {
        EXPECT_LE(s.first[k + 1] - s.first[k], most_supernode_columns);
        EXPECT_TRUE(std::is_sorted(s.rows.begin() + s.row_ptrs[k], s.rows.begin() + s.row_ptrs[k + 1]));
    }
    const auto filled = linden::detail::filled_pattern(graph.graph, graph.parent, graph.counts);
    for (size_type i = 0; i < a.size.rows; ++i) {
        for (I k = filled.row_ptrs[i]; k < filled.row_ptrs[i + 1] && filled.col_idxs[k] <= i; ++k) {
            place_in<float>(s, i, filled.col_idxs[k]);
        }
    }
    size_type num_rows = 0, num_updated = 0;
    for (size_type k = 0; k < s.count(); ++k) {
        num_rows += s.row_ptrs[k + 1] - s.row_ptrs[k] - (s.first[k + 1] - s.first[k]);
    }
    for (std::size_t e = 0; e < s.sources.size(); e += 3) {
        num_updated += s.sources[e + 2] - s.sources[e + 1];
    }
    EXPECT_EQ(num_rows, num_updated);
}

}  // namespace
}  // namespace linden::test
