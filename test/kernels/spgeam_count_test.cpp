#include "test/support/sparse_products.hpp"

namespace linden::test {
namespace {

template <class Types>
class SpgeamCount : public testing::Test {
};
TYPED_TEST_SUITE(SpgeamCount, TestedValueIndices, TypeNames);

TYPED_TEST(SpgeamCount, ByHand)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    // [x . x; . . .; . x .] and [. x x; . . .; . x .]
    const CsrData<V, I> a{{3, 3}, {0, 2, 2, 3}, {0, 2, 1}, std::vector<V>(3, V{1})};
    const CsrData<V, I> b{{3, 3}, {0, 2, 2, 3}, {1, 2, 1}, std::vector<V>(3, V{1})};
    on_each_executor([&](const Executor& exec) {
        EXPECT_EQ(sum_row_ptrs(Csr<V, I>(exec, a), Csr<V, I>(exec, b)).to_host(), (std::vector<I>{0, 3, 3, 4}));
    });
}

}  // namespace
}  // namespace linden::test
