#include "core/kernels/sparsity_csr.hpp"

#include "test/support/kernel_cases.hpp"

namespace linden::test {
namespace {

template <class Types>
class SparsityCsrSpmv : public testing::Test {
};
TYPED_TEST_SUITE(SparsityCsrSpmv, TestedValueIndices, TypeNames);

TYPED_TEST(SparsityCsrSpmv, ByHand)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    on_each_executor([](const Executor& exec) {
        // 3 times [1 . 1; . . .]
        const Csr<V, I> a(exec, CsrData<V, I>{{2, 3}, {0, 2, 2}, {0, 2}, {V{9}, V{8}}});
        const auto b = Dense<V>::from_rows(exec, {{V{1}, V{2}}, {V{10}, V{20}}, {V{100}, V{200}}});
        auto x = Dense<V>::filled(exec, {2, 2}, V{1});
        sparsity_csr_spmv<V, I>(exec, a.view(), V{3}, V{2}, b.view(), V{-1}, x.view());
        EXPECT_EQ(x.to_host(), (std::vector<V>{V{605}, V{1211}, V{-1}, V{-1}}));
        auto y = Dense<V>::filled(exec, {2, 1}, not_a_number<V>());
        sparsity_csr_spmv<V, I>(exec, a.view(), V{3}, V{1}, Dense<V>::vector(exec, {V{1}, V{10}, V{100}}).view(), V{0},
                                y.view());
        EXPECT_EQ(y.to_host(), (std::vector<V>{V{303}, V{0}}));
    });
}

TYPED_TEST(SparsityCsrSpmv, LikeReference)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    Random random(223);
    const V value = random.value<V>();
    const auto expect_same = [&](Dim size, size_type padding, size_type mean, Pattern pattern) {
        const auto a = random_csr<V, I>(random, {size.rows, size.rows + 3}, mean, pattern);
        Blocks<V> operands;
        operands.push_back(random_dense<V>(random, reference_executor(), {size.rows + 3, size.cols}, padding));
        operands.push_back(random_dense<V>(random, reference_executor(), size, padding));
        expect_like_reference(operands, 4 * summation_factor(size.rows), [&](const Executor& exec, Blocks<V>& x) {
            const Csr<V, I> here(exec, a);
            sparsity_csr_spmv<V, I>(exec, here.view(), value, V{2}, std::as_const(x[0]).view(), V{-1}, x[1].view());
        });
    };
    for_each_shape([&](Dim size, size_type padding) { expect_same(size, padding, 2, Pattern::uniform); });
    for (const size_type mean : {10, 40}) {
        for (const auto pattern : all_patterns) {
            expect_same({597, 1}, 0, mean, pattern);
        }
    }
}

}  // namespace
}  // namespace linden::test
