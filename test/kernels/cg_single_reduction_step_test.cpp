#include "core/kernels/cg.hpp"
#include "test/support/cg_cases.hpp"

namespace linden::test {
namespace {

template <class V>
class CgSingleReductionStep : public testing::Test {
};
TYPED_TEST_SUITE(CgSingleReductionStep, TestedValues, TypeNames);

enum { w, p, s, x, r, z };
enum { gamma, gamma_old, delta, alpha };

/// With `identity` z is r.
template <class V>
auto launch_with(bool identity)
{
    return [identity](const Executor& exec, Blocks<V>& b, V* c, StopView<real_t<V>> stop, WorkspaceView workspace) {
        const auto k = stop.cols;
        cg_single_reduction_step<V>(exec,
                                    {.z = b[identity ? r : z].view(),
                                     .w = b[w].view(),
                                     .p = b[p].view(),
                                     .s = b[s].view(),
                                     .x = b[x].view(),
                                     .r = b[r].view()},
                                    {c, c + k, c + 2 * k, c + 3 * k}, identity, stop, workspace);
    };
}

TYPED_TEST(CgSingleReductionStep, FirstStepByHand)
{
    using V = TypeParam;
    // p and s hold nothing yet. alpha = 8 / 4 = 2; p = z = 3, s = w = 1, x = 5 + 2 * 3, r = 7 - 2 * 1
    const V nan = not_a_number<V>();
    const auto before = scalar_step<V>({V{1}, nan, nan, V{5}, V{7}, V{3}}, {V{8}, V{0}, V{4}, nan});
    on_each_executor([&](const Executor& exec) {
        const auto now = after(exec, before, launch_with<V>(false));
        EXPECT_EQ(first_values(now), (std::vector<V>{V{1}, V{3}, V{1}, V{11}, V{5}, V{3}}));
        EXPECT_EQ(now.scalars, (std::vector<V>{V{8}, V{8}, V{4}, V{2}}));
        EXPECT_EQ(now.stop.residual(0), real_t<V>{5});
        EXPECT_EQ(now.stop.counts[0], 1);
    });
}

TYPED_TEST(CgSingleReductionStep, LaterStepByHand)
{
    using V = TypeParam;
    // beta = 8 / 4 = 2, alpha = 8 / (12 - 2 * 8 / 2) = 2; p = 7 + 2 * 1, s = 1 + 2 * 2, x = 5 + 2 * 9, r = 7 - 2 * 5
    const auto before = scalar_step<V>({V{1}, V{1}, V{2}, V{5}, V{7}}, {V{8}, V{4}, V{12}, V{2}});
    on_each_executor([&](const Executor& exec) {
        const auto now = after(exec, before, launch_with<V>(true));
        EXPECT_EQ(first_values(now), (std::vector<V>{V{1}, V{9}, V{5}, V{23}, V{-3}}));
        EXPECT_EQ(now.scalars, (std::vector<V>{V{9}, V{8}, V{12}, V{2}}));
        EXPECT_EQ(now.stop.residual(0), real_t<V>{3});
    });
}

TYPED_TEST(CgSingleReductionStep, LikeReference)
{
    using V = TypeParam;
    Random random(404);
    for_each_shape([&](Dim size, size_type padding) {
        for (int first = 0; first < num_fates; ++first) {
            const bool identity = first % 2 == 0;
            auto before = random_step<V>(random, identity ? 5 : 6, size, padding, first);
            for (size_type col = 0; col < size.cols; ++col) {
                const Fate fate = fate_of(col, first);
                before.scalar(delta, col) += V{8};  // far from beta gamma / alpha
                if (fate == Fate::zero_curvature) {
                    before.scalar(gamma_old, col) = V{0};
                    before.scalar(delta, col) = V{0};
                } else if (fate == Fate::zero_rho) {
                    before.scalar(gamma, col) = V{0};
                } else if (fate == Fate::not_a_number) {
                    before.scalar(delta, col) = not_a_number<V>();
                } else if (fate == Fate::converges) {
                    before.scalar(gamma_old, col) = V{0};  // in its first step
                    spoil_column(before.blocks[p], col);
                    spoil_column(before.blocks[s], col);
                }
                if (is_left_alone(fate)) {
                    spoil_column(before.blocks[w], col);
                }
            }
            // beta up to 3, so terms up to 8
            expect_step_like_reference(before, 16 + summation_factor(size.rows), launch_with<V>(identity),
                                       [&](size_type col) { return is_left_alone(fate_of(col, first)); });
        }
    });
}

}  // namespace
}  // namespace linden::test
