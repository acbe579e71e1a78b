#include "core/kernels/cg.hpp"
#include "test/support/cg_cases.hpp"

namespace linden::test {
namespace {

template <class V>
class CgUpdateDirection : public testing::Test {
};
TYPED_TEST_SUITE(CgUpdateDirection, TestedValues, TypeNames);

enum { z, p, x };
enum { rho, rho_old, pq, alpha };

template <class V>
void launch(const Executor& exec, Blocks<V>& blocks, V* s, StopView<real_t<V>> stop, WorkspaceView)
{
    const auto k = stop.cols;
    cg_update_direction<V>(exec, std::as_const(blocks[z]).view(), blocks[p].view(), blocks[x].view(),
                           {s, s + k, s + 2 * k, s + 3 * k}, stop);
}

TYPED_TEST(CgUpdateDirection, ByHand)
{
    using V = TypeParam;
    using R = real_t<V>;
    // columns: one runs, one has just converged, one has stood still since long
    CgStep<V> before{{},
                     {V{6}, V{6}, V{6}, V{2}, V{2}, V{2}, V{1}, V{1}, V{1}, number<V>(2, 1), V{2}, V{0}},
                     StopValues<R>::running(3)};
    before.stop.stop(1, SolveStatus::converged);
    before.stop.stop(2, SolveStatus::converged);
    const auto& host = reference_executor();
    before.blocks.push_back(Dense<V>::from_rows(host, {{V{10}, V{10}, V{10}}, {V{20}, V{20}, V{20}}}));
    before.blocks.push_back(Dense<V>::from_rows(host, {{V{1}, V{1}, V{1}}, {V{2}, V{2}, not_a_number<V>()}}));
    before.blocks.push_back(Dense<V>::from_rows(host, {{V{5}, V{5}, V{5}}, {V{6}, V{6}, V{6}}}));
    on_each_executor([&](const Executor& exec) {
        const auto s = after(exec, before, launch<V>);
        EXPECT_EQ(s.blocks[x].to_host(), (std::vector<V>{number<V>(7, 1), V{7}, V{5}, number<V>(10, 2), V{10}, V{6}}));
        const auto direction = s.blocks[p].to_host();
        EXPECT_EQ(direction[0], V{13});
        EXPECT_EQ(direction[3], V{26});
        EXPECT_EQ(direction[1], V{1});
        EXPECT_EQ(direction[4], V{2});
        EXPECT_EQ(direction[2], V{1});
        expect_untouched(s, before, 2);
    });
}

/// Before the first step columns run and have not moved: x stays, whatever p holds, and p begins anew if it is 0.
TYPED_TEST(CgUpdateDirection, BeforeTheFirstStep)
{
    using V = TypeParam;
    using R = real_t<V>;
    CgStep<V> before{{}, {V{6}, V{6}, V{1}, V{1}, V{1}, V{1}, V{0}, V{0}}, StopValues<R>::running(2)};
    const auto& host = reference_executor();
    before.blocks.push_back(Dense<V>::from_rows(host, {{V{10}, V{30}}, {V{20}, V{40}}}));
    before.blocks.push_back(Dense<V>::from_rows(host, {{V{0}, not_a_number<V>()}, {V{0}, V{1}}}));
    before.blocks.push_back(Dense<V>::from_rows(host, {{V{5}, V{7}}, {V{6}, V{8}}}));
    on_each_executor([&](const Executor& exec) {
        const auto s = after(exec, before, launch<V>);
        EXPECT_EQ(s.blocks[x].to_host(), (std::vector<V>{V{5}, V{7}, V{6}, V{8}}));
        const auto direction = s.blocks[p].to_host();
        EXPECT_EQ(direction[0], V{10});
        EXPECT_EQ(direction[2], V{20});
        EXPECT_EQ(direction[3], V{46});
    });
}

/// Columns run, have just stopped (x moves, p does not) or have stood still.
TYPED_TEST(CgUpdateDirection, LikeReference)
{
    using V = TypeParam;
    Random random(403);
    for_each_shape([&](Dim size, size_type padding) {
        for (int first = 0; first < 3; ++first) {
            auto before = random_step<V>(random, 3, size, padding, 0);
            for (size_type col = 0; col < size.cols; ++col) {
                const auto c = static_cast<std::size_t>(col);
                before.stop.status[c] = SolveStatus::running;
                if ((col + first) % 3 != 0) {
                    before.stop.stop(c, SolveStatus::converged);
                }
                if ((col + first) % 3 == 2) {
                    before.scalar(alpha, col) = V{0};
                    spoil_column(before.blocks[p], col);
                }
            }
            expect_step_like_reference(before, 16, launch<V>, [&](size_type col) { return (col + first) % 3 == 2; });
        }
    });
}

}  // namespace
}  // namespace linden::test
