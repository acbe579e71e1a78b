#include "core/kernels/lanczos.hpp"
#include "test/support/kernel_cases.hpp"

/// The vector work of the Lanczos process.
namespace linden::test {
namespace {

template <class Types>
class Lanczos : public testing::Test {
};
TYPED_TEST_SUITE(Lanczos, TestedValues, TypeNames);

template <class V>
std::vector<V> start_on(const Executor& exec, size_type n, size_type first)
{
    Array<V> values(exec, std::vector<V>(static_cast<std::size_t>(n) + 1, V{-7}));
    lanczos_start<V>(exec, n, first, values.data());
    auto result = values.to_host();
    EXPECT_EQ(result.back(), V{-7});
    result.pop_back();
    return result;
}

TYPED_TEST(Lanczos, StartsByTheNumberOfTheRow)
{
    using V = TypeParam;
    const auto whole = start_on<V>(reference_executor(), 3000, 0);
    double least = 1, most = -1;
    for (const V value : whole) {
        least = std::min<double>(least, std::real(value));
        most = std::max<double>(most, std::real(value));
    }
    EXPECT_GE(least, -1);
    EXPECT_LT(least, -0.99);
    EXPECT_GT(most, 0.99);
    EXPECT_LE(most, 1);
    on_each_executor([&](const Executor& exec) {
        EXPECT_EQ(start_on<V>(exec, 3000, 0), whole);
        EXPECT_EQ(start_on<V>(exec, 100, 900), std::vector<V>(whole.begin() + 900, whole.begin() + 1000));
        EXPECT_EQ(start_on<V>(exec, 0, 5), std::vector<V>());
    });
}

TYPED_TEST(Lanczos, StepByHand)
{
    using V = TypeParam;
    on_each_executor([&](const Executor& exec) {
        // alpha = 6 / 3, beta = 6 / 12; imaginary parts of sums are rounding
        const Array<V> sums(exec, std::vector<V>{number<V>(6, 1), number<V>(3, 0), number<V>(12, 2)});
        const Array<V> inverse(exec, std::vector<V>{V{2}, V{4}}), q(exec, std::vector<V>{V{1}, number<V>(0, 2)});
        Array<V> r(exec, std::vector<V>{V{5}, V{7}}), z(exec, std::vector<V>{V{-7}, V{-7}});
        Array<V> p(exec, std::vector<V>{V{10}, V{20}});
        lanczos_residual<V>(exec, 2, inverse.data(), sums.data(), sums.data() + 1, q.data(), r.data(), z.data());
        const V second = V{7} - V{2} * number<V>(0, 2);
        EXPECT_EQ(r.to_host(), (std::vector<V>{V{3}, second}));
        EXPECT_EQ(z.to_host(), (std::vector<V>{V{6}, V{4} * second}));
        lanczos_direction<V>(exec, 2, sums.data() + 2, sums.data(), z.data(), p.data());
        EXPECT_EQ(p.to_host(), (std::vector<V>{V{11}, V{4} * second + V{10}}));
        lanczos_residual<V>(exec, 2, nullptr, sums.data(), sums.data() + 1, q.data(), r.data(), z.data());
        EXPECT_EQ(z.to_host(), r.to_host());
        EXPECT_EQ(r.to_host().front(), V{1});
    });
}

TYPED_TEST(Lanczos, LikeReference)
{
    using V = TypeParam;
    Random random(2201);
    for (const size_type n : {1, 31, 33, 597, 20000}) {
        const auto vector = [&] {
            std::vector<V> values;
            for (size_type i = 0; i < n; ++i) {
                values.push_back(random.value<V>());
            }
            return values;
        };
        const auto inverse = vector(), q = vector(), r = vector(), p = vector();
        const std::vector<V> sums{V{3}, V{7}, V{5}};
        const auto step_on = [&](const Executor& exec) {
            const Array<V> s(exec, sums), d(exec, inverse), product(exec, q);
            Array<V> residual(exec, r), direction(exec, p), z(exec, n);
            lanczos_residual<V>(exec, n, d.data(), s.data(), s.data() + 1, product.data(), residual.data(), z.data());
            lanczos_direction<V>(exec, n, s.data() + 2, s.data(), z.data(), direction.data());
            return std::vector{residual.to_host(), z.to_host(), direction.to_host()};
        };
        const auto expected = step_on(reference_executor());
        on_each_other_executor([&](const Executor& exec) {
            const auto actual = step_on(exec);
            for (std::size_t i = 0; i < expected.size(); ++i) {
                expect_near(actual[i], expected[i], 8, 4);
            }
        });
    }
}

}  // namespace
}  // namespace linden::test
