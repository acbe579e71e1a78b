// needs: double int32
#include <linden/error.hpp>

#include "test/support/formats.hpp"

namespace linden::test {
namespace {

template <class Types>
class CooOp : public testing::Test {
};
TYPED_TEST_SUITE(CooOp, TestedValueIndices, TypeNames);

TYPED_TEST(CooOp, IsTheMatrix)
{
    expect_format_works<Coo<typename TypeParam::value_type, typename TypeParam::index_type>>();
}

TEST(Coo, AdoptsMemory)
{
    using I = std::int32_t;
    on_each_executor([](const Executor& exec) {
        Array<I> rows(exec, std::vector<I>{0, 0, 2});
        Array<I> cols(exec, std::vector<I>{0, 1, 1});
        Array<double> values(exec, std::vector<double>{1, 2, 3});
        const auto a = coo_view<double, I>(exec, {3, 2}, 3, rows.data(), cols.data(), values.data());
        EXPECT_EQ(a.view().values, values.data());
        EXPECT_EQ(applied<double>(a), (std::vector<double>{5, 0, 6}));
        expect_same(a.to_csr().to_host(), {{3, 2}, {0, 2, 2, 3}, {0, 1, 1}, {1, 2, 3}});
        EXPECT_THROW((Coo<double, I>(exec, {3, 2}, Array<I>(exec, 2), Array<I>(exec, 3), Array<double>(exec, 3))),
                     InvalidParameter);
    });
}

TEST(Coo, AllocatesNothingForOneColumn)
{
    using I = std::int32_t;
    Random random(44);
    const auto data = random_csr<double, I>(random, {3000, 3000}, 4);
    on_each_executor([&](const Executor& exec) {
        const auto a = Coo<double, I>::from_csr({exec, data});
        const auto b = Dense<double>::filled(exec, {3000, 1}, 1.0);
        Dense<double> x(exec, {3000, 1});
        const auto before = exec.counters().allocations;
        a.apply(b, x);
        a.apply(2.0, b, 1.0, x);
        EXPECT_EQ(exec.counters().allocations, before);
    });
}

}  // namespace
}  // namespace linden::test
