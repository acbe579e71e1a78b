#include "core/base/math.hpp"
#include "test/support/triangular_solves.hpp"

namespace linden::test {
namespace {

template <class Types>
class TriangularGather : public testing::Test {
};
TYPED_TEST_SUITE(TriangularGather, TestedValueIndices, TypeNames);

template <class S, class V, class I>
std::vector<S> gathered(const Executor& exec, const std::vector<I>& source, const std::vector<V>& values,
                        bool conjugated)
{
    const auto num_nonzeros = static_cast<size_type>(source.size());
    const Array<I> from(exec, source);
    const Array<V> all(exec, values);
    Array<S> stored(exec, num_nonzeros);
    triangular_gather<V, S, I>(exec, num_nonzeros, from.data(), all.data(), conjugated, stored.data());
    return stored.to_host();
}

TYPED_TEST(TriangularGather, ByHand)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    const std::vector<V> values{V{1}, number<V>(2, 3), V{-0.5}};
    on_each_executor([&](const Executor& exec) {
        for_each_storage<V>([&]<class S>() {
            const auto s = [](V x) { return static_cast<S>(x); };
            EXPECT_EQ(gathered<S>(exec, std::vector<I>{2, -1, 1, 1, 0}, values, false),
                      (std::vector<S>{s(V{-0.5}), s(V{0}), s(number<V>(2, 3)), s(number<V>(2, 3)), s(V{1})}));
            EXPECT_EQ(gathered<S>(exec, std::vector<I>{1}, values, true), (std::vector<S>{s(number<V>(2, -3))}));
            EXPECT_EQ(gathered<S>(exec, std::vector<I>{}, values, true), std::vector<S>{});
        });
    });
}

/// Rounded to the nearest, bit for bit.
TYPED_TEST(TriangularGather, RandomValues)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    Random random(851);
    for (const size_type n : tested_rows) {
        std::vector<V> values;
        std::vector<I> source;
        for (size_type i = 0; i < n; ++i) {
            values.push_back(random.value<V>());
            source.push_back(static_cast<I>(random.integer(-1, n)));
        }
        for_each_storage<V>([&]<class S>() {
            for (const bool conjugated : {false, true}) {
                std::vector<S> expected;
                for (const I k : source) {
                    const V value = k < 0 ? V{} : values[k];
                    expected.push_back(static_cast<S>(conjugated ? conjugate(value) : value));
                }
                on_each_executor([&](const Executor& exec) {
                    EXPECT_TRUE(gathered<S>(exec, source, values, conjugated) == expected);
                });
            }
        });
    }
}

}  // namespace
}  // namespace linden::test
