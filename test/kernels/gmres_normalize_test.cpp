#include "test/support/krylov_cases.hpp"

namespace linden::test {
namespace {

template <class V>
class GmresNormalize : public testing::Test {
};
TYPED_TEST_SUITE(GmresNormalize, TestedValues, TypeNames);

constexpr size_type num_values(size_type m) { return m * m + 5 * m + 3; }

template <class V>
auto launch_with(size_type count)
{
    return [count](KrylovOperands<V>& o) {
        gmres_normalize<V>(o.exec, o.basis_view(count, o.in(0).size()), o.out(0), o.gmres(count), o.stop());
    };
}

TYPED_TEST(GmresNormalize, ByHand)
{
    using V = TypeParam;
    using R = real_t<V>;
    KrylovStep<V> before{{},     {V{1}, number<V>(2, 1)},  std::vector<V>(num_values(1)), {0, 0, R(0.5)},
                         {0, 0}, StopValues<R>::running(1)};
    before.values[2] = V{2};  // c
    before.blocks.push_back(column_of({V{4}, V{6}}));
    on_each_executor([&](const Executor& exec) {
        before.marks[0] = 0;
        EXPECT_EQ(after_launch(exec, before, 1, launch_with<V>(1)).blocks[0].to_host(), (std::vector<V>{V{2}, V{3}}));
        before.marks[0] = 1;  // (4 - 2, 6 - 2 (2 + i)) / 2
        EXPECT_EQ(after_launch(exec, before, 1, launch_with<V>(1)).blocks[0].to_host(),
                  (std::vector<V>{V{1}, number<V>(1, -1)}));
    });
    before.stop.stop(0, SolveStatus::converged);
    spoil_column(before.blocks[0], 0);
    on_each_executor([&](const Executor& exec) {
        EXPECT_EQ(after_launch(exec, before, 1, launch_with<V>(1)).blocks[0].to_host(), (std::vector<V>{V{0}, V{0}}));
    });
}

TYPED_TEST(GmresNormalize, LikeReference)
{
    using V = TypeParam;
    Random random(606);
    for_each_krylov_shape<V>([&](Dim size, size_type padding, auto stopped) {
        for (const size_type count : {1, 4, 6, 11}) {
            SCOPED_TRACE(count);
            auto before = random_krylov_step<V>(random, 1, size, padding, num_values(count), count + 2, 2, count);
            for (std::size_t col = 0; col < before.cols(); ++col) {
                before.marks[col] = (col + static_cast<std::size_t>(count)) % 2;
            }
            stop_columns(before, stopped, 0);
            expect_krylov_step_like_reference(before, 64, 1, launch_with<V>(count), [](std::size_t) { return false; });
        }
    });
}

}  // namespace
}  // namespace linden::test
