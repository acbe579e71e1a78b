#include "core/kernels/deflation.hpp"
#include "test/support/cg_cases.hpp"

namespace linden::test {
namespace {

template <class V>
class DeflationBegin : public testing::Test {
};
TYPED_TEST_SUITE(DeflationBegin, TestedValues, TypeNames);

template <class V>
void launch(const Executor& exec, Blocks<V>& blocks, V*, StopView<real_t<V>> stop, WorkspaceView)
{
    deflation_begin<V>(exec, blocks[0].view(), stop);
}

/// The first column runs: its count goes back. The second has stopped: its coefficients go, NaN or not.
TYPED_TEST(DeflationBegin, ByHand)
{
    using V = TypeParam;
    CgStep<V> before{{}, std::vector<V>(8), StopValues<real_t<V>>::running(2)};
    before.stop.stop(1, SolveStatus::not_a_number);
    const auto count = before.stop.counts;
    before.blocks.push_back(
        Dense<V>::from_rows(reference_executor(), {{V{1}, not_a_number<V>()}, {V{2}, V{4}}, {V{3}, V{5}}}));
    on_each_executor([&](const Executor& exec) {
        const auto s = after(exec, before, launch<V>);
        EXPECT_EQ(s.blocks[0].to_host(), (std::vector<V>{V{1}, V{}, V{2}, V{}, V{3}, V{}}));
        EXPECT_EQ(s.stop.counts[0], count[0] - 1);
        EXPECT_EQ(s.stop.counts[1], count[1]);
    });
}

TYPED_TEST(DeflationBegin, LikeReference)
{
    using V = TypeParam;
    Random random(954);
    for_each_shape([&](Dim size, size_type padding) {
        auto before = random_step<V>(random, 1, size, padding, 0);
        for (size_type col = 0; col < size.cols; col += 2) {
            before.stop.stop(static_cast<std::size_t>(col), SolveStatus::converged);
        }
        expect_step_like_reference(before, 0, launch<V>, [](size_type) { return false; });
    });
}

}  // namespace
}  // namespace linden::test
