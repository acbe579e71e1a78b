#include "core/kernels/aggregation.hpp"
#include "core/kernels/classical.hpp"
#include "test/support/aggregation.hpp"

/// Strong dependence, and the search of points.
namespace linden::test {
namespace {

template <class V>
std::vector<V> numbers(const std::vector<double>& values)
{
    std::vector<V> result;
    for (const double value : values) {
        result.push_back(V{static_cast<real_t<V>>(value)});
    }
    return result;
}

template <class Types>
class ClassicalStrong : public testing::Test {
};
TYPED_TEST_SUITE(ClassicalStrong, TestedValueIndices, TypeNames);

template <class V, class I>
HostPattern<I> strong(const Executor& exec, const CsrData<V, I>& host, double threshold)
{
    const Csr<V, I> a(exec, host);
    Array<I> counts(exec, std::vector<I>(static_cast<std::size_t>(host.size.rows), -7));
    classical_count_strong<V, I>(exec, a.view(), threshold, counts.data());
    const auto host_ptrs = prefix_sums(counts.to_host());
    const Array<I> row_ptrs(exec, host_ptrs);
    Array<I> col_idxs(exec, std::vector<I>(static_cast<std::size_t>(host_ptrs.back()), -7));
    classical_take_strong<V, I>(exec, a.view(), threshold, row_ptrs.data(), col_idxs.data());
    return {host.size, host_ptrs, col_idxs.to_host()};
}

TYPED_TEST(ClassicalStrong, ByHand)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    // Positive entries and small ones are weak; -1.9 makes the third row dominant; the last has a negative diagonal.
    // [4 -2 1 -0.5; -2 4 -1 .; 1 -1 9 -0.1; -0.5 . 2 -2]
    const CsrData<V, I> a{{4, 4},
                          {0, 4, 7, 11, 14},
                          {0, 1, 2, 3, 0, 1, 2, 0, 1, 2, 3, 0, 2, 3},
                          numbers<V>({4, -2, 1, -0.5, -2, 4, -1, 1, -1, 9, -0.1, -0.5, 2, -2})};
    on_each_executor([&](const Executor& exec) {
        const auto few = strong(exec, a, 0.5);
        EXPECT_EQ(few.row_ptrs, (std::vector<I>{0, 2, 5, 6, 8}));
        EXPECT_EQ(few.col_idxs, (std::vector<I>{0, 1, 0, 1, 2, 2, 2, 3}));
        const auto more = strong(exec, a, 0.25);
        EXPECT_EQ(more.row_ptrs, (std::vector<I>{0, 3, 6, 7, 9}));
        EXPECT_EQ(more.col_idxs, (std::vector<I>{0, 1, 3, 0, 1, 2, 2, 2, 3}));
    });
}

TYPED_TEST(ClassicalStrong, AgreesWithTheReference)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    Random random(1831);
    for_each_graph<I>(random, [&](const HostPattern<I>& graph) {
        const auto a = random_values<V>(random, graph);
        const auto expected = strong(reference_executor(), a, 0.3);
        on_each_executor([&](const Executor& exec) {
            const auto actual = strong(exec, a, 0.3);
            EXPECT_EQ(actual.row_ptrs, expected.row_ptrs);
            EXPECT_EQ(actual.col_idxs, expected.col_idxs);
        });
    });
}

template <class I>
class ClassicalPoints : public testing::Test {
};
TYPED_TEST_SUITE(ClassicalPoints, TestedIndices, TypeNames);

template <class I>
std::vector<std::uint64_t> decided(const Executor& exec, const HostPattern<I>& graph,
                                   const std::vector<std::uint64_t>& before)
{
    const PatternOn<I> on(exec, graph);
    const Array<std::uint64_t> old(exec, before);
    Array<std::uint64_t> states(exec, std::vector<std::uint64_t>(before.size(), 7));
    classical_decide<I>(exec, on.view(), on.view(), old.data(), states.data());
    return states.to_host();
}

/// A path of five rows: 3 has the lowest key, 1 the next; the neighbours of a member are excluded a round later.
TYPED_TEST(ClassicalPoints, RoundsByHand)
{
    using I = TypeParam;
    constexpr auto in = IndependentState::member, out = IndependentState::excluded;
    const HostPattern<I> path{{5, 5}, {0, 2, 5, 8, 11, 13}, {0, 1, 0, 1, 2, 1, 2, 3, 2, 3, 4, 3, 4}};
    on_each_executor([&](const Executor& exec) {
        EXPECT_EQ(decided(exec, path, {30, 20, 25, 10, 15}), (std::vector<std::uint64_t>{30, in, 25, in, 15}));
        EXPECT_EQ(decided(exec, path, {30, in, 25, in, 15}), (std::vector<std::uint64_t>{out, in, out, in, out}));
        EXPECT_EQ(decided(exec, path, {30, out, 25, 40, 50}), (std::vector<std::uint64_t>{in, out, in, 40, 50}));
    });
}

TYPED_TEST(ClassicalPoints, KeysByHand)
{
    using I = TypeParam;
    // Rows 0 and 2 have two and one dependents, row 1 none.
    const HostPattern<I> dependents{{3, 3}, {0, 3, 4, 6}, {0, 1, 2, 1, 0, 2}};
    on_each_executor([&](const Executor& exec) {
        const PatternOn<I> on(exec, dependents);
        Array<std::uint64_t> states(exec, std::vector<std::uint64_t>(3, 7));
        classical_begin<I>(exec, on.view(), states.data());
        EXPECT_EQ(states.to_host(),
                  (std::vector<std::uint64_t>{IndependentState::key(0, 0, 59), IndependentState::excluded,
                                              IndependentState::key(2, 0, 60)}));
        Array<I> marks(exec, std::vector<I>(4, -7));
        const Array<std::uint64_t> some(exec, std::vector<std::uint64_t>{0, 5, IndependentState::excluded, 0});
        classical_mark<I>(exec, 4, some.data(), marks.data());
        EXPECT_EQ(marks.to_host(), (std::vector<I>{1, 0, 0, 1}));
        classical_mark_undecided<I>(exec, 4, some.data(), marks.data());
        EXPECT_EQ(marks.to_host(), (std::vector<I>{0, 1, 0, 0}));
    });
}

/// On random symmetric graphs no two points are neighbours, and each row with neighbours is a point or beside one.
TYPED_TEST(ClassicalPoints, AreIndependentAndCover)
{
    using I = TypeParam;
    Random random(1832);
    for_each_graph<I>(random, [&](const HostPattern<I>& graph) {
        std::vector<std::uint64_t> expected;
        on_each_executor([&](const Executor& exec) {
            const PatternOn<I> on(exec, graph);
            Array<std::uint64_t> first(exec, graph.size.rows);
            classical_begin<I>(exec, on.view(), first.data());
            auto states = first.to_host();
            for (int round = 0; round < 100; ++round) {
                states = decided(exec, graph, states);
            }
            for (I row = 0; row < graph.size.rows; ++row) {
                int num_points = 0;
                for (I k = graph.row_ptrs[row]; k < graph.row_ptrs[row + 1]; ++k) {
                    num_points += states[graph.col_idxs[k]] == IndependentState::member ? 1 : 0;
                }
                const bool has_neighbours = graph.row_ptrs[row + 1] - graph.row_ptrs[row] > 1;
                EXPECT_EQ(num_points > 0, has_neighbours) << row;
                EXPECT_TRUE(states[row] != IndependentState::member || num_points == 1) << row;
            }
            expected = expected.empty() ? states : expected;
            EXPECT_EQ(states, expected);
        });
    });
}

}  // namespace
}  // namespace linden::test
