#include "core/kernels/dia.hpp"

#include <linden/matrix/dia.hpp>

#include "test/support/kernel_cases.hpp"

namespace linden::test {
namespace {

template <class Types>
class DiaSpmv : public testing::Test {
};
TYPED_TEST_SUITE(DiaSpmv, TestedValueIndices, TypeNames);

TYPED_TEST(DiaSpmv, ByHand)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    on_each_executor([](const Executor& exec) {
        // [1 2 .; . 3 4; 5 . 6; . 7 .], what lies outside of the matrix is not a number
        const V out = not_a_number<V>();
        Array<I> offsets(exec, std::vector<I>{-2, 0, 1});
        Array<V> values(
            exec, std::vector<V>{out, out, V{5}, V{7}, out, V{1}, V{3}, V{6}, out, out, V{2}, V{4}, out, out, out});
        const auto a = dia_view<V, I>(exec, {4, 3}, 3, 5, offsets.data(), values.data());
        const auto b = Dense<V>::from_rows(exec, {{V{1}, V{4}}, {V{2}, V{5}}, {V{3}, V{6}}});
        auto x = Dense<V>::filled(exec, {4, 2}, V{1});
        dia_spmv<V, I>(exec, a.view(), V{2}, b.view(), V{-1}, x.view());
        EXPECT_EQ(x.to_host(), (std::vector<V>{V{9}, V{27}, V{35}, V{77}, V{45}, V{111}, V{27}, V{69}}));
        auto y = Dense<V>::filled(exec, {4, 1}, out);
        a.apply(Dense<V>::vector(exec, {V{1}, V{2}, V{3}}), y);
        EXPECT_EQ(y.to_host(), (std::vector<V>{V{5}, V{18}, V{23}, V{14}}));
        EXPECT_EQ(a.to_csr().to_host().col_idxs, (std::vector<I>{0, 1, 1, 2, 0, 2, 1}));
    });
}

TYPED_TEST(DiaSpmv, LikeReference)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    Random random(221);
    for_each_shape([&](Dim size, size_type padding) {
        CsrData<V, I> a{{size.rows, size.rows + 3}, {0}, {}, {}};
        for (size_type row = 0; row < size.rows; ++row) {
            for (const size_type offset : {-400, -30, -1, 0, 1, 2, 3, 33, 500}) {
                if (row + offset >= 0 && row + offset < a.size.cols && random.unit() < 0.8) {
                    a.col_idxs.push_back(static_cast<I>(row + offset));
                    a.values.push_back(random.value<V>());
                }
            }
            a.row_ptrs.push_back(static_cast<I>(a.values.size()));
        }
        Blocks<V> operands;
        operands.push_back(random_dense<V>(random, reference_executor(), {size.rows + 3, size.cols}, padding));
        operands.push_back(random_dense<V>(random, reference_executor(), size, padding));
        for (const V beta : {V{0}, V{-1}}) {
            expect_like_reference(operands, 100, [&](const Executor& exec, Blocks<V>& x) {
                const auto here = Dia<V, I>::from_csr(Csr<V, I>(exec, a));
                dia_spmv<V, I>(exec, here.view(), V{2}, std::as_const(x[0]).view(), beta, x[1].view());
            });
        }
    });
}

}  // namespace
}  // namespace linden::test
