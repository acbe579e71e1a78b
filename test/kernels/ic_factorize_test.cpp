#include "test/support/factorizations.hpp"

namespace linden::test {
namespace {

template <class Types>
class IcFactorize : public testing::Test {
};
TYPED_TEST_SUITE(IcFactorize, TestedValueIndices, TypeNames);

template <class V, class I>
Factors<V> cholesky_on(const Executor& exec, const CsrData<V, I>& a)
{
    return factorized(ic_factorize<V, I>, exec, a);
}

TYPED_TEST(IcFactorize, ByHand)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    // L = [2 . . .; 1+i 3 . .; . -2 1 .; 1 2+i 1 2], for real types without i; A = L L^H, whose entry (2, 0) is dropped
    const V l10 = number<V>(1, 1), l31 = number<V>(2, 1);
    const CsrData<V, I> a{{4, 4},
                          {0, 1, 3, 5, 9},
                          {0, 0, 1, 1, 2, 0, 1, 2, 3},
                          {V{4}, number<V>(2, 2), is_complex<V> ? V{11} : V{10}, V{-6}, V{5}, V{2}, number<V>(7, 2),
                           number<V>(-3, -2), is_complex<V> ? V{11} : V{10}}};
    on_each_executor([&](const Executor& exec) {
        const auto f = cholesky_on(exec, a);
        expect_near(f.values, {V{2}, l10, V{3}, V{-2}, V{1}, V{1}, l31, V{1}, V{2}}, 4);
        expect_same_report(f.report, PivotReport{});
    });
}

TYPED_TEST(IcFactorize, BadPivotsByHand)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    using R = real_t<V>;
    const V nan = not_a_number<V>();
    on_each_executor([&](const Executor& exec) {
        const auto expect = [&](const std::vector<V>& values, const std::vector<V>& factors, PivotReport report) {
            const auto f = cholesky_on(exec, CsrData<V, I>{{2, 2}, {0, 1, 3}, {0, 0, 1}, values});
            expect_near(f.values, factors, 4);
            expect_same_report(f.report, report);
        };
        expect({V{1}, V{4}, V{3}}, {V{1}, V{4}, V{R(std::sqrt(5.0))}}, {1, 1});  // the root of the row's norm
        expect({V{1}, V{2}, V{4}}, {V{1}, V{2}, V{R(std::sqrt(std::sqrt(20.0)))}}, {1, 1});
        expect({V{-4}, V{2}, V{4}}, {V{2}, V{1}, V{R(std::sqrt(3.0))}}, {1, 0});
        expect({V{0}, V{0}, V{0}}, {V{1}, V{0}, V{1}}, {2, 0});
        expect({nan, V{0}, V{4}}, {V{1}, V{0}, V{2}}, {1, 0});
        expect({V{4}, nan, V{4}}, {V{2}, nan, V{1}}, {1, 1});
    });
}

/// A symmetric pattern's lower triangle, with the diagonal that dominates; random_hpd_csr is another kind.
TYPED_TEST(IcFactorize, LikeDefinition)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    Random random(891);
    expect_factors_like_naive<V, I>(ic_factorize<V, I>, naive_cholesky<V, I>, random, [&](const HostPattern<I>& lower) {
        return dominant_matrix<V, I>(random, lower, 0);
    });
    const auto a = lower_part(random_hpd_csr<V, I>(random, 80, 12));
    const auto expected = naive_cholesky(a);
    on_each_executor([&](const Executor& exec) { expect_same_factors(cholesky_on(exec, a), expected, 50); });
}

TYPED_TEST(IcFactorize, LargeOnesLikeReference)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    Random random(892);
    expect_large_factors_like_reference<V, I>(ic_factorize<V, I>, random, [&](const HostPattern<I>& lower) {
        return dominant_matrix<V, I>(random, lower, 0);
    });
}

}  // namespace
}  // namespace linden::test
