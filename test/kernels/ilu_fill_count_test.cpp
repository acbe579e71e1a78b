#include "test/support/ilu_fill_cases.hpp"

namespace linden::test {
namespace {

template <class I>
class IluFillCount : public testing::Test {
};
TYPED_TEST_SUITE(IluFillCount, TestedIndices);

TYPED_TEST(IluFillCount, ByHand)
{
    using I = TypeParam;
    on_each_executor_with(ilu_fill_count<I>, [](const Executor& exec) {
        const auto a = small_grid<I>();
        EXPECT_EQ(fill_counts(exec, a, 0, 1), (std::vector<I>{3, 3, 2, 2, 2, 1}));
        // (1, 3) by 0 and (2, 4) by 1, both of level 1
        EXPECT_EQ(fill_counts(exec, a, 1, 2), (std::vector<I>{3, 4, 3, 2, 2, 1}));
        // (2, 3) by 1 and 0, of level 2; (3, 5) by 0, 1 and 2, of level 3
        EXPECT_EQ(fill_counts(exec, a, 2, 3), (std::vector<I>{3, 4, 4, 2, 2, 1}));
        EXPECT_EQ(fill_counts(exec, a, 3, 3), (std::vector<I>{3, 4, 4, 3, 2, 1}));
        EXPECT_EQ(fill_counts(exec, a, std::numeric_limits<I>::max(), 3), (std::vector<I>{3, 4, 4, 3, 2, 1}));
    });
}

TYPED_TEST(IluFillCount, OneWayPathsAndEmptyRows)
{
    using I = TypeParam;
    // 3 -> 0 -> 1 -> 4, and nothing else; only row 3 passes 0 and 1 on its way.
    const HostPattern<I> a{{5, 5}, {0, 1, 2, 2, 3, 3}, {1, 4, 0}};
    on_each_executor_with(ilu_fill_count<I>, [&](const Executor& exec) {
        EXPECT_EQ(fill_counts(exec, a, 1, 1), (std::vector<I>{2, 2, 1, 1, 1}));
        EXPECT_EQ(fill_counts(exec, a, 2, 1), (std::vector<I>{2, 2, 1, 2, 1}));
    });
}

TYPED_TEST(IluFillCount, LikeReference)
{
    using I = TypeParam;
    for_each_fill_case<I>([](const HostPattern<I>& a, size_type k) {
        expect_like_reference_on(
            ilu_fill_count<I>, [&](const Executor& exec) { return fill_counts(exec, a, k, exec.info().num_units); },
            std::equal_to{});
    });
}

}  // namespace
}  // namespace linden::test
