#include "core/kernels/array.hpp"
#include "test/support/kernel_cases.hpp"

namespace linden::test {
namespace {

template <class R>
class ArrayCopyStrided : public testing::Test {
};
TYPED_TEST_SUITE(ArrayCopyStrided, TestedReals, TypeNames);

TYPED_TEST(ArrayCopyStrided, ByHand)
{
    using R = TypeParam;
    on_each_executor([](const Executor& exec) {
        const Array<R> values(exec, std::vector<R>{1, 2, 3, 4, 5, 6});
        Array<R> out(exec, 3);
        array_copy_strided<R>(exec, 3, 2, values.data(), out.data());
        EXPECT_EQ(out.to_host(), (std::vector<R>{1, 3, 5}));
        array_copy_strided<R>(exec, 3, 1, values.data(), out.data());
        EXPECT_EQ(out.to_host(), (std::vector<R>{1, 2, 3}));
        array_copy_strided<R>(exec, 0, 2, nullptr, nullptr);
    });
}

}  // namespace
}  // namespace linden::test
