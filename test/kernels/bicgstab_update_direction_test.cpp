#include "test/support/krylov_cases.hpp"

namespace linden::test {
namespace {

template <class V>
class BicgstabUpdateDirection : public testing::Test {
};
TYPED_TEST_SUITE(BicgstabUpdateDirection, TestedValues, TypeNames);

enum { r, v, p };
enum { rho, rho_old, alpha, omega };

template <class V>
void launch(KrylovOperands<V>& o)
{
    bicgstab_update_direction<V>(o.exec, o.in(r), o.in(v), o.out(p), o.bicgstab(), o.stop());
}

/// One column with rho = 6, rho_old = 2, alpha = 4, omega = 3: beta = 4.
template <class V>
KrylovStep<V> by_hand()
{
    KrylovStep<V> s{{}, {}, {V{6}, V{2}, V{4}, V{3}, V{}, V{}, V{}, V{}}, {1}, {0}, StopValues<real_t<V>>::running(1)};
    s.stop.norms[0] = 1;
    s.blocks.push_back(column_of({V{1}, number<V>(0, 1)}));
    s.blocks.push_back(column_of({V{1}, V{0}}));
    s.blocks.push_back(column_of({V{5}, V{1}}));
    return s;
}

TYPED_TEST(BicgstabUpdateDirection, ByHand)
{
    using V = TypeParam;
    on_each_executor([](const Executor& exec) {
        const auto now = after_launch(exec, by_hand<V>(), 1, launch<V>);
        EXPECT_EQ(now.blocks[p].to_host(), (std::vector<V>{V{9}, number<V>(4, 1)}));
        EXPECT_EQ(now.stop.status[0], SolveStatus::running);
    });
}

TYPED_TEST(BicgstabUpdateDirection, FirstStepReadsNeitherPNorV)
{
    using V = TypeParam;
    auto before = by_hand<V>();
    before.values = {V{6}, V{0}, not_a_number<V>(), not_a_number<V>(), V{}, V{}, V{}, V{}};
    spoil_column(before.blocks[v], 0);
    spoil_column(before.blocks[p], 0);
    on_each_executor([&](const Executor& exec) {
        const auto now = after_launch(exec, before, 1, launch<V>);
        EXPECT_EQ(now.blocks[p].to_host(), before.blocks[r].to_host());
        EXPECT_EQ(now.stop.status[0], SolveStatus::running);
    });
}

TYPED_TEST(BicgstabUpdateDirection, SaysHowColumnsEnd)
{
    using V = TypeParam;
    const auto status_with = [](const Executor& exec, int which, V value) {
        auto before = by_hand<V>();
        before.values[static_cast<std::size_t>(which)] = value;
        const auto now = after_launch(exec, before, 1, launch<V>);
        expect_untouched(now.blocks, before.blocks, 0);
        return now.stop.status[0];
    };
    on_each_executor([&](const Executor& exec) {
        EXPECT_EQ(status_with(exec, rho, V{0}), SolveStatus::breakdown);
        EXPECT_EQ(status_with(exec, rho, V{std::numeric_limits<real_t<V>>::epsilon() / 2000}), SolveStatus::breakdown);
        EXPECT_EQ(status_with(exec, omega, V{0}), SolveStatus::breakdown);
        EXPECT_EQ(status_with(exec, rho, not_a_number<V>()), SolveStatus::not_a_number);
        EXPECT_EQ(status_with(exec, omega, not_a_number<V>()), SolveStatus::not_a_number);
        EXPECT_EQ(status_with(exec, alpha, V{std::numeric_limits<real_t<V>>::infinity()}), SolveStatus::not_a_number);
    });
}

TYPED_TEST(BicgstabUpdateDirection, LikeReference)
{
    using V = TypeParam;
    Random random(502);
    for_each_krylov_shape<V>([&](Dim size, size_type padding, auto stopped) {
        auto before = random_krylov_step<V>(random, 3, size, padding, 8, 1, 1);
        stop_columns(before, stopped, 0);
        expect_krylov_step_like_reference(before, 32, 1, launch<V>, stopped);
    });
}

}  // namespace
}  // namespace linden::test
