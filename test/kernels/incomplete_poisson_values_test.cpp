#include "core/kernels/incomplete_poisson.hpp"
#include "test/support/kernel_cases.hpp"

namespace linden::test {
namespace {

template <class Types>
class IncompletePoissonValues : public testing::Test {
};
TYPED_TEST_SUITE(IncompletePoissonValues, TestedValueIndices, TypeNames);

/// The values on the pattern of `p`, e = 1 / diagonal of `a`.
template <class V, class I>
std::vector<V> values_of(const Executor& exec, const CsrData<V, I>& a, const std::vector<V>& e, const CsrData<V, I>& p,
                         bool is_scaled, double threshold)
{
    const Csr<V, I> matrix(exec, a), pattern(exec, p);
    const Array<V> inverse(exec, e);
    Array<V> result(exec, pattern.num_nonzeros());
    incomplete_poisson_values<V, I>(exec, matrix.view(), matrix.values(), inverse.data(), pattern.view(), is_scaled,
                                    threshold, result.data());
    return result.to_host();
}

/// A = [4 . .; 2+i 1 .; -1 3 2] and an upper triangle that nobody reads. With s = L E L^H, E = (1/4, 1, 1/2):
/// s_11 = |2+i|^2 / 4, s_21 = -(2-i) / 4, s_22 = 1/4 + 9.
TYPED_TEST(IncompletePoissonValues, ByHand)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    const V x = not_a_number<V>();
    const CsrData<V, I> a{
        {3, 3}, {0, 3, 6, 9}, {0, 1, 2, 0, 1, 2, 0, 1, 2}, {V{4}, x, x, number<V>(2, 1), V{1}, x, V{-1}, V{3}, V{2}}};
    const std::vector<V> e{V{real_t<V>(0.25)}, V{1}, V{real_t<V>(0.5)}};
    const double square = is_complex<V> ? 5 : 4;
    const V zero{}, scaled_20 = number<V>(0.125, 0), plain_20 = number<V>(0.25, 0);
    on_each_executor([&](const Executor& exec) {
        const auto scaled = [&](V v20) {
            return std::vector<V>{number<V>(0.25, 0),           number<V>(-0.5, 0.25),    v20, number<V>(-0.5, -0.25),
                                  number<V>(1 + square / 4, 0), number<V>(-1.75, -0.125), v20, number<V>(-1.75, 0.125),
                                  number<V>(2.8125, 0)};
        };
        const auto plain = [&](V v20) {
            return std::vector<V>{V{1},
                                  number<V>(-0.5, 0.25),
                                  v20,
                                  number<V>(-0.5, -0.25),
                                  number<V>(1 + square / 16, 0),
                                  number<V>(-3.125, -0.0625),
                                  v20,
                                  number<V>(-3.125, 0.0625),
                                  number<V>(10.0625, 0)};
        };
        EXPECT_EQ((values_of<V, I>(exec, a, e, a, true, 0)), scaled(scaled_20));
        EXPECT_EQ((values_of<V, I>(exec, a, e, a, false, 0)), plain(plain_20));
        // Between the factors E^1/2 the entry is 0.125 sqrt(8) = 0.35.
        EXPECT_EQ((values_of<V, I>(exec, a, e, a, true, 0.3)), scaled(scaled_20));
        EXPECT_EQ((values_of<V, I>(exec, a, e, a, true, 0.4)), scaled(zero));
        EXPECT_EQ((values_of<V, I>(exec, a, e, a, false, 0.2)), plain(plain_20));
        EXPECT_EQ((values_of<V, I>(exec, a, e, a, false, 0.3)), plain(zero));
        // Entries that A has not, and not all that it has.
        const CsrData<V, I> sparse{{3, 3}, {0, 1, 2, 3}, {0, 0, 2}, {V{4}, V{2}, V{2}}};
        const CsrData<V, I> p{{3, 3}, {0, 1, 3, 4}, {1, 1, 2, 1}, {V{}, V{}, V{}, V{}}};
        EXPECT_EQ((values_of<V, I>(exec, sparse, e, p, true, 0)), (std::vector<V>{number<V>(-0.5, 0), V{2}, V{}, V{}}));
    });
}

TYPED_TEST(IncompletePoissonValues, LikeReference)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    Random random(451);
    for (const size_type rows : {0, 1, 33, 597}) {
        for (const auto pattern : all_patterns) {
            const auto a = random_csr<V, I>(random, {rows, rows}, 4, pattern);
            const auto p = random_csr<V, I>(random, {rows, rows}, 4, Pattern::uniform);
            std::vector<V> e(static_cast<std::size_t>(rows));
            for (auto& value : e) {
                value = random.value<V>();
            }
            for (const bool is_scaled : {false, true}) {
                for (const auto& on : {a, p}) {
                    const auto expected = values_of<V, I>(reference_executor(), a, e, on, is_scaled, 0.25);
                    on_each_other_executor([&](const Executor& exec) {
                        expect_near(values_of<V, I>(exec, a, e, on, is_scaled, 0.25), expected, 64,
                                    std::max(1.0, scale_of(expected)));
                    });
                }
            }
        }
    }
}

}  // namespace
}  // namespace linden::test
