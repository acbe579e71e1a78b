#include "core/kernels/dense.hpp"
#include "test/support/kernel_cases.hpp"

namespace linden::test {
namespace {

template <class Types>
class DenseGatherRows : public testing::Test {
};
TYPED_TEST_SUITE(DenseGatherRows, TestedValueIndices, TypeNames);

TYPED_TEST(DenseGatherRows, ByHand)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    on_each_executor([](const Executor& exec) {
        const auto b = Dense<V>::from_rows(exec, {{V{1}, V{2}}, {V{3}, V{4}}, {V{5}, V{6}}});
        const Array<I> rows(exec, std::vector<I>{2, 0, 2, 1});
        Dense<V> x(exec, {4, 2});
        dense_gather_rows<V, I>(exec, rows.data(), b.view(), x.view());
        EXPECT_EQ(x.to_host(), (std::vector<V>{V{5}, V{6}, V{1}, V{2}, V{5}, V{6}, V{3}, V{4}}));
    });
}

TYPED_TEST(DenseGatherRows, LikeReference)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    Random random(111);
    for_each_shape([&](Dim size, size_type padding) {
        std::vector<I> rows(static_cast<std::size_t>(size.rows));
        for (auto& row : rows) {
            row = static_cast<I>(random.integer(0, size.rows + 5));
        }
        Blocks<V> operands;
        operands.push_back(random_dense<V>(random, reference_executor(), {size.rows + 5, size.cols}, padding));
        operands.push_back(random_dense<V>(random, reference_executor(), size, padding));
        expect_like_reference(operands, 0, [&](const Executor& exec, Blocks<V>& x) {
            const Array<I> here(exec, rows);
            dense_gather_rows<V, I>(exec, here.data(), std::as_const(x[0]).view(), x[1].view());
        });
    });
}

}  // namespace
}  // namespace linden::test
