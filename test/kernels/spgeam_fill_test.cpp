#include "test/support/sparse_products.hpp"

namespace linden::test {
namespace {

template <class Types>
class SpgeamFill : public testing::Test {
};
TYPED_TEST_SUITE(SpgeamFill, TestedValueIndices, TypeNames);

TYPED_TEST(SpgeamFill, ByHand)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    // [x . x; . . .; . x .] and [. x x; . . .; . x .]
    const CsrData<V, I> a{{3, 3}, {0, 2, 2, 3}, {0, 2, 1}, std::vector<V>(3, V{1})};
    const CsrData<V, I> b{{3, 3}, {0, 2, 2, 3}, {1, 2, 1}, std::vector<V>(3, V{1})};
    on_each_executor([&](const Executor& exec) {
        const auto c = sum_on(exec, V{1}, V{1}, Pair<V, I>{a, b});
        EXPECT_EQ(c.col_idxs, (std::vector<I>{0, 1, 2, 1}));
    });
}

}  // namespace
}  // namespace linden::test
