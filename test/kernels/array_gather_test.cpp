#include "core/base/math.hpp"
#include "core/kernels/array.hpp"
#include "test/support/triangular_solves.hpp"

namespace linden::test {
namespace {

template <class Types>
class ArrayGather : public testing::Test {
};
TYPED_TEST_SUITE(ArrayGather, TestedValueIndices, TypeNames);

template <class S, class V, class I>
std::vector<S> gathered(const Executor& exec, const std::vector<I>& source, const std::vector<V>& values,
                        Conjugate conjugated)
{
    const auto num_nonzeros = static_cast<size_type>(source.size());
    const Array<I> from(exec, source);
    const Array<V> all(exec, values);
    Array<S> stored(exec, num_nonzeros);
    array_gather<V, S, I>(exec, num_nonzeros, from.data(), all.data(), stored.data(), conjugated);
    return stored.to_host();
}

TYPED_TEST(ArrayGather, ByHand)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    const std::vector<V> values{V{1}, number<V>(2, 3), V{-0.5}};
    on_each_executor([&](const Executor& exec) {
        for_each_storage<V>([&]<class S>() {
            const auto s = [](V x) { return static_cast<S>(x); };
            EXPECT_EQ(gathered<S>(exec, std::vector<I>{2, -1, 1, 1, 0}, values, Conjugate::no),
                      (std::vector<S>{s(V{-0.5}), s(V{0}), s(number<V>(2, 3)), s(number<V>(2, 3)), s(V{1})}));
            EXPECT_EQ(gathered<S>(exec, std::vector<I>{1}, values, Conjugate::yes),
                      (std::vector<S>{s(number<V>(2, -3))}));
            EXPECT_EQ(gathered<S>(exec, std::vector<I>{}, values, Conjugate::yes), std::vector<S>{});
        });
    });
}

/// Rounded to the nearest, bit for bit.
TYPED_TEST(ArrayGather, RandomValues)
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
            for (const auto conjugated : {Conjugate::no, Conjugate::yes}) {
                std::vector<S> expected;
                for (const I k : source) {
                    const V value = k < 0 ? V{} : values[k];
                    expected.push_back(static_cast<S>(conjugated == Conjugate::yes ? conj(value) : value));
                }
                on_each_executor([&](const Executor& exec) {
                    EXPECT_TRUE(gathered<S>(exec, source, values, conjugated) == expected);
                });
            }
        });
    }
}

/// From a storage type back, with the maps of formats.
TYPED_TEST(ArrayGather, FromStorage)
{
    using V = typename TypeParam::value_type;
    for_each_storage<V>([&]<class S>() {
        const std::vector<S> stored{static_cast<S>(V{2}), static_cast<S>(V{-0.5})};
        on_each_executor([&](const Executor& exec) {
            const Array<size_type> map(exec, std::vector<size_type>{1, -1, 0});
            const Array<S> source(exec, stored);
            Array<V> values(exec, 3);
            array_gather<S, V, size_type>(exec, 3, map.data(), source.data(), values.data(), Conjugate::no);
            EXPECT_EQ(values.to_host(), (std::vector<V>{V{-0.5}, V{}, V{2}}));
        });
    });
}

}  // namespace
}  // namespace linden::test
