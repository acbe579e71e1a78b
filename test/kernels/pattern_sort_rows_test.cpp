#include "test/support/patterns.hpp"

namespace linden::test {
namespace {

template <class I>
class PatternSortRows : public testing::Test {
};
TYPED_TEST_SUITE(PatternSortRows, TestedIndices);

template <class I>
Arrays<I> sorted(const Executor& exec, const HostPattern<I>& a)
{
    Array<I> row_ptrs(exec, a.row_ptrs);
    Array<I> col_idxs(exec, a.col_idxs);
    Array<I> source(exec, col_idxs.size());
    Array<std::byte> workspace(exec, pattern_workspace_bytes<I>(a.size.rows, a.num_nonzeros()));
    pattern_sort_rows<I>(exec, a.size.rows, a.num_nonzeros(), row_ptrs.data(), col_idxs.data(), source.data(),
                         {workspace.data(), workspace.size()});
    return {row_ptrs.to_host(), col_idxs.to_host(), source.to_host()};
}

TYPED_TEST(PatternSortRows, ByHand)
{
    using I = TypeParam;
    on_each_executor([](const Executor& exec) {
        const HostPattern<I> a{{4, 5}, {0, 3, 3, 4, 8}, {4, 0, 2, 1, 3, 1, 3, 1}};
        const Arrays<I> expected{a.row_ptrs, {0, 2, 4, 1, 1, 1, 3, 3}, {1, 2, 0, 3, 5, 7, 4, 6}};
        EXPECT_EQ(sorted(exec, a), expected);
    });
}

TYPED_TEST(PatternSortRows, LikeReference)
{
    using I = TypeParam;
    for_each_disordered_pattern<I>(701, [](const HostPattern<I>& a) {
        expect_equal_to_reference([&](const Executor& exec) { return sorted(exec, a); });
    });
}

TYPED_TEST(PatternSortRows, LongRow)
{
    using I = TypeParam;
    const auto a = one_long_row<I>();
    on_each_executor([&](const Executor& exec) {
        const auto [row_ptrs, cols, source] = sorted(exec, a);
        for (I k = 0; k < 40000; ++k) {
            ASSERT_EQ(cols[k + 1], k / 2);
            ASSERT_EQ(a.col_idxs[source[k + 1]], k / 2);
            ASSERT_TRUE(k % 2 == 0 || source[k] < source[k + 1]) << "the old order of equal columns";
        }
    });
}

/// Around what lanes and blocks hold.
TYPED_TEST(PatternSortRows, LengthsOfRows)
{
    using I = TypeParam;
    HostPattern<I> a{{0, 3000}, {0}, {}};
    for (const I length : {1, 2, 31, 32, 33, 64, 65, 255, 256, 257, 511, 512, 513, 767, 1025, 2047, 2048, 2049}) {
        for (I k = 0; k < length; ++k) {
            a.col_idxs.push_back((length - k) % (length - length / 3));
        }
        a.row_ptrs.push_back(static_cast<I>(a.col_idxs.size()));
        ++a.size.rows;
    }
    expect_equal_to_reference([&](const Executor& exec) { return sorted(exec, a); });
}

}  // namespace
}  // namespace linden::test
