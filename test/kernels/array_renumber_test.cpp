#include "core/kernels/array.hpp"
#include "test/support/kernel_cases.hpp"

namespace linden::test {
namespace {

template <class I>
class ArrayRenumber : public testing::Test {
};
TYPED_TEST_SUITE(ArrayRenumber, decltype(detail::as_types(IndexTypes{})));

TYPED_TEST(ArrayRenumber, TakesNumbersFromAMap)
{
    using I = TypeParam;
    on_each_executor([](const Executor& exec) {
        const Array<I> map(exec, std::vector<I>{7, 5, -1, 0});
        Array<I> numbers(exec, std::vector<I>{3, 0, 0, 2, 1});
        array_renumber<I>(exec, 5, map.data(), numbers.data());
        EXPECT_EQ(numbers.to_host(), (std::vector<I>{0, 7, 7, -1, 5}));
        array_renumber<I>(exec, 0, nullptr, nullptr);
    });
}

TYPED_TEST(ArrayRenumber, ManyAsOneAfterTheOther)
{
    using I = TypeParam;
    Random random(3);
    std::vector<I> map(1000), numbers(70001), expected;
    for (auto& value : map) {
        value = static_cast<I>(random.integer(-5, 5000));
    }
    for (auto& number : numbers) {
        number = static_cast<I>(random.integer(0, 1000));
        expected.push_back(map[static_cast<std::size_t>(number)]);
    }
    on_each_executor([&](const Executor& exec) {
        const Array<I> on_exec(exec, map);
        Array<I> result(exec, numbers);
        array_renumber<I>(exec, result.size(), on_exec.data(), result.data());
        EXPECT_EQ(result.to_host(), expected);
    });
}

}  // namespace
}  // namespace linden::test
