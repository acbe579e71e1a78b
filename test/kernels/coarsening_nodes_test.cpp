#include "core/kernels/coarsening.hpp"
#include "test/support/aggregation.hpp"

/// Blocks of nodes, and the patterns of their aggregates.
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
class CoarseningNodes : public testing::Test {
};
TYPED_TEST_SUITE(CoarseningNodes, TestedValueIndices, TypeNames);

template <class V, class I>
std::vector<V> block_norms(const Executor& exec, const CsrData<V, I>& host, size_type block_rows,
                           const HostPattern<I>& nodes)
{
    const Csr<V, I> a(exec, host);
    const PatternOn<I> on(exec, nodes);
    Array<V> values(exec, std::vector<V>(nodes.col_idxs.size(), V{-7}));
    coarsening_block_norms<V, I>(exec, a.view(), block_rows, on.view(), values.data());
    return values.to_host();
}

TYPED_TEST(CoarseningNodes, NormsByHand)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    // [3 . | -4 . ; 4 . | . 3 ; --- ; . . | 2 1 ; . 1 | -2 4]
    const CsrData<V, I> a{
        {4, 4}, {0, 2, 4, 6, 9}, {0, 2, 0, 3, 2, 3, 1, 2, 3}, numbers<V>({3, -4, 4, 3, 2, 1, 1, -2, 4})};
    on_each_executor([&](const Executor& exec) {
        EXPECT_EQ(block_norms(exec, a, 2, HostPattern<I>{{2, 2}, {0, 2, 4}, {0, 1, 0, 1}}), numbers<V>({5, -5, -1, 5}));
        const HostPattern<I> rows{a.size, a.row_ptrs, a.col_idxs};
        EXPECT_EQ(block_norms(exec, a, 1, rows), numbers<V>({3, -4, -4, -3, 2, -1, -1, -2, 4}));
        EXPECT_TRUE(block_norms(exec, CsrData<V, I>{{0, 0}, {0}, {}, {}}, 3, HostPattern<I>{{0, 0}, {0}, {}}).empty());
    });
}

TYPED_TEST(CoarseningNodes, DiagonalsByHand)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    using R = real_t<V>;
    // [-3 1 .; 1 . .; . . 2]
    const CsrData<V, I> host{{3, 3}, {0, 2, 3, 4}, {0, 1, 0, 2}, numbers<V>({-3, 1, 1, 2})};
    on_each_executor([&](const Executor& exec) {
        const Csr<V, I> a(exec, host);
        Array<R> sizes(exec, std::vector<R>(3, R{-7}));
        coarsening_diagonal_sizes<V, I>(exec, a.view(), sizes.data());
        EXPECT_EQ(sizes.to_host(), (std::vector<R>{3, 0, 2}));
    });
}

/// The norms of random matrices are the same everywhere but for rounding.
TYPED_TEST(CoarseningNodes, AgreesWithTheReference)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    Random random(1821);
    for_each_graph<I>(random, [&](const HostPattern<I>& graph) {
        const auto a = random_values<V>(random, graph);
        const auto expected = block_norms(reference_executor(), a, 1, graph);
        on_each_executor([&](const Executor& exec) { expect_near(block_norms(exec, a, 1, graph), expected, 8); });
    });
}

template <class I>
class CoarseningExpand : public testing::Test {
};
TYPED_TEST_SUITE(CoarseningExpand, TestedIndices, TypeNames);

TYPED_TEST(CoarseningExpand, MembersByHand)
{
    using I = TypeParam;
    on_each_executor([&](const Executor& exec) {
        const Array<I> aggregates(exec, std::vector<I>{1, -1, 0, 1});
        Array<I> marks(exec, std::vector<I>(4, -7)), col_idxs(exec, std::vector<I>(3, -7));
        coarsening_mark_members<I>(exec, 4, aggregates.data(), marks.data());
        EXPECT_EQ(marks.to_host(), (std::vector<I>{1, 0, 1, 1}));
        const Array<I> row_ptrs(exec, std::vector<I>{0, 1, 1, 2, 3});
        coarsening_take_members<I>(exec, 4, aggregates.data(), row_ptrs.data(), col_idxs.data());
        EXPECT_EQ(col_idxs.to_host(), (std::vector<I>{1, 0, 1}));
    });
}

TYPED_TEST(CoarseningExpand, ByHand)
{
    using I = TypeParam;
    // Nodes 0 and 2 belong to aggregates 1 and 0, node 1 to none; two rows and three vectors each.
    const HostPattern<I> membership{{3, 2}, {0, 1, 1, 2}, {1, 0}};
    on_each_executor([&](const Executor& exec) {
        const PatternOn<I> on(exec, membership);
        Array<I> row_ptrs(exec, std::vector<I>(7, -7)), col_idxs(exec, std::vector<I>(12, -7));
        coarsening_expand<I>(exec, on.view(), {2, 3}, row_ptrs.data(), col_idxs.data());
        EXPECT_EQ(row_ptrs.to_host(), (std::vector<I>{0, 3, 6, 6, 6, 9, 12}));
        EXPECT_EQ(col_idxs.to_host(), (std::vector<I>{3, 4, 5, 3, 4, 5, 0, 1, 2, 0, 1, 2}));
    });
}

}  // namespace
}  // namespace linden::test
