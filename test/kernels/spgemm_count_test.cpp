#include "test/support/sparse_products.hpp"

namespace linden::test {
namespace {

template <class Types>
class SpgemmCount : public testing::Test {
};
TYPED_TEST_SUITE(SpgemmCount, TestedValueIndices, TypeNames);

TYPED_TEST(SpgemmCount, ByHand)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    // [x . x; . . .; . x .] times [x x . .; . . . .; . x . x]
    const CsrData<V, I> a{{3, 3}, {0, 2, 2, 3}, {0, 2, 1}, std::vector<V>(3, V{1})};
    const CsrData<V, I> b{{3, 4}, {0, 2, 2, 4}, {0, 1, 1, 3}, std::vector<V>(4, V{1})};
    on_each_executor([&](const Executor& exec) {
        EXPECT_EQ(product_row_ptrs(Csr<V, I>(exec, a), Csr<V, I>(exec, b)).to_host(), (std::vector<I>{0, 3, 3, 3}));
    });
}

TYPED_TEST(SpgemmCount, LikeReference)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    Random random(301);
    for_each_product_case<V, I>(random, [](const Pair<V, I>& pair) {
        const auto count_on = [&](const Executor& exec) {
            return product_row_ptrs(Csr<V, I>(exec, pair.a), Csr<V, I>(exec, pair.b)).to_host();
        };
        const auto expected = count_on(reference_executor());
        on_each_other_executor([&](const Executor& exec) { EXPECT_EQ(count_on(exec), expected); });
    });
}

}  // namespace
}  // namespace linden::test
