#include "core/kernels/csr_values.hpp"
#include "test/support/kernel_cases.hpp"

namespace linden::test {
namespace {

template <class Types>
class ArrayGather : public testing::Test {
};
TYPED_TEST_SUITE(ArrayGather, TestedValueIndices, TypeNames);

template <class V, class I>
std::vector<V> gathered(const Executor& exec, const std::vector<I>& source, const std::vector<V>& values,
                        Conjugate conjugate)
{
    const Array<I> from(exec, source);
    const Array<V> in(exec, values);
    Array<V> out(exec, from.size());
    array_gather<V, I>(exec, from.size(), from.data(), in.data(), out.data(), conjugate);
    return out.to_host();
}

TYPED_TEST(ArrayGather, ByHand)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    const std::vector<V> values{number<V>(1, 2), number<V>(3, -4)};
    on_each_executor([&](const Executor& exec) {
        EXPECT_EQ((gathered<V, I>(exec, {1, -1, 0, 1}, values, Conjugate::no)),
                  (std::vector<V>{number<V>(3, -4), V{}, number<V>(1, 2), number<V>(3, -4)}));
        EXPECT_EQ((gathered<V, I>(exec, {1, -1, 0}, values, Conjugate::yes)),
                  (std::vector<V>{number<V>(3, 4), V{}, number<V>(1, -2)}));
    });
}

TYPED_TEST(ArrayGather, LikeReference)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    Random random(721);
    for (const auto n : tested_rows) {
        std::vector<I> source;
        std::vector<V> values;
        for (size_type k = 0; k < n; ++k) {
            source.push_back(static_cast<I>(random.integer(-1, n)));
            values.push_back(random.value<V>());
        }
        for (const auto conjugate : {Conjugate::no, Conjugate::yes}) {
            const auto expected = gathered(reference_executor(), source, values, conjugate);
            on_each_other_executor(
                [&](const Executor& exec) { EXPECT_EQ(gathered(exec, source, values, conjugate), expected); });
        }
    }
}

}  // namespace
}  // namespace linden::test
