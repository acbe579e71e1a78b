#include "test/support/krylov_cases.hpp"

namespace linden::test {
namespace {

template <class V>
class GmresStart : public testing::Test {
};
TYPED_TEST_SUITE(GmresStart, TestedValues, TypeNames);

enum { r, v };
constexpr size_type m = 2;
constexpr size_type num_values = m * m + 5 * m + 3;

template <class V>
auto launch_with(bool in_place)
{
    return [in_place](KrylovOperands<V>& o) {
        gmres_start<V>(o.exec, o.in(in_place ? v : r), o.out(v), o.gmres(m), o.stop());
    };
}

TYPED_TEST(GmresStart, ByHand)
{
    using V = TypeParam;
    KrylovStep<V> before{{},
                         {},
                         std::vector<V>(num_values, V{9}),
                         std::vector<real_t<V>>(m + 2),
                         {7, 7},
                         StopValues<real_t<V>>::running(1)};
    before.stop.norms[0] = 4;
    before.blocks.push_back(column_of({V{2}, number<V>(0, 4)}));
    before.blocks.push_back(column_of({V{2}, number<V>(0, 4)}));
    on_each_executor([&](const Executor& exec) {
        for (const bool in_place : {false, true}) {
            const auto now = after_launch(exec, before, 1, launch_with<V>(in_place));
            EXPECT_EQ(now.blocks[v].to_host(), (std::vector<V>{V{real_t<V>(0.5)}, number<V>(0, 1)}));
            EXPECT_EQ(now.values[2 * (m + 1) + m * m + m], V{4});  // g_0
            EXPECT_EQ(now.marks, (std::vector<std::int32_t>{7, 0}));
        }
    });
}

TYPED_TEST(GmresStart, LikeReference)
{
    using V = TypeParam;
    Random random(601);
    for_each_krylov_shape<V>([&](Dim size, size_type padding, auto stopped) {
        auto before = random_krylov_step<V>(random, 2, size, padding, num_values, m + 2, 2);
        std::fill(before.marks.begin(), before.marks.end(), 1);
        stop_columns(before, stopped, 0);  // v becomes 0 there, whatever it holds
        for (std::size_t col = 0; col < before.cols(); ++col) {
            before.stop.norms[col] = static_cast<real_t<V>>(1 + col);
        }
        for (const bool in_place : {false, true}) {
            expect_krylov_step_like_reference(before, 4, 1, launch_with<V>(in_place),
                                              [](std::size_t) { return false; });
        }
    });
}

}  // namespace
}  // namespace linden::test
