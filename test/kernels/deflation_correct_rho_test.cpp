#include "core/kernels/deflation.hpp"
#include "test/support/cg_cases.hpp"

namespace linden::test {
namespace {

template <class V>
class DeflationCorrectRho : public testing::Test {
};
TYPED_TEST_SUITE(DeflationCorrectRho, TestedValues, TypeNames);

/// The blocks are s and c, the first scalars rho.
template <class V>
void launch(const Executor& exec, Blocks<V>& blocks, V* rho, StopView<real_t<V>> stop, WorkspaceView)
{
    deflation_correct_rho<V>(exec, std::as_const(blocks[0]).view(), std::as_const(blocks[1]).view(), rho, stop);
}

/// 10 - (conj(2 + i) 3 + 1 * 2); the second column has stopped, and is no number.
TYPED_TEST(DeflationCorrectRho, ByHand)
{
    using V = TypeParam;
    const V nan = not_a_number<V>();
    CgStep<V> before{{}, std::vector<V>(8, V{10}), StopValues<real_t<V>>::running(2)};
    before.stop.stop(1, SolveStatus::not_a_number);
    before.blocks.push_back(Dense<V>::from_rows(reference_executor(), {{number<V>(2, 1), nan}, {V{1}, nan}}));
    before.blocks.push_back(Dense<V>::from_rows(reference_executor(), {{V{3}, nan}, {V{2}, nan}}));
    on_each_executor([&](const Executor& exec) {
        const auto s = after(exec, before, launch<V>);
        EXPECT_EQ(s.scalars[0], number<V>(2, 3));
        EXPECT_EQ(s.scalars[1], V{10});
    });
}

/// More rows than a block of a device has threads, and none.
TYPED_TEST(DeflationCorrectRho, LikeReference)
{
    using V = TypeParam;
    Random random(968);
    for (const Dim size : {Dim{0, 1}, Dim{1, 1}, Dim{600, 3}, Dim{5000, 1}}) {
        auto before = random_step<V>(random, 2, size, 1, 0);
        const auto expected = after(reference_executor(), before, launch<V>);
        on_each_executor([&](const Executor& exec) {
            const auto s = after(exec, before, launch<V>);
            const auto scale = std::max(1., static_cast<double>(size.rows));
            for (std::size_t i = 0; i < s.scalars.size(); ++i) {
                EXPECT_LE(std::abs(s.scalars[i] - expected.scalars[i]),
                          16 * std::numeric_limits<real_t<V>>::epsilon() * scale);
            }
        });
    }
}

}  // namespace
}  // namespace linden::test
