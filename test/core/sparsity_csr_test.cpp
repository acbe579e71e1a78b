// needs: double int32
#include <linden/error.hpp>

#include "test/support/formats.hpp"

namespace linden::test {
namespace {

template <class Types>
class SparsityCsrOp : public testing::Test {
};
TYPED_TEST_SUITE(SparsityCsrOp, TestedValueIndices, TypeNames);

TYPED_TEST(SparsityCsrOp, IsTheMatrix)
{
    using V = typename TypeParam::value_type;
    expect_format_works<SparsityCsr<V, typename TypeParam::index_type>>({}, V{3});
}

TEST(SparsityCsr, HasOneValue)
{
    using I = std::int32_t;
    on_each_executor([](const Executor& exec) {
        const Csr<double, I> csr(exec, three_by_four<double, I>());
        try {
            (void)SparsityCsr<double, I>::from_csr(csr);
            ADD_FAILURE() << "no exception";
        } catch (const InvalidParameter& e) {
            EXPECT_EQ(e.value, "4 entries that differ from the first");
        }
        const auto a = SparsityCsr<double, I>::with_value(csr, 0.5);
        EXPECT_EQ(a.value(), 0.5);
        EXPECT_EQ(applied<double>(a), (std::vector<double>{2, 0, 3.5}));
        EXPECT_EQ(a.to_csr().to_host().values, std::vector<double>(5, 0.5));
    });
}

}  // namespace
}  // namespace linden::test
