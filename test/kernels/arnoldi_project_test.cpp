#include "test/support/krylov_cases.hpp"

namespace linden::test {
namespace {

template <class V>
class ArnoldiProject : public testing::Test {
};
TYPED_TEST_SUITE(ArnoldiProject, TestedValues, TypeNames);

template <class V>
auto launch_with(size_type count, size_type m, bool settles = false)
{
    return [=](KrylovOperands<V>& o) {
        arnoldi_project<V>(o.exec, o.basis_view(count, o.in(0).size()), o.in(0), o.in(1), o.arnoldi(m), settles,
                           o.stop(), o.reduction.view());
    };
}

TYPED_TEST(ArnoldiProject, ByHand)
{
    using V = TypeParam;
    // V = (1, i), v = (2, 0), w = (3, 5 + i)
    KrylovStep<V> before{{},
                         {V{1}, number<V>(0, 1)},
                         std::vector<V>(num_arnoldi_values(1)),
                         std::vector<real_t<V>>(num_arnoldi_reals(1)),
                         {0, 0, 0},
                         StopValues<real_t<V>>::running(1)};
    before.blocks.push_back(column_of({V{2}, V{0}}));
    before.blocks.push_back(column_of({V{3}, number<V>(5, 1)}));
    on_each_executor([&](const Executor& exec) {
        const auto now = after_launch(exec, before, 6, launch_with<V>(1, 1));
        // h = ((1, i)^H w, (2, 0)^H w), c = ((1, i)^H v, v^H v)
        EXPECT_EQ(now.values[0], is_complex<V> ? number<V>(4, -5) : V{3});
        EXPECT_EQ(now.values[1], V{6});
        EXPECT_EQ(now.values[2], V{2});
        EXPECT_EQ(now.values[3], V{4});
        EXPECT_EQ(now.reals[0], is_complex<V> ? 35 : 34);
    });
}

TYPED_TEST(ArnoldiProject, SettlesOnlyWhatIsOpen)
{
    using V = TypeParam;
    Random random(621);
    auto before = random_krylov_step<V>(random, 2, {30, 2}, 0, num_arnoldi_values(3), num_arnoldi_reals(3), 3, 3);
    const auto changes = [&](const Executor& exec) {
        const auto now = after_launch(exec, before, 20, launch_with<V>(3, 3, true));
        return !same_bits(now.values, before.values) || !same_bits(now.reals, before.reals);
    };
    std::fill(before.marks.begin(), before.marks.end(), 0);
    on_each_executor([&](const Executor& exec) { EXPECT_FALSE(changes(exec)); });
    before.marks[5] = 1;  // of the second column
    on_each_executor([&](const Executor& exec) { EXPECT_TRUE(changes(exec)); });
    before.stop.stop(1, SolveStatus::converged);
    on_each_executor([&](const Executor& exec) { EXPECT_FALSE(changes(exec)); });
}

TYPED_TEST(ArnoldiProject, LikeReference)
{
    using V = TypeParam;
    Random random(620);
    for_each_krylov_shape<V>([&](Dim size, size_type padding, auto stopped) {
        for (const size_type count : {0, 1, 6, 7, 17}) {
            SCOPED_TRACE(count);
            const size_type m = count + 1;
            auto before = random_krylov_step<V>(random, 2, size, padding, num_arnoldi_values(m), num_arnoldi_reals(m),
                                                3, std::max<size_type>(count, 1));
            stop_columns(before, stopped, 0);
            expect_krylov_step_like_reference(before, 20 * summation_factor(size.rows), (2 * count + 4) * size.cols,
                                              launch_with<V>(count, m), stopped);
        }
    });
}

/// More vectors than one launch takes.
TYPED_TEST(ArnoldiProject, TakesManyVectors)
{
    using V = TypeParam;
    Random random(622);
    constexpr size_type count = 270;
    auto before =
        random_krylov_step<V>(random, 2, {50, 1}, 0, num_arnoldi_values(count), num_arnoldi_reals(count), 3, count);
    expect_krylov_step_like_reference(before, 20 * summation_factor(50), 2 * count + 4, launch_with<V>(count, count),
                                      [](std::size_t) { return false; });
}

}  // namespace
}  // namespace linden::test
