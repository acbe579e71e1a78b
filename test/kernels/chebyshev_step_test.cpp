#include "core/kernels/chebyshev.hpp"

#include "test/support/kernel_cases.hpp"

namespace linden::test {
namespace {

template <class V>
class ChebyshevStep : public testing::Test {
};
TYPED_TEST_SUITE(ChebyshevStep, TestedValues, TypeNames);

template <class V>
Array<V> coefficients(const Executor& exec, double of_y, double of_x, double of_residual)
{
    return Array<V>(exec, std::vector<V>{number<V>(of_y, 0), number<V>(of_x, 0), number<V>(of_residual, 0)});
}

TYPED_TEST(ChebyshevStep, ByHand)
{
    using V = TypeParam;
    const auto nan = not_a_number<V>();
    on_each_executor([&](const Executor& exec) {
        const auto d = Dense<V>::from_rows(exec, {{V{2}}, {V{3}}});
        const auto b = Dense<V>::from_rows(exec, {{V{1}, number<V>(2, 1)}, {V{3}, V{4}}});
        const auto q = Dense<V>::from_rows(exec, {{V{2}, V{1}}, {V{1}, V{4}}});
        const auto y = Dense<V>::from_rows(exec, {{V{1}, V{0}}, {number<V>(0, 2), V{5}}});
        const auto stepped = [&](double of_x, V old, bool is_scaled) {
            const auto c = coefficients<V>(exec, 4, of_x, 10);
            auto x = Dense<V>::filled(exec, {2, 2}, old);
            chebyshev_step<V>(exec, c.data(), is_scaled ? d.view() : DenseView<const V>{}, b.view(), q.view(), y.view(),
                              x.view());
            return x.to_host();
        };
        EXPECT_EQ(stepped(0, nan, true), (std::vector<V>{V{-16}, number<V>(20, 20), number<V>(60, 8), V{20}}));
        EXPECT_EQ(stepped(0, nan, false), (std::vector<V>{V{-6}, number<V>(10, 10), number<V>(20, 8), V{20}}));
        EXPECT_EQ(stepped(-2, V{3}, false), (std::vector<V>{V{-12}, number<V>(4, 10), number<V>(14, 8), V{14}}));
    });
}

TYPED_TEST(ChebyshevStep, LikeReference)
{
    using V = TypeParam;
    Random random(471);
    for_each_shape([&](Dim size, size_type padding) {
        const auto operands = random_blocks<V>(random, 4, size, padding);
        const auto d = random_dense<V>(random, reference_executor(), {size.rows, 1}, 0);
        for (const bool is_scaled : {false, true}) {
            for (const double of_x : {0.0, -0.5}) {
                expect_like_reference(operands, 16, [&](const Executor& exec, Blocks<V>& blocks) {
                    const auto c = coefficients<V>(exec, 1.5, of_x, 0.75);
                    const auto here = d.copy(exec);
                    chebyshev_step<V>(exec, c.data(), is_scaled ? here.view() : DenseView<const V>{},
                                      std::as_const(blocks[0]).view(), std::as_const(blocks[1]).view(),
                                      std::as_const(blocks[2]).view(), blocks[3].view());
                });
            }
        }
    });
}

}  // namespace
}  // namespace linden::test
