#include "core/kernels/dense.hpp"
#include "test/support/kernel_cases.hpp"

namespace linden::test {
namespace {

template <class Types>
class DenseScatterRows : public testing::Test {
};
TYPED_TEST_SUITE(DenseScatterRows, TestedValueIndices, TypeNames);

TYPED_TEST(DenseScatterRows, ByHand)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    on_each_executor([](const Executor& exec) {
        const auto b = Dense<V>::from_rows(exec, {{V{1}, V{2}}, {V{3}, V{4}}});
        const Array<I> rows(exec, std::vector<I>{2, 0});
        auto x = Dense<V>::filled(exec, {3, 2}, V{9});
        dense_scatter_rows<V, I>(exec, rows.data(), b.view(), x.view());
        EXPECT_EQ(x.to_host(), (std::vector<V>{V{3}, V{4}, V{9}, V{9}, V{1}, V{2}}));
    });
}

TYPED_TEST(DenseScatterRows, LikeReference)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    Random random(112);
    for_each_shape([&](Dim size, size_type padding) {
        std::vector<I> rows(static_cast<std::size_t>(size.rows) + 5);
        std::iota(rows.begin(), rows.end(), I{0});
        for (std::size_t i = rows.size(); i-- > 1;) {
            std::swap(rows[i], rows[static_cast<std::size_t>(random.integer(0, static_cast<size_type>(i) + 1))]);
        }
        rows.resize(static_cast<std::size_t>(size.rows));
        Blocks<V> operands;
        operands.push_back(random_dense<V>(random, reference_executor(), size, padding));
        operands.push_back(random_dense<V>(random, reference_executor(), {size.rows + 5, size.cols}, padding));
        expect_like_reference(operands, 0, [&](const Executor& exec, Blocks<V>& x) {
            const Array<I> here(exec, rows);
            dense_scatter_rows<V, I>(exec, here.data(), std::as_const(x[0]).view(), x[1].view());
        });
    });
}

}  // namespace
}  // namespace linden::test
