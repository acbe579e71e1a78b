#include "core/kernels/formats.hpp"
#include "test/support/kernel_cases.hpp"

namespace linden::test {
namespace {

template <class R>
class FormatsTakeEvery : public testing::Test {
};
TYPED_TEST_SUITE(FormatsTakeEvery, TestedReals, TypeNames);

TYPED_TEST(FormatsTakeEvery, ByHand)
{
    using R = TypeParam;
    on_each_executor([](const Executor& exec) {
        const Array<R> values(exec, std::vector<R>{1, 2, 3, 4, 5, 6});
        Array<R> out(exec, 3);
        formats_take_every<R>(exec, 3, 2, values.data(), out.data());
        EXPECT_EQ(out.to_host(), (std::vector<R>{1, 3, 5}));
        formats_take_every<R>(exec, 3, 1, values.data(), out.data());
        EXPECT_EQ(out.to_host(), (std::vector<R>{1, 2, 3}));
        formats_take_every<R>(exec, 0, 2, nullptr, nullptr);
    });
}

}  // namespace
}  // namespace linden::test
