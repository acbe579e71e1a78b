#include "test/support/krylov_cases.hpp"

namespace linden::test {
namespace {

template <class V>
class ArnoldiOrthogonalize : public testing::Test {
};
TYPED_TEST_SUITE(ArnoldiOrthogonalize, TestedValues, TypeNames);

template <class V>
auto launch_with(size_type count, size_type m, bool is_last = false)
{
    return [=](KrylovOperands<V>& o) {
        arnoldi_orthogonalize<V>(o.exec, o.basis_view(count, o.in(0).size()), o.out(0), o.out(1), o.arnoldi(m), is_last,
                                 o.stop());
    };
}

/// V = (1, 0), v = (0.5, 1), w = (5, 7), with c = 0.5, alpha = 1/2, h = (5, 2) and the factor 1/4.
template <class V>
KrylovStep<V> example(std::int32_t again)
{
    using R = real_t<V>;
    KrylovStep<V> s{{},
                    {V{1}, V{0}},
                    std::vector<V>(num_arnoldi_values(1)),
                    {0, 0, R(0.25), 0, 2},
                    {again, 0, 0},
                    StopValues<R>::running(1)};
    s.values[0] = V{5};
    s.values[1] = V{2};
    s.values[2] = V{R(0.5)};
    s.blocks.push_back(column_of({V{R(0.5)}, V{1}}));
    s.blocks.push_back(column_of({V{5}, V{7}}));
    return s;
}

TYPED_TEST(ArnoldiOrthogonalize, ByHand)
{
    using V = TypeParam;
    using R = real_t<V>;
    const std::vector<V> old_v{V{R(0.5)}, V{1}}, new_v{V{0}, V{2}};
    const std::vector<V> old_w{V{5}, V{7}};
    on_each_executor([&](const Executor& exec) {
        auto now = after_launch(exec, example<V>(0), 1, launch_with<V>(1, 1));
        EXPECT_EQ(now.blocks[0].to_host(), old_v);
        EXPECT_EQ(now.blocks[1].to_host(), (std::vector<V>{V{R(-0.25)}, V{R(1.25)}}));  // (0 - 2 0.5, 7 - 2) / 4
        now = after_launch(exec, example<V>(1), 1, launch_with<V>(1, 1));
        EXPECT_EQ(now.blocks[0].to_host(), new_v);
        EXPECT_EQ(now.blocks[1].to_host(), (std::vector<V>{V{0}, V{R(0.75)}}));  // (0, 7 - 2 2) / 4
    });
}

TYPED_TEST(ArnoldiOrthogonalize, EndsACycleWithoutANewVector)
{
    using V = TypeParam;
    using R = real_t<V>;
    on_each_executor([&](const Executor& exec) {
        auto now = after_launch(exec, example<V>(1), 1, launch_with<V>(1, 1, true));
        EXPECT_EQ(now.blocks[0].to_host(), (std::vector<V>{V{0}, V{2}}));
        EXPECT_EQ(now.blocks[1].to_host(), (std::vector<V>{V{5}, V{7}}));
        auto open = example<V>(1);
        open.marks[2] = 1;
        now = after_launch(exec, open, 1, launch_with<V>(1, 1, true));
        EXPECT_EQ(now.blocks[1].to_host(), (std::vector<V>{V{0}, V{R(0.75)}}));
    });
}

/// A column that has just converged uses v still.
TYPED_TEST(ArnoldiOrthogonalize, CorrectsVectorsOfColumnsThatHaveStopped)
{
    using V = TypeParam;
    auto before = example<V>(1);
    before.stop.stop(0, SolveStatus::converged);
    spoil_column(before.blocks[1], 0);
    on_each_executor([&](const Executor& exec) {
        const auto now = after_launch(exec, before, 1, launch_with<V>(1, 1));
        EXPECT_EQ(now.blocks[0].to_host(), (std::vector<V>{V{0}, V{2}}));
        EXPECT_EQ(now.blocks[1].to_host(), (std::vector<V>{V{0}, V{0}}));
    });
}

TYPED_TEST(ArnoldiOrthogonalize, LikeReference)
{
    using V = TypeParam;
    Random random(624);
    for_each_krylov_shape<V>([&](Dim size, size_type padding, auto stopped) {
        for (const size_type count : {0, 1, 6, 11}) {
            SCOPED_TRACE(count);
            const size_type m = count + 1;
            auto before = random_krylov_step<V>(random, 2, size, padding, num_arnoldi_values(m), num_arnoldi_reals(m),
                                                3, std::max<size_type>(count, 1));
            for (std::size_t col = 0; col < before.cols(); ++col) {
                before.marks[col] = (col + static_cast<std::size_t>(count)) % 2;
            }
            stop_columns(before, stopped, 1);
            expect_krylov_step_like_reference(before, 128, 1, launch_with<V>(count, m),
                                              [](std::size_t) { return false; });
        }
    });
}

}  // namespace
}  // namespace linden::test
