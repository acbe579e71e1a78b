#include "test/support/sparse_products.hpp"

namespace linden::test {
namespace {

template <class Types>
class SpgemmFill : public testing::Test {
};
TYPED_TEST_SUITE(SpgemmFill, TestedValueIndices, TypeNames);

TYPED_TEST(SpgemmFill, ByHand)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    // [x . x; . . .; x x .] times [. x x .; x . . .; x . . x]
    const CsrData<V, I> a{{3, 3}, {0, 2, 2, 4}, {0, 2, 0, 1}, std::vector<V>(4, V{1})};
    const CsrData<V, I> b{{3, 4}, {0, 2, 3, 5}, {1, 2, 0, 0, 3}, std::vector<V>(5, V{1})};
    on_each_executor([&](const Executor& exec) {
        const auto c = product_pattern(Csr<V, I>(exec, a), Csr<V, I>(exec, b)).to_host();
        EXPECT_EQ(c.row_ptrs, (std::vector<I>{0, 4, 4, 7}));
        EXPECT_EQ(c.col_idxs, (std::vector<I>{0, 1, 2, 3, 0, 1, 2}));
    });
}

TYPED_TEST(SpgemmFill, LikeReference)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    Random random(302);
    for_each_product_case<V, I>(random, [](const Pair<V, I>& pair) {
        const auto pattern_on = [&](const Executor& exec) {
            return product_pattern(Csr<V, I>(exec, pair.a), Csr<V, I>(exec, pair.b)).to_host();
        };
        const auto expected = pattern_on(reference_executor());
        require_well_formed(expected);
        on_each_other_executor([&](const Executor& exec) {
            const auto actual = pattern_on(exec);
            EXPECT_EQ(actual.row_ptrs, expected.row_ptrs);
            EXPECT_EQ(actual.col_idxs, expected.col_idxs);
        });
    });
}

}  // namespace
}  // namespace linden::test
