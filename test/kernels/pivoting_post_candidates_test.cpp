#include "test/support/patterns.hpp"
#include "test/support/pivoting.hpp"

namespace linden::test {
namespace {

template <class I>
class PivotingPostCandidates : public testing::Test {
};
TYPED_TEST_SUITE(PivotingPostCandidates, TestedIndices);

TYPED_TEST(PivotingPostCandidates, ByHand)
{
    using I = TypeParam;
    const auto a = pivot_example<DefaultValue, I>();
    constexpr auto none = no_pivot_key;
    auto before = pivot_example_candidates<I>();
    before.max_product = {4};
    auto all = before;
    all.least_candidate = {8, 18, none, none, 3};
    all.least_touching = {8, 8, 9, 36, 3};
    auto small = before;
    small.max_product = {1};
    auto expected_of_small = small;
    expected_of_small.candidates = {0, 0, -1, 4, -1};
    expected_of_small.least_candidate = {8, none, none, none, 3};
    expected_of_small.least_touching = {8, 8, 9, none, 3};
    on_each_executor([&](const Executor& exec) {
        const auto settings = pivot_example_settings();
        EXPECT_EQ(after(exec, a, settings, PivotStep::post_candidates, before), all);
        EXPECT_EQ(after(exec, a, settings, PivotStep::post_candidates, small), expected_of_small);
    });
}

TYPED_TEST(PivotingPostCandidates, OfRandomMatrices)
{
    using V = DefaultValue;
    using I = TypeParam;
    for_each_pivot_problem<V, I>(1403, [](const CsrData<V, I>& a, const PivotSettings& settings) {
        expect_step_like_reference(pivoting_post_candidates<I>, PivotStep::post_candidates, a, settings);
    });
}

}  // namespace
}  // namespace linden::test
