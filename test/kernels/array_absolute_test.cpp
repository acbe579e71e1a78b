#include "core/kernels/array.hpp"
#include "test/support/kernel_cases.hpp"

namespace linden::test {
namespace {

template <class V>
class ArrayAbsolute : public testing::Test {
};
TYPED_TEST_SUITE(ArrayAbsolute, TestedValues, TypeNames);

template <class V>
std::vector<V> magnitudes(const Executor& exec, const std::vector<V>& values)
{
    Array<V> here(exec, values);
    array_absolute<V>(exec, here.size(), here.data(), here.data());
    return here.to_host();
}

TYPED_TEST(ArrayAbsolute, ByHand)
{
    using V = TypeParam;
    on_each_executor([](const Executor& exec) {
        EXPECT_EQ(magnitudes<V>(exec, {V{-2}, V{}, V{3}, number<V>(-3, 4)}),
                  (std::vector<V>{V{2}, V{}, V{3}, is_complex<V> ? V{5} : V{3}}));
    });
}

// hypot of two libraries: 4 eps.
TYPED_TEST(ArrayAbsolute, LikeReference)
{
    using V = TypeParam;
    Random random(723);
    for (const auto n : tested_rows) {
        std::vector<V> values;
        for (size_type k = 0; k < n; ++k) {
            values.push_back(random.value<V>());
        }
        const auto expected = magnitudes(reference_executor(), values);
        on_each_other_executor([&](const Executor& exec) { expect_near(magnitudes(exec, values), expected, 4); });
    }
}

}  // namespace
}  // namespace linden::test
