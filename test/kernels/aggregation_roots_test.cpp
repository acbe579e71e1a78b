#include <cstdint>
#include <map>
#include <set>

#include "core/kernels/aggregation.hpp"
#include "test/support/aggregation.hpp"

/// The roots of aggregates, and the rows that join them.
namespace linden::test {
namespace {

using States = std::vector<std::uint64_t>;
constexpr std::uint64_t member = IndependentState::member;
constexpr std::uint64_t excluded = IndependentState::excluded;

constexpr std::uint64_t key(size_type row, int round, int priority_class)
{
    return IndependentState::key(row, round, priority_class);
}

static_assert(member < key(0, 0, 0) && key((size_type{1} << 40) - 1, 999, 61) < excluded);
static_assert(key((size_type{1} << 40) - 1, 3, 4) < key(0, 3, 5));
static_assert(IndependentState::class_of(key(12345, 7, 0)) == 0 && IndependentState::class_of(key(7, 1, 61)) == 61);
static_assert(key(5, 0, 1) != key(5, 1, 1) && (key(5, 0, 1) & 0xFF'FFFF'FFFF) == 5);

/// A graph and roots, if there are any, in an executor's memory.
template <class I>
struct GraphOn {
    GraphOn(const Executor& executor, const HostPattern<I>& host, const std::vector<I>& host_roots)
        : exec(executor),
          pattern(exec, host),
          roots(exec, host_roots),
          has_roots(!host_roots.empty())
    {
    }

    PatternView<I> view() const { return pattern.view(); }
    const I* given_roots() const { return has_roots ? roots.data() : nullptr; }

    States begun() const
    {
        Array<std::uint64_t> states(exec, States(static_cast<std::size_t>(view().rows), 7));
        aggregation_begin<I>(exec, view(), 0, given_roots(), states.data());
        return states.to_host();
    }
    States spread(bool is_first, const States& host_states, const States& before) const
    {
        const Array<std::uint64_t> states(exec, host_states);
        Array<std::uint64_t> least(exec, before);
        aggregation_spread<I>(exec, view(), given_roots(), is_first, states.data(), least.data());
        return least.to_host();
    }
    States decided(int round, const States& host_least, const States& before) const
    {
        const Array<std::uint64_t> least(exec, host_least);
        Array<std::uint64_t> states(exec, before);
        aggregation_decide<I>(exec, view(), 0, given_roots(), round, least.data(), states.data());
        return states.to_host();
    }
    std::vector<I> joined(const States& host_states, bool is_first, const std::vector<I>& before) const
    {
        const Array<std::uint64_t> states(exec, host_states);
        Array<I> result(exec, before);
        aggregation_join_members<I>(exec, view(), states.data(), is_first, result.data());
        return result.to_host();
    }

    Executor exec;
    PatternOn<I> pattern;
    Array<I> roots;
    bool has_roots;
};

/// All states and least keys, round by round until nothing is undecided.
template <class I>
std::vector<States> search(const Executor& exec, const HostPattern<I>& host, const std::vector<I>& roots)
{
    const GraphOn<I> graph(exec, host, roots);
    std::vector<States> history{graph.begun()};
    States least(history[0].size(), 7);
    for (int round = 0; round < 60; ++round) {
        const auto& last = history.back();
        if (std::all_of(last.begin(), last.end(), [](auto state) { return state == member || state == excluded; })) {
            return history;
        }
        least = graph.spread(round == 0, history.back(), least);
        auto states = graph.decided(round + 1, least, history.back());
        history.push_back(least);
        history.push_back(std::move(states));
    }
    ADD_FAILURE() << "rows are undecided after 60 rounds";
    return history;
}

/// The states that one kernel finds in so many rounds.
template <class I>
States searched(const Executor& exec, const HostPattern<I>& host, const std::vector<I>& roots, int rounds)
{
    const GraphOn<I> graph(exec, host, roots);
    Array<std::uint64_t> states(exec, graph.begun());
    Array<std::uint64_t> least(exec, States(static_cast<std::size_t>(states.size()), 7));
    Array<std::byte> workspace(exec, aggregation_search_bytes<I>(host.size.rows));
    aggregation_search<I>(exec, graph.view(), graph.given_roots(), rounds, least.data(), states.data(),
                          {workspace.data(), workspace.size()});
    return states.to_host();
}

template <class I>
HostPattern<I> path(I n)
{
    HostPattern<I> graph{{n, n}, {0}, {}};
    for (I row = 0; row < n; ++row) {
        for (I col = std::max<I>(row - 1, 0); col <= std::min(row + 1, n - 1); ++col) {
            graph.col_idxs.push_back(col);
        }
        graph.row_ptrs.push_back(static_cast<I>(graph.col_idxs.size()));
    }
    return graph;
}

/// Row 0 has the neighbours 1, ..., n - 1, these have none but row 0.
template <class I>
HostPattern<I> star(I n)
{
    HostPattern<I> graph{{n, n}, {0, n}, {}};
    for (I col = 0; col < n; ++col) {
        graph.col_idxs.push_back(col);
    }
    for (I row = 1; row < n; ++row) {
        graph.col_idxs.insert(graph.col_idxs.end(), {0, row});
        graph.row_ptrs.push_back(static_cast<I>(graph.col_idxs.size()));
    }
    return graph;
}

template <class I>
class AggregationRoots : public testing::Test {
};
TYPED_TEST_SUITE(AggregationRoots, TestedIndices);

TYPED_TEST(AggregationRoots, BeginByHand)
{
    using I = TypeParam;
    on_each_executor([](const Executor& exec) {
        // Row 1 has no neighbour.
        const HostPattern<I> graph{{3, 3}, {0, 2, 3, 5}, {0, 2, 1, 0, 2}};
        EXPECT_EQ(GraphOn<I>(exec, graph, {}).begun(), (States{key(0, 0, 0), excluded, key(2, 0, 0)}));
        EXPECT_EQ(GraphOn<I>(exec, {{0, 0}, {0}, {}}, {}).begun(), States{});
        EXPECT_EQ(GraphOn<I>(exec, {{1, 1}, {0, 1}, {0}}, {}).begun(), States{excluded});
        const auto centre = [&](I num_free, I num_with_root) {
            std::vector<I> roots(static_cast<std::size_t>(1 + num_free), -1);
            roots.resize(roots.size() + static_cast<std::size_t>(num_with_root), 1 + num_free);
            auto states = GraphOn<I>(exec, star<I>(1 + num_free + num_with_root), roots).begun();
            EXPECT_EQ(std::count(states.begin() + 1, states.end(), excluded), num_free + num_with_root);
            return states[0];
        };
        EXPECT_EQ(centre(4, 0), key(0, 0, 57));
        EXPECT_EQ(centre(4, 4), key(0, 0, 57));
        EXPECT_EQ(centre(4, 5), excluded);
        EXPECT_EQ(centre(3, 0), excluded);
        EXPECT_EQ(centre(60, 1), key(0, 0, 1));
        EXPECT_EQ(centre(61, 1), key(0, 0, 0));
        EXPECT_EQ(centre(200, 1), key(0, 0, 0));
        // Rows with a root are none.
        std::vector<I> roots(7, -1);
        roots[0] = 0;
        EXPECT_EQ(GraphOn<I>(exec, star<I>(7), roots).begun(), States(7, excluded));
    });
}

TYPED_TEST(AggregationRoots, RoundsByHand)
{
    using I = TypeParam;
    on_each_executor([](const Executor& exec) {
        const auto c = key(0, 0, 5), a = key(1, 0, 1), b = key(2, 0, 3);
        const GraphOn<I> five(exec, path<I>(5), {});
        const States states{c, a, b, member, excluded}, old{7, 7, excluded, 7, 7};
        const States least = five.spread(true, states, old);
        EXPECT_EQ(least, (States{a, a, excluded, excluded, excluded}));
        EXPECT_EQ(five.decided(4, least, states), (States{key(0, 4, 5), excluded, excluded, member, excluded}));

        // Two rounds of a path of three.
        const GraphOn<I> three(exec, path<I>(3), {});
        const States keys{c, a, b}, first = three.spread(true, keys, {excluded, excluded, excluded});
        EXPECT_EQ(first, (States{a, a, a}));
        const auto second = three.decided(1, first, keys);
        EXPECT_EQ(second, (States{key(0, 1, 5), member, key(2, 1, 3)}));
        const auto last = three.spread(false, second, first);
        EXPECT_EQ(last, States(3, excluded));
        EXPECT_EQ(three.decided(2, last, second), (States{excluded, member, excluded}));
        // What has been excluded stays.
        EXPECT_EQ(three.spread(false, keys, {excluded, 7, excluded}), (States{excluded, a, excluded}));
        // The least key of the row itself is not enough, nor are its neighbours' alone.
        EXPECT_EQ(three.decided(3, {c, c, b}, keys), (States{member, key(1, 3, 1), key(2, 3, 3)}));
        EXPECT_EQ(three.decided(3, {c, a, a}, keys), (States{key(0, 3, 5), key(1, 3, 1), key(2, 3, 3)}));

        // Rows 0 and 2 have one neighbour, which has a root and does not count.
        const GraphOn<I> apart(exec, path<I>(3), {-1, 1, -1});
        const States ends{c, excluded, b};
        EXPECT_EQ(apart.spread(true, ends, {7, 7, 7}), (States{c, 7, b}));
        EXPECT_EQ(apart.decided(1, {c, 7, b}, ends), (States{member, excluded, member}));
        EXPECT_EQ(apart.decided(1, {c, excluded, b}, ends), (States{member, excluded, member}));
    });
}

TYPED_TEST(AggregationRoots, JoinMembersByHand)
{
    using I = TypeParam;
    on_each_executor([](const Executor& exec) {
        const GraphOn<I> graph(exec, path<I>(6), {});
        const States states{excluded, member, excluded, 7, member, excluded};
        EXPECT_EQ(graph.joined(states, true, {9, 9, 9, 9, 9, 9}), (std::vector<I>{1, 1, 1, 4, 4, 4}));
        EXPECT_EQ(graph.joined(states, false, {-1, 0, 3, -1, -1, -1}), (std::vector<I>{1, 0, 3, 4, 4, 4}));
        const States few{member, excluded, excluded, 7, 7, excluded};
        EXPECT_EQ(graph.joined(few, true, {9, 9, 9, 9, 9, 9}), (std::vector<I>{0, 0, -1, -1, -1, -1}));
    });
}

/// Neighbours that belong to the graph, the row itself among them.
template <class I, class F>
void for_each_neighbour(const HostPattern<I>& graph, const std::vector<I>& roots, I row, const F& f)
{
    for (I k = graph.row_ptrs[row]; k < graph.row_ptrs[row + 1]; ++k) {
        if (roots.empty() || roots[graph.col_idxs[k]] < 0) {
            f(graph.col_idxs[k]);
        }
    }
}

/// No two members are nearer than three neighbours; each row that may be one has one within two neighbours. Returns how
/// many there are.
template <class I>
size_type expect_maximal(const HostPattern<I>& graph, const std::vector<I>& roots, const std::vector<States>& history)
{
    const auto& last = history.back();
    size_type num_members = 0;
    for (I row = 0; row < graph.size.rows; ++row) {
        const auto state = last[row];
        EXPECT_TRUE(state == member || state == excluded);
        EXPECT_TRUE(state == excluded || history[0][row] != excluded) << "row " << row << " must not be a member";
        num_members += state == member ? 1 : 0;
        if (history[0][row] == excluded) {
            continue;
        }
        std::set<I> near;
        for_each_neighbour(graph, roots, row, [&](I middle) {
            for_each_neighbour(graph, roots, middle, [&](I other) {
                if (last[other] == member) {
                    near.insert(other);
                }
            });
        });
        EXPECT_FALSE(near.empty()) << "row " << row << " might be a member";
        EXPECT_TRUE(state == excluded || near.size() == 1) << "member " << row << " is too near to another";
    }
    return num_members;
}

/// What the contracts say of a search, round by round.
template <class I>
void expect_rounds(const HostPattern<I>& graph, const std::vector<I>& roots, const std::vector<States>& history)
{
    for (std::size_t i = 0; i + 2 < history.size(); i += 2) {
        const int round = static_cast<int>(i / 2);
        const auto &states = history[i], &least = history[i + 1], &after = history[i + 2];
        for (I row = 0; row < graph.size.rows; ++row) {
            const auto state = states[row];
            if (!roots.empty() && roots[row] >= 0) {
                ASSERT_EQ(least[row], 7u);
                ASSERT_EQ(after[row], excluded);
                continue;
            }
            std::uint64_t lowest = excluded;
            bool is_excluded = false, is_lowest = true;
            for_each_neighbour(graph, roots, row, [&](I col) {
                lowest = std::min(lowest, states[col]);
                is_excluded = is_excluded || least[col] == excluded;
                is_lowest = is_lowest && least[col] == state;
            });
            const bool stays = round > 0 && history[i - 1][row] == excluded;
            ASSERT_EQ(least[row], stays || lowest == member ? excluded : lowest) << "round " << round;
            ASSERT_EQ(after[row], state == member || state == excluded ? state
                                  : is_excluded                        ? excluded
                                  : is_lowest                          ? member
                                              : key(row, round + 1, IndependentState::class_of(state)))
                << "round " << round;
        }
    }
}

/// One kernel for all rounds: with some threads or one for each row, and for more rows or longer ones than these hold;
/// rows that a warp has together among them.
TYPED_TEST(AggregationRoots, OneKernelLikeRounds)
{
    using I = TypeParam;
    std::vector<HostPattern<I>> graphs{star<I>(1000),  star<I>(10000), star<I>(20000),
                                       star<I>(70000), path<I>(9000),  path<I>(80000)};
    HostPattern<I> complete{{200, 200}, {0}, {}};
    for (I row = 0; row < 200; ++row) {
        for (I col = 0; col < 200; ++col) {
            complete.col_idxs.push_back(col);
        }
        complete.row_ptrs.push_back(static_cast<I>(complete.col_idxs.size()));
    }
    graphs.push_back(complete);
    for (const auto& graph : graphs) {
        SCOPED_TRACE(std::to_string(graph.size.rows) + " rows");
        const auto history = search<I>(reference_executor(), graph, {});
        on_each_executor([&](const Executor& exec) {
            if (aggregation_search<I>.available(exec.state().backend())) {
                EXPECT_TRUE(searched<I>(exec, graph, {}, 1) == history[std::min<std::size_t>(2, history.size() - 1)]);
                EXPECT_TRUE(searched<I>(exec, graph, {}, 60) == history.back());
            }
        });
    }
}

TYPED_TEST(AggregationRoots, OfRandomGraphs)
{
    using I = TypeParam;
    Random random(2110);
    size_type num_first = 0, num_second = 0;
    for_each_graph<I>(random, [&](const HostPattern<I>& graph) {
        const auto run = [&](const std::vector<I>& roots) {
            const auto history = search<I>(reference_executor(), graph, roots);
            expect_rounds(graph, roots, history);
            on_each_other_executor(
                [&](const Executor& exec) { EXPECT_TRUE(search<I>(exec, graph, roots) == history); });
            on_each_executor([&](const Executor& exec) {
                if (aggregation_search<I>.available(exec.state().backend())) {
                    const std::size_t rounds = history.size() / 2;
                    for (const std::size_t round : {std::size_t{0}, rounds / 2, rounds, rounds + 9}) {
                        EXPECT_EQ(searched<I>(exec, graph, roots, static_cast<int>(round)),
                                  history[2 * std::min(round, rounds)]);
                    }
                }
            });
            return history;
        };
        const auto history = run({});
        const auto num_members = expect_maximal(graph, {}, history);
        num_first += num_members;
        const auto join = [&](const States& states, bool is_first, const std::vector<I>& before) {
            std::vector<I> expected(before);
            for (I row = 0; row < graph.size.rows; ++row) {
                if (is_first || before[row] < 0) {
                    expected[row] = -1;
                    for_each_neighbour(graph, {}, row,
                                       [&](I col) { expected[row] = states[col] == member ? col : expected[row]; });
                }
            }
            on_each_executor([&](const Executor& exec) {
                EXPECT_EQ(GraphOn<I>(exec, graph, {}).joined(states, is_first, before), expected);
            });
            return expected;
        };
        const auto roots = join(history.back(), true, std::vector<I>(history[0].size(), 9));
        if (graph.size.rows == 0) {
            return;
        }
        const auto second = run(roots);
        num_second += expect_maximal(graph, roots, second);
        (void)join(second.back(), false, roots);
        // With roots at random, which leave more.
        std::vector<I> some(roots.size(), -1);
        for (auto& root : some) {
            root = random.integer(0, 4) == 0 ? I{0} : I{-1};
        }
        num_second += expect_maximal(graph, some, run(some));
    });
    EXPECT_GT(num_first, 150);
    EXPECT_GT(num_second, 50);
}

template <class Types>
class AggregationJoin : public testing::Test {
};
TYPED_TEST_SUITE(AggregationJoin, TestedValueIndices, TypeNames);

template <class V, class I>
std::vector<I> rest_joined(const Executor& exec, const CsrData<V, I>& host, const HostPattern<I>& host_graph,
                           const std::vector<I>& host_before)
{
    const Csr<V, I> a(exec, host);
    const PatternOn<I> graph(exec, host_graph);
    const Array<I> before(exec, host_before);
    Array<I> after(exec, host_before);
    aggregation_join_rest<V, I>(exec, a.view(), graph.view(), before.data(), after.data());
    return after.to_host();
}

/// Row 0 of 8 has all neighbours, of which it is not strongly connected to the last.
TYPED_TEST(AggregationJoin, RestByHand)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    const auto full = star<I>(8);
    auto graph = full;
    graph.col_idxs.erase(graph.col_idxs.begin() + 7);
    for (I row = 1; row <= 8; ++row) {
        --graph.row_ptrs[row];
    }
    const auto joins = [&](const Executor& exec, const std::vector<double>& values, const std::vector<I>& before) {
        CsrData<V, I> a{full.size, full.row_ptrs, full.col_idxs, std::vector<V>(full.col_idxs.size(), V{-1})};
        for (std::size_t k = 0; k < values.size(); ++k) {
            a.values[k] = number<V>(values[k], 0);
        }
        const auto after = rest_joined(exec, a, graph, before);
        std::vector<I> others(before);
        others[0] = after[0];
        EXPECT_EQ(after, others) << "rows with a root keep it";
        return after[0];
    };
    on_each_executor([&](const Executor& exec) {
        const std::vector<I> before{-1, 7, 3, 3, 7, 5, 5, 7};
        // The sums of |a_0j| for the roots 7, 3 and 5; that of column 7 does not count.
        EXPECT_EQ(joins(exec, {50, 1, 0.5, 0.5, 1, 0.5, 0.5, 90}, before), 7);
        EXPECT_EQ(joins(exec, {50, 0.5, 1, -1, 0.5, 0.5, 0.5, 90}, before), 3);
        EXPECT_EQ(joins(exec, {50, 0.5, 0.5, 0.5, 0.5, -3, 0.5, 90}, before), 5);
        EXPECT_EQ(joins(exec, {50, -3, 4, -4, 2, 0.5, 0.5, 90}, before), 3) << "magnitudes, not values, add up";
        EXPECT_EQ(joins(exec, {50, 1, 1, 1, 1, 1, 1, 90}, before), 3) << "the lowest of three";
        EXPECT_EQ(joins(exec, {50, 1, 0.9995, 1, 1, 0.1, 1, 90}, before), 3) << "equal but for rounding";
        EXPECT_EQ(joins(exec, {50, 1, 0.997, 1, 1, 0.1, 1, 90}, before), 7);
        EXPECT_EQ(joins(exec, {50, 1, 1, 1, 1.0005, 0.1, 1, 90}, before), 3);
        EXPECT_EQ(joins(exec, {50, 1, 1, 1, 1.003, 0.1, 1, 90}, before), 7);
        EXPECT_EQ(joins(exec, {50, 1, 1, 1, 0.1, 1.0005, 1, 90}, before), 3);
        EXPECT_EQ(joins(exec, {50, 1, 1, 1, 0.1, 1.003, 1, 90}, before), 5);
        EXPECT_EQ(joins(exec, {50, 1, 1, 1, 1, 1, 1, 90}, {-1, -1, -1, -1, -1, -1, 6, 6}), 6);
        EXPECT_EQ(joins(exec, {50, 0, 0, 0, 0, 0, 0, 90}, {-1, 4, 4, 4, 2, 2, 2, 6}), 2) << "even of zeros";
        EXPECT_EQ(joins(exec, {50, 1, 1, 1, 1, 1, 1, 90}, {6, 1, 1, 1, 1, 1, 1, 1}), 6);
        // Those without any root have none afterwards.
        const CsrData<V, I> ones{graph.size, graph.row_ptrs, graph.col_idxs, std::vector<V>(21, V{1})};
        EXPECT_EQ(rest_joined(exec, ones, graph, std::vector<I>(8, -1)), std::vector<I>(8, -1));
        const CsrData<V, I> none{{0, 0}, {0}, {}, {}};
        EXPECT_EQ(rest_joined(exec, none, {none.size, {0}, {}}, {}), std::vector<I>{});
    });
}

/// The 257th entry of a row is not looked at.
TYPED_TEST(AggregationJoin, RestOfALongRow)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    const auto graph = star<I>(300);
    const CsrData<V, I> a{graph.size, graph.row_ptrs, graph.col_idxs, std::vector<V>(graph.col_idxs.size(), V{1})};
    on_each_executor([&](const Executor& exec) {
        const auto root_of_first = [&](I col) {
            std::vector<I> before(300, -1);
            before[col] = 17;
            return rest_joined(exec, a, graph, before)[0];
        };
        EXPECT_EQ(root_of_first(255), 17);
        EXPECT_EQ(root_of_first(256), -1);
        std::vector<I> before(300, 8);
        before[0] = -1;
        std::fill(before.begin() + 1, before.begin() + 130, 9);
        EXPECT_EQ(rest_joined(exec, a, graph, before)[0], 9) << "129 against 126 of the first 256, 170 of all";
    });
}

/// Magnitudes are 1, 2 and 3: sums are the same or differ by more than rounding.
TYPED_TEST(AggregationJoin, RestByDefinition)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    Random random(2111);
    for_each_graph<I>(random, [&](const HostPattern<I>& whole) {
        CsrData<V, I> a{whole.size, whole.row_ptrs, whole.col_idxs, {}};
        HostPattern<I> graph{whole.size, {0}, {}};
        for (I row = 0; row < a.size.rows; ++row) {
            for (I k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
                const auto value = static_cast<double>(random.integer(1, 4)) * (random.unit() < 0.5 ? -1 : 1);
                a.values.push_back(is_complex<V> && random.unit() < 0.5 ? number<V>(0, value) : number<V>(value, 0));
                if (a.col_idxs[k] == row || random.unit() < 0.8) {
                    graph.col_idxs.push_back(a.col_idxs[k]);
                }
            }
            graph.row_ptrs.push_back(static_cast<I>(graph.col_idxs.size()));
        }
        std::vector<I> before;
        for (I row = 0; row < a.size.rows; ++row) {
            before.push_back(random.unit() < 0.5 ? -1 : static_cast<I>(random.integer(0, std::min<I>(row, 5) + 1)));
        }
        auto expected = before;
        for (I row = 0; row < a.size.rows; ++row) {
            std::map<I, double> sums;
            for (I k = graph.row_ptrs[row]; k < std::min(graph.row_ptrs[row + 1], graph.row_ptrs[row] + 256); ++k) {
                const I col = graph.col_idxs[k];
                if (before[row] < 0 && before[col] >= 0) {
                    sums[before[col]] += static_cast<double>(std::abs(a.values[entry_at(a, row, col)]));
                }
            }
            double most = 0;
            for (const auto& [root, sum] : sums) {
                expected[row] = sum > most + 0.5 ? root : expected[row];
                most = std::max(most, sum);
            }
        }
        on_each_executor([&](const Executor& exec) { EXPECT_EQ(rest_joined(exec, a, graph, before), expected); });
    });
}

/// A chain of four rows that is rows 1000 to 1003 of a larger one: their keys are those of these numbers.
TYPED_TEST(AggregationRoots, KeysOfAPartAreThoseOfTheWhole)
{
    using I = TypeParam;
    constexpr size_type first = 1000;
    const HostPattern<I> chain{{4, 4}, {0, 2, 5, 8, 10}, {0, 1, 0, 1, 2, 1, 2, 3, 2, 3}};
    on_each_executor([&](const Executor& exec) {
        const PatternOn<I> graph(exec, chain);
        Array<std::uint64_t> states(exec, 4), least(exec, std::vector<std::uint64_t>{1, 1, 1, 1});
        aggregation_begin<I>(exec, graph.view(), first, nullptr, states.data());
        const auto begun = states.to_host();
        aggregation_decide<I>(exec, graph.view(), first, nullptr, 3, least.data(), states.data());
        const auto decided = states.to_host();
        for (size_type row = 0; row < 4; ++row) {
            EXPECT_EQ(begun[static_cast<std::size_t>(row)], IndependentState::key(first + row, 0, 0));
            EXPECT_EQ(decided[static_cast<std::size_t>(row)], IndependentState::key(first + row, 3, 0));
        }
    });
}

template <class I>
std::pair<size_type, std::vector<I>> numbered(const Executor& exec, const std::vector<I>& host_roots, bool is_in_place)
{
    const auto n = static_cast<size_type>(host_roots.size());
    Array<I> roots(exec, host_roots);
    Array<I> is_root(exec, std::vector<I>(host_roots.size(), -7)), aggregates(exec, is_root.to_host());
    aggregation_mark_roots<I>(exec, n, roots.data(), is_root.data());
    const auto host_numbers = prefix_sums(is_root.to_host());
    const Array<I> numbers(exec, host_numbers);
    auto& to = is_in_place ? roots : aggregates;
    aggregation_number<I>(exec, n, roots.data(), numbers.data(), to.data());
    return {host_numbers.back(), to.to_host()};
}

TYPED_TEST(AggregationRoots, NumbersOfAggregates)
{
    using I = TypeParam;
    Random random(2112);
    std::vector<I> roots(5000), numbers;
    for (I row = 0; row < 5000; ++row) {
        roots[row] = row % 7 == 3                ? row
                     : random.integer(0, 4) == 0 ? I{-1}
                                                 : static_cast<I>(3 + 7 * random.integer(0, 713));
        numbers.push_back(roots[row] < 0 ? I{-1} : static_cast<I>((roots[row] - 3) / 7));
    }
    on_each_executor([&](const Executor& exec) {
        for (const bool is_in_place : {false, true}) {
            const auto expect_numbers = [&](const std::vector<I>& of, size_type count, const std::vector<I>& expected) {
                EXPECT_EQ(numbered<I>(exec, of, is_in_place), std::pair(count, expected));
            };
            // Row 1 has no root; 4 and 0 are roots.
            expect_numbers({0, -1, 4, 4, 4, 0}, 2, {0, -1, 1, 1, 1, 0});
            expect_numbers({-1}, 0, {-1});
            expect_numbers({}, 0, {});
            expect_numbers(roots, 714, numbers);
        }
    });
}

}  // namespace
}  // namespace linden::test
