#include "core/kernels/galerkin.hpp"
#include "test/support/galerkin.hpp"
#include "test/support/kernel_cases.hpp"

namespace linden::test {
namespace {

template <class V>
class GalerkinSubstitute : public testing::Test {
};
TYPED_TEST_SUITE(GalerkinSubstitute, TestedValues, TypeNames);

/// E = [4 2; 2 3] is one block, whose inverse stands there.
TYPED_TEST(GalerkinSubstitute, ByHand)
{
    using V = TypeParam;
    on_each_executor([](const Executor& exec) {
        const Array<V> factors(exec, {V(3. / 8), V(-1. / 4), V(-1. / 4), V(1. / 2)});
        const auto b = Dense<V>::from_rows(exec, {{V{8}, V{0}}, {V{4}, V{4}}});
        auto x = Dense<V>::filled(exec, {2, 2}, not_a_number<V>());
        galerkin_substitute<V>(exec, factors.data(), b.view(), x.view());
        EXPECT_EQ(x.to_host(), (std::vector<V>{V{2}, V{-1}, V{0}, V{2}}));
    });
}

/// What the inverse finds, also where vectors depend on others.
TYPED_TEST(GalerkinSubstitute, SolvesAsTheInverseDoes)
{
    using V = TypeParam;
    using W = wide_t<V>;
    Random random(963);
    for (const size_type k : {1, 31, 32, 33, 70, 130}) {
        for (const size_type every : {0, 11}) {
            SCOPED_TRACE(std::to_string(k) + " vectors");
            const auto e = random_galerkin<V>(random, k, every);
            const auto inverse = eliminated<V>(reference_executor(), e.values, e.scales, Elimination::inverse).values;
            const auto b = random_dense<V>(random, reference_executor(), {k, 3}, 1);
            const auto wide_b = as_wide(b);
            std::vector<W> expected(wide_b.size());
            for (size_type i = 0; i < k; ++i) {
                for (size_type col = 0; col < 3; ++col) {
                    for (size_type j = 0; j < k; ++j) {
                        expected[i * 3 + col] += inverse[i * k + j] * wide_b[j * 3 + col];
                    }
                }
            }
            on_each_executor([&](const Executor& exec) {
                const auto wide = eliminated<V>(exec, e.values, e.scales, Elimination::factors).values;
                std::vector<V> factors(wide.size());
                std::transform(wide.begin(), wide.end(), factors.begin(), [](W w) { return static_cast<V>(w); });
                const Array<V> on_exec(exec, factors);
                const auto rhs = b.copy(exec);
                Dense<V> x(exec, rhs.size());
                galerkin_substitute<V>(exec, on_exec.data(), rhs.view(), x.view());
                expect_close(as_wide(x), expected, sizeof(real_t<V>) == 4 ? 1e-4 : 1e-9);
            });
        }
    }
}

}  // namespace
}  // namespace linden::test
