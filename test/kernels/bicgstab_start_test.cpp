#include "test/support/krylov_cases.hpp"

namespace linden::test {
namespace {

template <class V>
class BicgstabStart : public testing::Test {
};
TYPED_TEST_SUITE(BicgstabStart, TestedValues, TypeNames);

enum { r, shadow };

template <class V>
void launch(KrylovOperands<V>& o)
{
    bicgstab_start<V>(o.exec, o.in(r), o.out(shadow), o.bicgstab(), o.stop());
}

TYPED_TEST(BicgstabStart, ByHand)
{
    using V = TypeParam;
    KrylovStep<V> before{{}, {}, std::vector<V>(8, V{9}), {9}, {1}, StopValues<real_t<V>>::running(1)};
    before.blocks.push_back(column_of({V{3}, number<V>(0, 4)}));
    before.blocks.push_back(column_of({not_a_number<V>(), V{1}}));
    before.stop.norms[0] = 5;
    on_each_executor([&](const Executor& exec) {
        const auto now = after_launch(exec, before, 1, launch<V>);
        EXPECT_EQ(now.blocks[shadow].to_host(), before.blocks[r].to_host());
        EXPECT_EQ(now.values[0], V{25});  // rho
        EXPECT_EQ(now.values[1], V{0});   // rho_old
        EXPECT_EQ(now.reals[0], 5);       // shadow_norm
        EXPECT_EQ(now.marks[0], 0);       // halfway
    });
}

TYPED_TEST(BicgstabStart, LikeReference)
{
    using V = TypeParam;
    Random random(501);
    for_each_krylov_shape<V>([&](Dim size, size_type padding, auto stopped) {
        auto before = random_krylov_step<V>(random, 2, size, padding, 8, 1, 1);
        std::fill(before.marks.begin(), before.marks.end(), 1);
        stop_columns(before, stopped, shadow + 1);
        expect_krylov_step_like_reference(before, 1, 1, launch<V>, stopped);
    });
}

}  // namespace
}  // namespace linden::test
