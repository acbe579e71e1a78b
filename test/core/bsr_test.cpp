// needs: double int32
#include <linden/error.hpp>

#include "test/support/formats.hpp"

namespace linden::test {
namespace {

template <class Types>
class BsrOp : public testing::Test {
};
TYPED_TEST_SUITE(BsrOp, TestedValueIndices, TypeNames);

TYPED_TEST(BsrOp, IsTheMatrix)
{
    for (const size_type block_size : {2, 3, 8}) {
        expect_format_works<Bsr<typename TypeParam::value_type, typename TypeParam::index_type>>(
            {.block_size = block_size, .max_fill = 100});
    }
}

using I = std::int32_t;

TEST(Bsr, HasTheBlocksWithEntries)
{
    on_each_executor([](const Executor& exec) {
        const auto a = Bsr<double, I>::from_csr({exec, three_by_four<double, I>()}, {.block_size = 2});
        EXPECT_EQ(a.num_blocks(), 4);
        std::vector<I> cols(4);
        copy_bytes(exec, a.view().layout.col_idxs, reference_executor(), cols.data(), 4 * sizeof(I));
        EXPECT_EQ(cols, (std::vector<I>{0, 1, 0, 1}));
    });
}

TEST(Bsr, RefusesBlocksAndFillIn)
{
    CsrData<double, I> diagonal{{2000, 2000}, {0}, {}, {}};
    for (I i = 0; i < 2000; ++i) {
        diagonal.row_ptrs.push_back(i + 1);
        diagonal.col_idxs.push_back(i);
        diagonal.values.push_back(1);
    }
    on_each_executor([&](const Executor& exec) {
        const Csr<double, I> csr(exec, diagonal);
        EXPECT_THROW((Bsr<double, I>::from_csr(csr, {.block_size = 1})), InvalidParameter);
        EXPECT_THROW((Bsr<double, I>::from_csr(csr, {.block_size = 9})), InvalidParameter);
        EXPECT_THROW((Bsr<double, I>::from_csr(csr, {.block_size = 8, .max_fill = 4})), InvalidParameter);
        EXPECT_NO_THROW((Bsr<double, I>::from_csr(csr, {.block_size = 8})));
    });
}

}  // namespace
}  // namespace linden::test
