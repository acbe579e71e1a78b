#include <linden/matrix/stencil.hpp>

#include "core/kernels/stencil.hpp"
#include "test/support/apply_dot_cases.hpp"
#include "test/support/stencils.hpp"

namespace linden::test {
namespace {

template <class Types>
class StencilSpmvDot : public testing::Test {
};
TYPED_TEST_SUITE(StencilSpmvDot, TestedValueIndices, TypeNames);

TYPED_TEST(StencilSpmvDot, ByHand)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    on_each_executor([](const Executor& exec) {
        // [2 1; 0 i]
        const Csr<V, I> csr(exec, CsrData<V, I>{{2, 2}, {0, 2, 3}, {0, 1, 1}, {V{2}, V{1}, number<V>(0, 1)}});
        const auto a = Stencil<V, I>::from_csr(csr);
        const auto b = Dense<V>::vector(exec, {V{1}, V{3}});
        const auto w = Dense<V>::vector(exec, {V{2}, number<V>(0, 2)});
        Dense<V> x(exec, {2, 1});
        auto workspace = ReductionWorkspace::for_values<V>(exec, 2);
        Array<V> sums(exec, 2);
        stencil_spmv_dot<V, I>(exec, a.view(), b.view(), x.view(), w.view(), sums.data(), sums.data() + 1,
                               workspace.view());
        EXPECT_EQ(x.to_host(), (std::vector<V>{V{5}, number<V>(0, 3)}));
        EXPECT_EQ(sums.to_host(), is_complex<V> ? (std::vector<V>{V{16}, V{34}}) : (std::vector<V>{V{10}, V{25}}));
    });
}

TYPED_TEST(StencilSpmvDot, LikeReference)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    Random random(232);
    for (const size_type length : {4, 7, 11}) {
        for_each_shape([&](Dim size, size_type padding) {
            std::vector<size_type> offsets{-33, -30, -1, 0, 1, 2, 33, 34, 35, 36, 40};
            offsets.resize(static_cast<std::size_t>(length));
            const auto a = rows_of_kinds<V, I>({size.rows, size.rows}, offsets, 5);
            const auto operands = random_blocks<V>(random, 3, size, padding);
            expect_apply_dot_like_reference(operands, 32, [&](const Executor& exec, auto... arguments) {
                const auto here = Stencil<V, I>::from_csr(Csr<V, I>(exec, a));
                stencil_spmv_dot<V, I>(exec, here.view(), arguments...);
            });
        });
    }
}

}  // namespace
}  // namespace linden::test
