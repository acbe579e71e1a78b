#include <linden/matrix/dia.hpp>

#include "core/kernels/dia.hpp"
#include "test/support/apply_dot_cases.hpp"

namespace linden::test {
namespace {

template <class Types>
class DiaSpmvDot : public testing::Test {
};
TYPED_TEST_SUITE(DiaSpmvDot, TestedValueIndices, TypeNames);

TYPED_TEST(DiaSpmvDot, ByHand)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    on_each_executor([](const Executor& exec) {
        // [2 1; 0 i]
        const Csr<V, I> csr(exec, CsrData<V, I>{{2, 2}, {0, 2, 3}, {0, 1, 1}, {V{2}, V{1}, number<V>(0, 1)}});
        const auto a = Dia<V, I>::from_csr(csr);
        const auto b = Dense<V>::vector(exec, {V{1}, V{3}});
        const auto w = Dense<V>::vector(exec, {V{2}, number<V>(0, 2)});
        Dense<V> x(exec, {2, 1});
        auto workspace = ReductionWorkspace::for_values<V>(exec, 2);
        Array<V> sums(exec, 2);
        dia_spmv_dot<V, I>(exec, a.view(), b.view(), x.view(), w.view(), sums.data(), sums.data() + 1,
                           workspace.view());
        EXPECT_EQ(x.to_host(), (std::vector<V>{V{5}, number<V>(0, 3)}));
        EXPECT_EQ(sums.to_host(), is_complex<V> ? (std::vector<V>{V{16}, V{34}}) : (std::vector<V>{V{10}, V{25}}));
    });
}

TYPED_TEST(DiaSpmvDot, LikeReference)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    Random random(224);
    for_each_shape([&](Dim size, size_type padding) {
        CsrData<V, I> a{{size.rows, size.rows}, {0}, {}, {}};
        for (size_type row = 0; row < size.rows; ++row) {
            for (const size_type offset : {-30, -1, 0, 1, 2, 33}) {
                if (row + offset >= 0 && row + offset < size.rows) {
                    a.col_idxs.push_back(static_cast<I>(row + offset));
                    a.values.push_back(random.value<V>());
                }
            }
            a.row_ptrs.push_back(static_cast<I>(a.values.size()));
        }
        const auto operands = random_blocks<V>(random, 3, size, padding);
        expect_apply_dot_like_reference(operands, 32, [&](const Executor& exec, auto... arguments) {
            const auto here = Dia<V, I>::from_csr(Csr<V, I>(exec, a));
            dia_spmv_dot<V, I>(exec, here.view(), arguments...);
        });
    });
}

}  // namespace
}  // namespace linden::test
