#include <linden/matrix/compact_sell.hpp>
#include <linden/matrix/ell.hpp>
#include <linden/matrix/sell.hpp>

#include "core/kernels/sell.hpp"
#include "test/support/apply_dot_cases.hpp"

namespace linden::test {
namespace {

template <class Types>
class SellSpmvDot : public testing::Test {
};
TYPED_TEST_SUITE(SellSpmvDot, TestedValueIndices, TypeNames);

TYPED_TEST(SellSpmvDot, ByHand)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    on_each_executor([](const Executor& exec) {
        // [2 1; 0 i]
        const Csr<V, I> csr(exec, CsrData<V, I>{{2, 2}, {0, 2, 3}, {0, 1, 1}, {V{2}, V{1}, number<V>(0, 1)}});
        const auto a = Sell<V, I>::from_csr(csr);
        const auto b = Dense<V>::vector(exec, {V{1}, V{3}});
        const auto w = Dense<V>::vector(exec, {V{2}, number<V>(0, 2)});
        Dense<V> x(exec, {2, 1});
        auto workspace = ReductionWorkspace::for_values<V>(exec, 2);
        Array<V> sums(exec, 2);
        sell_spmv_dot<V, V, I>(exec, a.view(), b.view(), x.view(), w.view(), sums.data(), sums.data() + 1,
                               workspace.view());
        EXPECT_EQ(x.to_host(), (std::vector<V>{V{5}, number<V>(0, 3)}));
        EXPECT_EQ(sums.to_host(), is_complex<V> ? (std::vector<V>{V{16}, V{34}}) : (std::vector<V>{V{10}, V{25}}));
    });
}

TYPED_TEST(SellSpmvDot, LikeReference)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    Random random(213);
    for (const Dim size : {Dim{0, 1}, {1, 3}, {33, 1}, {597, 1}, {597, 3}, {597, 8}, {5000, 1}}) {
        const auto a = random_csr<V, I>(random, {size.rows, size.rows}, 4);
        const auto operands = random_blocks<V>(random, 3, size, size.cols % 2);
        expect_apply_dot_like_reference(operands, 64, [&](const Executor& exec, auto... arguments) {
            const auto here = Sell<V, I>::from_csr(Csr<V, I>(exec, a), {.sigma = 128});
            sell_spmv_dot<V, V, I>(exec, here.view(), arguments...);
        });
        expect_apply_dot_like_reference(operands, 64, [&](const Executor& exec, auto... arguments) {
            const auto here = Ell<V, I>::from_csr(Csr<V, I>(exec, a));
            sell_spmv_dot<V, V, I>(exec, here.view(), arguments...);
        });
    }
}

}  // namespace
}  // namespace linden::test
