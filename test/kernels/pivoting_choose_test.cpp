#include "test/support/patterns.hpp"
#include "test/support/pivoting.hpp"

namespace linden::test {
namespace {

template <class I>
class PivotingChoose : public testing::Test {
};
TYPED_TEST_SUITE(PivotingChoose, TestedIndices);

TYPED_TEST(PivotingChoose, ByHand)
{
    using I = TypeParam;
    using enum ColumnUse;
    const auto a = pivot_example<DefaultValue, I>();
    auto before = pivot_example_candidates<I>();
    before.least_candidate = {8, 18, no_pivot_key, no_pivot_key, 3};
    before.least_touching = {8, 8, 9, 36, 3};
    auto expected = before;
    expected.columns = {0, -1, -1, 4, -1};
    expected.candidates = {-1, 0, 1, -1, 4};
    expected.uses = {of_pivot, touched, free, free, of_pivot};
    on_each_executor([&](const Executor& exec) {
        EXPECT_EQ(after(exec, a, pivot_example_settings(), PivotStep::choose, before), expected);
    });
}

TYPED_TEST(PivotingChoose, OfRandomMatrices)
{
    using V = DefaultValue;
    using I = TypeParam;
    for_each_pivot_problem<V, I>(1404, [](const CsrData<V, I>& a, const PivotSettings& settings) {
        expect_step_like_reference(pivoting_choose<I>, PivotStep::choose, a, settings);
    });
}

}  // namespace
}  // namespace linden::test
