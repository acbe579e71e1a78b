// needs: double int32
#include <linden/error.hpp>

#include "test/support/formats.hpp"

namespace linden::test {
namespace {

using I = std::int32_t;

template <class Types>
class SellOp : public testing::Test {
};
TYPED_TEST_SUITE(SellOp, TestedValueIndices, TypeNames);

TYPED_TEST(SellOp, IsTheMatrix)
{
    using Format = Sell<typename TypeParam::value_type, typename TypeParam::index_type>;
    expect_format_works<Format>();
    expect_format_works<Format>({.slice_rows = 64, .sigma = 128});
}

/// 64 rows, every second one with 3 entries, the others with one.
CsrData<double, I> alternating()
{
    CsrData<double, I> a{{64, 64}, {0}, {}, {}};
    for (I row = 0; row < 64; ++row) {
        for (I col = 0; col < (row % 2 == 0 ? 1 : 3); ++col) {
            a.col_idxs.push_back(col);
            a.values.push_back(1);
        }
        a.row_ptrs.push_back(static_cast<I>(a.values.size()));
    }
    return a;
}

TEST(Sell, SortsRowsInWindows)
{
    on_each_executor([](const Executor& exec) {
        const Csr<double, I> csr(exec, alternating());
        EXPECT_EQ((Sell<double, I>::from_csr(csr).num_entries()), 64 * 3);
        const auto sorted = Sell<double, I>::from_csr(csr, {.sigma = 64});
        EXPECT_EQ(sorted.num_entries(), 32 * 3 + 32);
        std::vector<I> order(64);
        copy_bytes(exec, sorted.view().layout.row_order, reference_executor(), order.data(), 64 * sizeof(I));
        for (I i = 0; i < 64; ++i) {
            EXPECT_EQ(order[static_cast<std::size_t>(i)], i < 32 ? 2 * i + 1 : 2 * (i - 32));
        }
    });
}

TEST(Sell, AdoptsMemory)
{
    on_each_executor([](const Executor& exec) {
        std::vector<I> cols(64, -1);
        std::vector<double> values(64, 7);
        cols[0] = 1;       // row 2, for it comes first
        cols[1] = 0;       // row 0
        cols[32 + 1] = 2;  // row 0
        Array<I> col_idxs(exec, cols), slice_ptrs(exec, std::vector<I>{0, 2}), order(exec, std::vector<I>{2, 0, 1});
        Array<double> value_array(exec, values);
        const auto a = sell_view<double, I>(exec, {3, 3}, 32, 2, slice_ptrs.data(), order.data(), col_idxs.data(),
                                            value_array.data());
        EXPECT_EQ(applied<double>(a), (std::vector<double>{28, 0, 14}));
        EXPECT_EQ(a.num_nonzeros(), 3);
        expect_same(a.to_csr().to_host(), {{3, 3}, {0, 2, 2, 3}, {0, 2, 1}, {7, 7, 7}});
    });
}

TEST(Sell, RefusesParameters)
{
    const Csr<double, I> csr(reference_executor(), alternating());
    for (const size_type slice_rows : {0, 16, 48, 2048}) {
        EXPECT_THROW((Sell<double, I>::from_csr(csr, {.slice_rows = slice_rows})), InvalidParameter) << slice_rows;
    }
    EXPECT_THROW((Sell<double, I>::from_csr(csr, {.sigma = 0})), InvalidParameter);
    EXPECT_THROW((Sell<double, I>::from_csr(csr, {.max_fill = -100})), InvalidParameter);
}

}  // namespace
}  // namespace linden::test
