#include "core/kernels/dense_inverse.hpp"
#include "test/support/kernel_cases.hpp"

namespace linden::test {
namespace {

template <class V>
class DenseInverseRound : public testing::Test {
};
TYPED_TEST_SUITE(DenseInverseRound, TestedValues, TypeNames);

/// Column j is column positions[j] of the values; the padding stays.
TYPED_TEST(DenseInverseRound, ByHand)
{
    using V = TypeParam;
    on_each_executor([](const Executor& exec) {
        const Array<wide_t<V>> values(exec, {1, 2, 3, 4, 5, 6, 7, 8, 9});
        const Array<std::int32_t> positions(exec, {2, 0, 1});
        const auto rounded = [&]<class S>(const std::vector<std::int32_t>& kept) {
            const Array<std::int32_t> is_kept(exec, kept);
            Array<S> stored(exec, std::vector<S>(12, S(-1)));
            dense_inverse_round<V, S>(exec, {3, values.data(), is_kept.data(), positions.data()}, 4, stored.data());
            std::vector<V> result;
            for (const S value : stored.to_host()) {
                result.push_back(static_cast<V>(value));
            }
            return result;
        };
        const std::vector<V> all{V{3}, V{1}, V{2}, V{-1}, V{6}, V{4}, V{5}, V{-1}, V{9}, V{7}, V{8}, V{-1}};
        EXPECT_EQ(rounded.template operator()<V>({1, 1, 1}), all);
        for_each_lower_storage<V>([&]<class S>() { EXPECT_EQ(rounded.template operator()<S>({1, 1, 1}), all); });
        EXPECT_EQ(rounded.template operator()<V>({1, 0, 1}),
                  (std::vector<V>{V{3}, V{1}, V{}, V{-1}, V{}, V{}, V{}, V{-1}, V{9}, V{7}, V{}, V{-1}}));
    });
}

}  // namespace
}  // namespace linden::test
