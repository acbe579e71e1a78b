#include "test/support/krylov_cases.hpp"

namespace linden::test {
namespace {

template <class V>
class GmresMultiSubtract : public testing::Test {
};
TYPED_TEST_SUITE(GmresMultiSubtract, TestedValues, TypeNames);

template <class V>
auto launch_with(size_type count)
{
    return [count](KrylovOperands<V>& o) {
        gmres_multi_subtract<V>(o.exec, o.basis_view(count, o.in(0).size()), o.out(0), o.gmres(count), o.stop(),
                                o.reduction.view());
    };
}

constexpr size_type num_values(size_type m) { return m * m + 5 * m + 3; }

TYPED_TEST(GmresMultiSubtract, ByHand)
{
    using V = TypeParam;
    // w = (3, 5 + i) - 2 (1, 2) - 1 (i, 1) = (1 - i, i)
    std::vector<V> values(static_cast<std::size_t>(num_values(2)));
    values[0] = V{2};
    values[1] = V{1};
    KrylovStep<V> before{{},     {V{1}, V{2}, number<V>(0, 1), V{1}}, values, std::vector<real_t<V>>(4),
                         {0, 0}, StopValues<real_t<V>>::running(1)};
    before.blocks.push_back(column_of({V{3}, number<V>(5, 1)}));
    on_each_executor([&](const Executor& exec) {
        const auto now = after_launch(exec, before, 3, launch_with<V>(2));
        EXPECT_EQ(now.blocks[0].to_host(), (std::vector<V>{number<V>(1, -1), number<V>(0, 1)}));
        // c = ((1, 2)^H w, (i, 1)^H w); w^H w
        EXPECT_EQ(now.values[3], number<V>(1, 1));
        EXPECT_EQ(now.values[4], is_complex<V> ? number<V>(-1, 0) : V{0});
        EXPECT_EQ(now.reals[0], is_complex<V> ? 3 : 1);
    });
}

TYPED_TEST(GmresMultiSubtract, LikeReference)
{
    using V = TypeParam;
    Random random(603);
    for_each_krylov_shape<V>([&](Dim size, size_type padding, auto stopped) {
        for (const size_type count : {1, 4, 6, 11}) {
            SCOPED_TRACE(count);
            auto before = random_krylov_step<V>(random, 1, size, padding, num_values(count), count + 2, 2, count);
            stop_columns(before, stopped, 0);
            expect_krylov_step_like_reference(before, 20 * summation_factor(size.rows), (count + 1) * size.cols,
                                              launch_with<V>(count), stopped);
        }
    });
}

TYPED_TEST(GmresMultiSubtract, LeavesInfinitiesOfVectorsWithoutWeightOut)
{
    using V = TypeParam;
    // Column 1 has stopped and its basis is spoiled; column 0 must not notice.
    Random random(604);
    auto before = random_krylov_step<V>(random, 1, {40, 2}, 0, num_values(5), 7, 2, 5);
    stop_columns(
        before, [](std::size_t col) { return col == 1; }, 0);
    for (std::size_t i = 1; i < before.basis.size(); i += 2) {
        before.basis[i] = not_a_number<V>();
    }
    on_each_executor([&](const Executor& exec) {
        const auto now = after_launch(exec, before, 12, launch_with<V>(5));
        expect_untouched(now.blocks, before.blocks, 1);
        const auto w = now.blocks[0].to_host();
        for (std::size_t i = 0; i < w.size(); i += 2) {
            ASSERT_FALSE(is_nan(w[i]));
        }
        EXPECT_FALSE(is_nan(now.reals[0]));
    });
}

}  // namespace
}  // namespace linden::test
