// needs: double int32
#include <linden/error.hpp>

#include "test/support/formats.hpp"

namespace linden::test {
namespace {

template <class Types>
class DiaOp : public testing::Test {
};
TYPED_TEST_SUITE(DiaOp, TestedValueIndices, TypeNames);

TYPED_TEST(DiaOp, IsTheMatrix)
{
    expect_format_works<Dia<typename TypeParam::value_type, typename TypeParam::index_type>>({.max_fill = 1000});
}

using I = std::int32_t;

TEST(Dia, HasTheDiagonalsWithEntries)
{
    on_each_executor([](const Executor& exec) {
        const Csr<double, I> csr(exec, three_by_four<double, I>());
        EXPECT_EQ((Dia<double, I>::count_diagonals(csr)), 5);
        const auto a = Dia<double, I>::from_csr(csr);
        std::vector<I> offsets(5);
        copy_bytes(exec, a.view().layout.offsets, reference_executor(), offsets.data(), 5 * sizeof(I));
        EXPECT_EQ(offsets, (std::vector<I>{-2, -1, 0, 1, 2}));
    });
}

TEST(Dia, GivesNoZerosBack)
{
    on_each_executor([](const Executor& exec) {
        const Csr<double, I> csr(exec, CsrData<double, I>{{2, 2}, {0, 2, 3}, {0, 1, 1}, {1, 0, 2}});
        expect_same(Dia<double, I>::from_csr(csr).to_csr().to_host(), {{2, 2}, {0, 1, 2}, {0, 1}, {1, 2}});
    });
}

TEST(Dia, RefusesTooMuchFillIn)
{
    Random random(43);
    const auto data = random_csr<double, I>(random, {600, 600}, 2);
    on_each_executor([&](const Executor& exec) {
        EXPECT_THROW((Dia<double, I>::from_csr(Csr<double, I>(exec, data))), InvalidParameter);
    });
}

}  // namespace
}  // namespace linden::test
