#include "test/support/krylov_cases.hpp"

namespace linden::test {
namespace {

template <class V>
class GmresSolve : public testing::Test {
};
TYPED_TEST_SUITE(GmresSolve, TestedValues, TypeNames);

constexpr size_type m = 3;
/// Where the scalars of one column are in `values`.
enum : std::size_t { h = 0, c = 4, upper = 8, sine = 17, g = 20, y = 24, num_values = 27 };

template <class V>
void launch(KrylovOperands<V>& o)
{
    gmres_solve<V>(o.exec, o.gmres(m), o.cols());
}

TYPED_TEST(GmresSolve, ByHand)
{
    using V = TypeParam;
    KrylovStep<V> before{{},
                         {},
                         std::vector<V>(num_values, not_a_number<V>()),
                         std::vector<real_t<V>>(m + 2),
                         {0, 2},
                         StopValues<real_t<V>>::running(1)};
    before.values[upper] = V{2};  // R = [2 1+i; 0 4]
    before.values[upper + m] = number<V>(1, 1);
    before.values[upper + m + 1] = V{4};
    before.values[g] = number<V>(7, 3);
    before.values[g + 1] = V{12};
    on_each_executor([&](const Executor& exec) {
        before.marks[1] = 2;
        auto now = after_launch(exec, before, 1, launch<V>);
        // y_1 = 3, y_0 = (7 + 3i - 3 (1 + i)) / 2
        EXPECT_EQ((std::vector<V>{now.values[y], now.values[y + 1], now.values[y + 2]}),
                  (std::vector<V>{V{2}, V{3}, V{0}}));
        before.marks[1] = 0;
        now = after_launch(exec, before, 1, launch<V>);
        EXPECT_EQ((std::vector<V>{now.values[y], now.values[y + 1], now.values[y + 2]}), std::vector<V>(3, V{0}));
    });
}

TYPED_TEST(GmresSolve, LikeReference)
{
    using V = TypeParam;
    Random random(607);
    for (const size_type cols : {0, 1, 3, 33, 70}) {
        auto before = random_krylov_step<V>(random, 0, {0, cols}, 0, num_values, m + 2, 2);
        for (std::size_t col = 0; col < before.cols(); ++col) {
            before.marks[before.cols() + col] = static_cast<std::int32_t>(col % (m + 1));
        }
        expect_krylov_step_like_reference(before, 64, 1, launch<V>, [](std::size_t) { return true; });
    }
}

}  // namespace
}  // namespace linden::test
