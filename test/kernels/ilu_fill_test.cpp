#include "test/support/ilu_fill_cases.hpp"

namespace linden::test {
namespace {

template <class I>
class IluFill : public testing::Test {
};
TYPED_TEST_SUITE(IluFill, TestedIndices);

TYPED_TEST(IluFill, ByHand)
{
    using I = TypeParam;
    on_each_executor_with(ilu_fill<I>, [](const Executor& exec) {
        const auto a = small_grid<I>();
        EXPECT_EQ(fill_pattern(exec, a, 0, 1).col_idxs, (std::vector<I>{0, 1, 3, 1, 2, 4, 2, 5, 3, 4, 4, 5, 5}));
        EXPECT_EQ(fill_pattern(exec, a, 1, 1).col_idxs, (std::vector<I>{0, 1, 3, 1, 2, 3, 4, 2, 4, 5, 3, 4, 4, 5, 5}));
    });
}

// Without an order of search: by Gaussian elimination on the levels.
TYPED_TEST(IluFill, IsThePatternOfLevels)
{
    using I = TypeParam;
    Random random(902);
    for (const size_type n : {1, 5, 31, 64, 90}) {
        for (const auto kind : all_patterns) {
            const auto a = random_disorder<I>(random, {n, n}, 2, kind);
            const auto level = fill_levels(a);
            for (const size_type k : {0, 1, 2, 3, 100}) {
                SCOPED_TRACE(std::to_string(n) + " rows, k = " + std::to_string(k));
                const auto expected = pattern_of_levels<I>(a.size, level, k);
                const auto actual = fill_pattern(reference_executor(), a, k, 1);
                EXPECT_EQ(actual.row_ptrs, expected.row_ptrs);
                EXPECT_EQ(actual.col_idxs, expected.col_idxs);
            }
        }
    }
}

TYPED_TEST(IluFill, LikeReference)
{
    using I = TypeParam;
    for_each_fill_case<I>([](const HostPattern<I>& a, size_type k) {
        expect_like_reference_on(
            ilu_fill<I>, [&](const Executor& exec) { return fill_pattern(exec, a, k, exec.info().num_units).col_idxs; },
            std::equal_to{});
    });
}

}  // namespace
}  // namespace linden::test
