#include "core/kernels/richardson.hpp"
#include "test/support/cg_cases.hpp"

namespace linden::test {
namespace {

template <class V>
class RichardsonUpdateSolution : public testing::Test {
};
TYPED_TEST_SUITE(RichardsonUpdateSolution, TestedValues, TypeNames);

enum { z, x };

/// The first scalar of each column is alpha.
template <class V>
void launch(const Executor& exec, Blocks<V>& blocks, V* s, StopView<real_t<V>> stop, WorkspaceView)
{
    richardson_update_solution<V>(exec, s, std::as_const(blocks[z]).view(), blocks[x].view(), stop);
}

TYPED_TEST(RichardsonUpdateSolution, ByHand)
{
    using V = TypeParam;
    // columns: one runs, one has just converged, one has stood still since long, one has just met a NaN
    CgStep<V> before{{},
                     {number<V>(2, 1), V{2}, V{0}, V{2}, V{}, V{}, V{}, V{}, V{}, V{}, V{}, V{}, V{}, V{}, V{}, V{}},
                     StopValues<real_t<V>>::running(4)};
    before.stop.stop(1, SolveStatus::converged);
    before.stop.stop(2, SolveStatus::converged);
    before.stop.stop(3, SolveStatus::not_a_number);
    const auto nan = not_a_number<V>();
    const auto& host = reference_executor();
    before.blocks.push_back(Dense<V>::from_rows(host, {{V{1}, V{1}, nan, V{1}}, {V{2}, V{2}, V{2}, nan}}));
    before.blocks.push_back(Dense<V>::from_rows(host, {{V{5}, V{5}, V{5}, V{5}}, {V{6}, V{6}, V{6}, V{6}}}));
    on_each_executor([&](const Executor& exec) {
        const auto s = after(exec, before, launch<V>);
        EXPECT_EQ(s.blocks[x].to_host(),
                  (std::vector<V>{number<V>(7, 1), V{7}, V{5}, V{5}, number<V>(10, 2), V{10}, V{6}, V{6}}));
    });
}

TYPED_TEST(RichardsonUpdateSolution, LikeReference)
{
    using V = TypeParam;
    Random random(425);
    for_each_shape([&](Dim size, size_type padding) {
        for (int first = 0; first < 3; ++first) {
            auto before = random_step<V>(random, 2, size, padding, 0);
            const auto fate = [first](size_type col) { return (col + first) % 3; };
            for (size_type col = 0; col < size.cols; ++col) {
                const auto c = static_cast<std::size_t>(col);
                before.stop.status[c] = SolveStatus::running;
                if (fate(col) == 1) {
                    before.scalar(0, col) = V{0};
                    before.stop.stop(c, SolveStatus::converged);
                } else if (fate(col) == 2) {
                    before.stop.stop(c, SolveStatus::not_a_number);
                }
                if (fate(col) != 0) {
                    spoil_column(before.blocks[z], col);
                }
            }
            expect_step_like_reference(before, 16, launch<V>, [&](size_type col) { return fate(col) != 0; });
        }
    });
}

}  // namespace
}  // namespace linden::test
