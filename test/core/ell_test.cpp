// needs: double int32
#include <linden/error.hpp>

#include "test/support/formats.hpp"

namespace linden::test {
namespace {

template <class Types>
class EllOp : public testing::Test {
};
TYPED_TEST_SUITE(EllOp, TestedValueIndices, TypeNames);

TYPED_TEST(EllOp, IsTheMatrix)
{
    expect_format_works<Ell<typename TypeParam::value_type, typename TypeParam::index_type>>();
}

TEST(Ell, IsAsWideAsTheLongestRow)
{
    on_each_executor([](const Executor& exec) {
        const auto a = Ell<double, std::int32_t>::from_csr({exec, three_by_four<double, std::int32_t>()});
        EXPECT_EQ(a.width(), 3);
        EXPECT_EQ(a.num_entries(), 3 * 32);
    });
}

TEST(Ell, RefusesTooMuchPadding)
{
    Random random(42);
    const auto data = random_csr<double, std::int32_t>(random, {900, 900}, 1, Pattern::dense_row);
    on_each_executor([&](const Executor& exec) {
        const Csr<double, std::int32_t> csr(exec, data);
        try {
            (void)Ell<double, std::int32_t>::from_csr(csr);
            ADD_FAILURE() << "no exception";
        } catch (const InvalidParameter& e) {
            EXPECT_EQ(e.name, "max_fill");
            EXPECT_NE(e.allowed.find("810000 entries"), std::string::npos) << e.what();
        }
        EXPECT_EQ((Ell<double, std::int32_t>::from_csr(csr, {.max_fill = 1e6}).width()), 900);
    });
}

TEST(Ell, RefusesArraysThatDoNotFit)
{
    const auto exec = reference_executor();
    const auto make = [&](size_type width, size_type stride, size_type length) {
        return Ell<double, std::int32_t>(exec, {3, 3}, width, stride, Array<std::int32_t>(exec, length),
                                         Array<double>(exec, length));
    };
    EXPECT_THROW(make(2, 2, 4), InvalidParameter);
    EXPECT_THROW(make(2, 3, 5), InvalidParameter);
    EXPECT_NO_THROW(make(2, 3, 6));
}

}  // namespace
}  // namespace linden::test
