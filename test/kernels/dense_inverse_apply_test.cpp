#include "core/kernels/dense_inverse.hpp"
#include "test/support/kernel_cases.hpp"

namespace linden::test {
namespace {

template <class V>
class DenseInverseApply : public testing::Test {
};
TYPED_TEST_SUITE(DenseInverseApply, TestedValues, TypeNames);

/// Calls f.operator()<S>() for every type that values of V are stored in.
template <class V, class F>
void for_each_storage(F&& f)
{
    f.template operator()<V>();
    for_each_lower_storage<V>(f);
}

TYPED_TEST(DenseInverseApply, ByHand)
{
    using V = TypeParam;
    on_each_executor([](const Executor& exec) {
        for_each_storage<V>([&]<class S>() {
            const Array<S> w(exec, {S(1), S(2), S(0), S(-4)});
            const auto b = Dense<V>::from_rows(exec, {{V{8}, V{1}}, {V{4}, V{3}}});
            auto x = Dense<V>::filled(exec, {2, 2}, not_a_number<V>());
            dense_inverse_apply<V, S>(exec, {2, 2, 2, w.data()}, b.view(), x.view());
            EXPECT_EQ(x.to_host(), (std::vector<V>{V{16}, V{7}, V{-16}, V{-12}}));
        });
    });
}

/// Rows of whole vectors and not, from aligned places and not; one column and several, contiguous and with padding;
/// enough rows for several to a wave.
TYPED_TEST(DenseInverseApply, LikeReference)
{
    using V = TypeParam;
    Random random(972);
    for (const size_type n : {0, 1, 2, 31, 32, 33, 70, 130, 597}) {
        for (const size_type cols : {1, 2, 4, 5}) {
            for (const size_type padding : {0, 3}) {
                const auto stride = padding == 0 ? n : (n + 7) / 8 * 8;
                SCOPED_TRACE(std::to_string(n) + " rows, " + std::to_string(cols) + " columns, stride " +
                             std::to_string(stride));
                const auto blocks = random_blocks<V>(random, 2, {n, cols}, padding);
                std::vector<V> values(static_cast<std::size_t>(n * stride));
                std::generate(values.begin(), values.end(), [&] { return random.value<V>(); });
                for_each_storage<V>([&]<class S>() {
                    std::vector<S> stored(values.size());
                    std::transform(values.begin(), values.end(), stored.begin(),
                                   [](V value) { return static_cast<S>(value); });
                    expect_like_reference(blocks, summation_factor(n), [&](const Executor& exec, Blocks<V>& on_exec) {
                        const Array<S> w(exec, stored);
                        const Dense<V>& b = on_exec[0];
                        dense_inverse_apply<V, S>(exec, {n, n, stride, w.data()}, b.view(), on_exec[1].view());
                    });
                });
            }
        }
    }
}

}  // namespace
}  // namespace linden::test
