#include "test/support/krylov_cases.hpp"

namespace linden::test {
namespace {

template <class V>
class GmresCombine : public testing::Test {
};
TYPED_TEST_SUITE(GmresCombine, TestedValues, TypeNames);

template <class V>
auto launch_with(size_type count, bool overwrite)
{
    return [count, overwrite](KrylovOperands<V>& o) {
        gmres_combine<V>(o.exec, o.basis_view(count, o.in(0).size()), o.values.data(), o.marks.data(), overwrite,
                         o.out(0));
    };
}

TYPED_TEST(GmresCombine, ByHand)
{
    using V = TypeParam;
    // The third vector does not count: used is 2.
    KrylovStep<V> before{{},
                         {V{1}, V{2}, number<V>(0, 1), V{1}, not_a_number<V>(), V{1}},
                         {V{3}, number<V>(0, 1), V{5}},
                         {},
                         {2},
                         StopValues<real_t<V>>::running(1)};
    before.blocks.push_back(column_of({V{10}, V{20}}));
    const std::vector<V> sum{is_complex<V> ? V{2} : V{3}, number<V>(6, 1)};
    on_each_executor([&](const Executor& exec) {
        EXPECT_EQ(after_launch(exec, before, 1, launch_with<V>(3, false)).blocks[0].to_host(),
                  (std::vector<V>{V{10} + sum[0], V{20} + sum[1]}));
        EXPECT_EQ(after_launch(exec, before, 1, launch_with<V>(3, true)).blocks[0].to_host(), sum);
    });
    before.marks[0] = 0;
    on_each_executor([&](const Executor& exec) {
        EXPECT_EQ(after_launch(exec, before, 1, launch_with<V>(3, false)).blocks[0].to_host(),
                  before.blocks[0].to_host());
        EXPECT_EQ(after_launch(exec, before, 1, launch_with<V>(3, true)).blocks[0].to_host(), std::vector<V>(2, V{0}));
    });
}

TYPED_TEST(GmresCombine, LikeReference)
{
    using V = TypeParam;
    Random random(608);
    for_each_shape([&](Dim size, size_type padding) {
        for (const size_type count : {1, 4, 11}) {
            SCOPED_TRACE(count);
            auto before = random_krylov_step<V>(random, 1, size, padding, count, 0, 1, count);
            for (std::size_t col = 0; col < before.cols(); ++col) {
                before.marks[col] = static_cast<std::int32_t>(random.integer(0, count + 3));
            }
            for (const bool overwrite : {false, true}) {
                expect_krylov_step_like_reference(
                    before, 64, 1, launch_with<V>(count, overwrite),
                    [&](std::size_t col) { return !overwrite && before.marks[col] == 0; });
            }
        }
    });
}

}  // namespace
}  // namespace linden::test
