// needs: double int32
#include <linden/error.hpp>

#include "test/support/formats.hpp"

namespace linden::test {
namespace {

using I = std::int32_t;

template <class V>
class CompactSellOp : public testing::Test {
};
TYPED_TEST_SUITE(CompactSellOp, TestedValues, TypeNames);

TYPED_TEST(CompactSellOp, IsTheMatrix)
{
    using Format = CompactSell<TypeParam>;
    for (const int bits : {16, 32}) {
        for (const auto storage : {StoragePrecision::same, StoragePrecision::single, StoragePrecision::half}) {
            SCOPED_TRACE(std::to_string(bits) + " bits, storage " + std::to_string(static_cast<int>(storage)));
            if (!is_complex<TypeParam> || storage != StoragePrecision::half) {
                expect_format_works<Format>({.storage = storage, .index_bits = bits, .sigma = 64});
            }
        }
    }
}

TYPED_TEST(CompactSellOp, RefusesParameters)
{
    using Format = CompactSell<TypeParam>;
    const Csr<TypeParam, I> csr(reference_executor(), three_by_four<TypeParam, I>());
    EXPECT_THROW(Format::from_csr(csr, {.index_bits = 8}), InvalidParameter);
    EXPECT_THROW(Format::from_csr(csr, {.slice_rows = 33}), InvalidParameter);
    if (is_complex<TypeParam>) {
        EXPECT_THROW(Format::from_csr(csr, {.storage = StoragePrecision::half}), InvalidParameter);
    }
}

TEST(CompactSell, RoundsValues)
{
    on_each_executor([](const Executor& exec) {
        const Csr<double, I> csr(exec, CsrData<double, I>{{2, 1}, {0, 1, 2}, {0, 0}, {1.0 / 3, 1e6}});
        const auto half = CompactSell<double>::from_csr(csr, {.storage = StoragePrecision::half});
        EXPECT_EQ(applied<double>(half),
                  (std::vector<double>{0.333251953125, std::numeric_limits<double>::infinity()}));
        const auto single = CompactSell<double>::from_csr(csr, {.storage = StoragePrecision::single});
        EXPECT_EQ(applied<double>(single), (std::vector<double>{static_cast<double>(1.0f / 3), 1e6}));
        EXPECT_EQ(single.matrix_bytes(), 32u * (4 + 2));
        EXPECT_EQ(single.to_csr().to_host().values[0], static_cast<double>(1.0f / 3));
    });
}

/// Row 0 has column 0, row 40 (in the second slice) column 7, row 41 column 7 + span.
CsrData<double, I> spanning(I span)
{
    CsrData<double, I> a{{64, 100000}, std::vector<I>(65, 3), {0, 7, 7 + span}, {1, 2, 3}};
    a.row_ptrs[0] = 0;
    std::fill(a.row_ptrs.begin() + 1, a.row_ptrs.begin() + 41, 1);
    a.row_ptrs[41] = 2;
    return a;
}

TEST(CompactSell, KnowsWhat16BitsHold)
{
    on_each_executor([](const Executor& exec) {
        const Csr<double, I> fits(exec, spanning(65534));
        EXPECT_TRUE(CompactSell<double>::fits16(fits));
        const auto a = CompactSell<double>::from_csr(fits);
        expect_same(a.to_csr().to_host(), spanning(65534));
        EXPECT_EQ(applied<double>(a), applied<double>(fits));

        const Csr<double, I> wide(exec, spanning(65535));
        EXPECT_FALSE(CompactSell<double>::fits16(wide));
        EXPECT_EQ(applied<double>(CompactSell<double>::from_csr(wide, {.index_bits = 32})), applied<double>(wide));
        try {
            (void)CompactSell<double>::from_csr(wide);
            ADD_FAILURE() << "no exception";
        } catch (const InvalidParameter& e) {
            EXPECT_EQ(e.name, "index_bits");
            EXPECT_NE(e.allowed.find("row 41"), std::string::npos) << e.what();
            EXPECT_NE(e.allowed.find("65535 columns"), std::string::npos) << e.what();
        }
    });
}

}  // namespace
}  // namespace linden::test
