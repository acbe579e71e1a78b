#include "core/kernels/cg.hpp"
#include "test/support/cg_cases.hpp"

namespace linden::test {
namespace {

template <class V>
class CgUpdateResidual : public testing::Test {
};
TYPED_TEST_SUITE(CgUpdateResidual, TestedValues, TypeNames);

enum { q, r };
enum { rho, rho_old, pq, alpha };

template <class V>
auto launch_with(bool identity)
{
    return
        [identity](const Executor& exec, Blocks<V>& blocks, V* s, StopView<real_t<V>> stop, WorkspaceView workspace) {
            const auto k = stop.cols;
            cg_update_residual<V>(exec, std::as_const(blocks[q]).view(), blocks[r].view(),
                                  {s, s + k, s + 2 * k, s + 3 * k}, identity, stop, workspace);
        };
}

TYPED_TEST(CgUpdateResidual, ByHand)
{
    using V = TypeParam;
    using R = real_t<V>;
    CgStep<V> before{{}, {V{10}, V{99}, V{5}, V{99}}, StopValues<R>::running(1, R{0.5}, 4)};
    before.blocks.push_back(Dense<V>::from_rows(reference_executor(), {{V{1}}, {number<V>(2, 1)}}));
    before.blocks.push_back(Dense<V>::from_rows(reference_executor(), {{V{3}}, {number<V>(4, 2)}}));
    on_each_executor([&](const Executor& exec) {
        for (const bool identity : {true, false}) {
            auto s = after(exec, before, launch_with<V>(identity));
            EXPECT_EQ(s.blocks[r].to_host(), (std::vector<V>{V{1}, V{0}}));
            EXPECT_EQ(s.scalars, (std::vector<V>{identity ? V{1} : V{10}, V{10}, V{5}, V{2}}));
            EXPECT_EQ(s.stop.residual(0), R{1});
            EXPECT_EQ(s.stop.counts[0], 5);
            EXPECT_EQ(s.stop.header.running, 1);
        }
    });
}

TYPED_TEST(CgUpdateResidual, LikeReference)
{
    using V = TypeParam;
    Random random(401);
    for_each_shape([&](Dim size, size_type padding) {
        for (int first = 0; first < num_fates; ++first) {
            auto before = random_step<V>(random, 2, size, padding, first);
            for (size_type col = 0; col < size.cols; ++col) {
                const Fate fate = fate_of(col, first);
                if (fate == Fate::zero_curvature) {
                    before.scalar(pq, col) = V{0};
                } else if (fate == Fate::zero_rho) {
                    before.scalar(rho, col) = V{0};
                } else if (fate == Fate::not_a_number) {
                    before.scalar(pq, col) = not_a_number<V>();
                }
                if (is_left_alone(fate)) {
                    spoil_column(before.blocks[q], col);
                }
            }
            expect_step_like_reference(before, summation_factor(size.rows), launch_with<V>(first % 2 == 0),
                                       [&](size_type col) { return is_left_alone(fate_of(col, first)); });
        }
    });
}

TYPED_TEST(CgUpdateResidual, SaysHowColumnsEnd)
{
    using V = TypeParam;
    using S = SolveStatus;
    Random random(402);
    auto before = random_step<V>(random, 2, {33, num_fates}, 0, 0);
    before.scalar(pq, static_cast<int>(Fate::zero_curvature)) = V{0};
    before.scalar(rho, static_cast<int>(Fate::zero_rho)) = V{0};
    before.scalar(pq, static_cast<int>(Fate::not_a_number)) = not_a_number<V>();
    on_each_executor([&](const Executor& exec) {
        auto s = after(exec, before, launch_with<V>(true));
        EXPECT_EQ(s.stop.status, (std::vector<S>{S::running, S::converged, S::stagnated, S::breakdown, S::breakdown,
                                                 S::not_a_number}));
        EXPECT_EQ(s.stop.header.running, 1);
        for (size_type col = 0; col < num_fates; ++col) {
            EXPECT_EQ(s.scalar(alpha, col) == V{0}, is_left_alone(fate_of(col, 0)));
            EXPECT_EQ(s.scalar(rho_old, col) == before.scalar(rho, col), !is_left_alone(fate_of(col, 0)));
        }
    });
}

}  // namespace
}  // namespace linden::test
