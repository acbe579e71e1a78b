#include "core/kernels/isai.hpp"
#include "test/support/kernel_cases.hpp"

namespace linden::test {
namespace {

template <class Types>
class IsaiCompleteDiagonal : public testing::Test {
};
TYPED_TEST_SUITE(IsaiCompleteDiagonal, TestedValueIndices, TypeNames);

template <class V, class I>
std::vector<V> completed(const Executor& exec, const std::vector<I>& diagonal, bool is_unit,
                         const std::vector<V>& values)
{
    const Array<I> at(exec, diagonal);
    Array<V> result(exec, values);
    isai_complete_diagonal<V, I>(exec, at.size(), at.data(), is_unit, result.data());
    return result.to_host();
}

TYPED_TEST(IsaiCompleteDiagonal, ByHand)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    const V imaginary = is_complex<V> ? number<V>(0, 2) : V{2};
    const std::vector<V> values{V{0}, V{3}, V{0}, imaginary, V{-4}};
    const std::vector<I> diagonal{2, 3, 4};
    on_each_executor([&](const Executor& exec) {
        EXPECT_EQ((completed<V, I>(exec, diagonal, false, values)),
                  (std::vector<V>{V{0}, V{3}, V{1}, imaginary, V{-4}}));
        EXPECT_EQ((completed<V, I>(exec, diagonal, true, values)), (std::vector<V>{V{0}, V{3}, V{1}, V{1}, V{1}}));
        EXPECT_EQ((completed<V, I>(exec, {}, true, values)), values);
        EXPECT_TRUE(is_nan(completed<V, I>(exec, {0}, false, {not_a_number<V>()})[0]));
    });
}

TYPED_TEST(IsaiCompleteDiagonal, LikeReference)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    Random random(612);
    for (const size_type n : tested_rows) {
        std::vector<V> values;
        std::vector<I> diagonal;
        for (size_type i = 0; i < 2 * n; ++i) {
            values.push_back(random.integer(0, 3) == 0 ? V{} : random.value<V>());
        }
        for (size_type i = 0; i < n; ++i) {
            diagonal.push_back(static_cast<I>(2 * i + random.integer(0, 2)));
        }
        for (const bool is_unit : {false, true}) {
            const auto expected = completed<V, I>(reference_executor(), diagonal, is_unit, values);
            on_each_other_executor([&](const Executor& exec) {
                EXPECT_TRUE(same_bits(completed<V, I>(exec, diagonal, is_unit, values), expected));
            });
        }
    }
}

}  // namespace
}  // namespace linden::test
