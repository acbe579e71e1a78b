#include "test/support/eisenstat_cases.hpp"

namespace linden::test {
namespace {

template <class V>
class EisenstatStart : public testing::Test {
};
TYPED_TEST_SUITE(EisenstatStart, TestedValues, TypeNames);

const auto launch = []<class V>(const Executor& exec, Blocks<V>& blocks, const real_t<V>* d, EisenstatScalars<V> s,
                                StopView<real_t<V>> stop, WorkspaceView workspace) {
    eisenstat_start<V>(exec, d, std::as_const(blocks[0]).view(), s, stop, workspace);
};

TYPED_TEST(EisenstatStart, ByHand)
{
    using V = TypeParam;
    using R = real_t<V>;
    EisenstatStep<V> before{{},
                            {R{1}, R{2}},
                            {V{9}, V{9}, V{9}, V{9}, V{5}, V{5}},
                            {R{9}, R{9}, R{8}, R{8}},
                            {1, 1},
                            StopValues<R>::running(2, R{0}, 0)};
    before.stop.norms[0] = R{6};
    before.blocks.push_back(Dense<V>::from_rows(reference_executor(), {{V{1}, V{0}}, {number<V>(2, 0), V{0}}}));
    on_each_executor([&](const Executor& exec) {
        const auto now = after(exec, before, launch);
        EXPECT_EQ(now.values, (std::vector<V>{V{9}, V{0}, V{0}, V{0}, V{5}, V{5}}));
        EXPECT_EQ(now.reals, (std::vector<R>{R{2}, R{1}, R{8}, R{8}}));
        EXPECT_EQ(now.is_due, (std::vector<std::int32_t>{0, 0}));
    });
}

TYPED_TEST(EisenstatStart, LikeReference)
{
    using V = TypeParam;
    Random random(621);
    for_each_shape([&](Dim size, size_type padding) {
        auto before = random_eisenstat_step<V>(random, 1, size, padding);
        std::fill_n(before.stop.norms.begin(), size.cols, real_t<V>{2});
        expect_like_reference(before, summation_factor(size.rows), launch);
    });
}

}  // namespace
}  // namespace linden::test
