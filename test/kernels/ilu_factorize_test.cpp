#include "test/support/factorizations.hpp"

namespace linden::test {
namespace {

template <class Types>
class IluFactorize : public testing::Test {
};
TYPED_TEST_SUITE(IluFactorize, TestedValueIndices, TypeNames);

template <class V, class I>
Factors<V> lu_on(const Executor& exec, const CsrData<V, I>& a)
{
    return factorized(ilu_factorize<V, I>, exec, a);
}

TYPED_TEST(IluFactorize, ByHand)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    // [2 1 . .; 4 5 3 .; . 6 8 1; 2+2i . . 4], or 2 there: entry (3, 1) is dropped
    const CsrData<V, I> a{{4, 4},
                          {0, 2, 5, 8, 10},
                          {0, 1, 0, 1, 2, 1, 2, 3, 0, 3},
                          {V{2}, V{1}, V{4}, V{5}, V{3}, V{6}, V{8}, V{1}, number<V>(2, 2), V{4}}};
    on_each_executor([&](const Executor& exec) {
        const auto f = lu_on(exec, a);
        EXPECT_EQ(f.values, (std::vector<V>{V{2}, V{1}, V{2}, V{3}, V{3}, V{2}, V{2}, V{1}, number<V>(1, 1), V{4}}));
        expect_same_report(f.report, PivotReport{});
    });
}

TYPED_TEST(IluFactorize, BadPivotsByHand)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    const V nan = not_a_number<V>();
    const V infinity{std::numeric_limits<real_t<V>>::infinity()};
    on_each_executor([&](const Executor& exec) {
        const auto expect = [&](const CsrData<V, I>& a, const std::vector<V>& values, PivotReport report) {
            const auto f = lu_on(exec, a);
            expect_near(f.values, values, 4);
            expect_same_report(f.report, report);
        };
        const auto full = [](const std::vector<V>& values) {
            return CsrData<V, I>{{2, 2}, {0, 2, 4}, {0, 1, 0, 1}, values};
        };
        expect(full({V{0}, V{3}, V{6}, V{1}}), {V{3}, V{3}, V{2}, V{-5}}, {1, 0});  // the norm of the row
        expect(full({V{1}, V{3}, V{4}, V{12}}), {V{1}, V{3}, V{4}, V{real_t<V>(std::sqrt(160.0))}}, {1, 1});
        expect(full({V{0}, V{0}, V{0}, V{0}}), {V{1}, V{0}, V{0}, V{1}}, {2, 0});
        expect(full({nan, V{2}, V{0}, V{1}}), {V{1}, V{2}, V{0}, V{1}}, {1, 0});
        expect(full({V{1}, V{0}, V{nan}, V{1}}), {V{1}, V{0}, nan, V{1}}, {1, 1});
        expect({{1, 1}, {0, 1}, {0}, {infinity}}, {V{1}}, {1, 0});
        expect({{0, 0}, {0}, {}, {}}, {}, {});
    });
}

TYPED_TEST(IluFactorize, SmallPivotsByHand)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    on_each_executor([](const Executor& exec) {
        expect_replaces_small_pivots<V, I>([&](const CsrData<V, I>& a) {
            return factorized(ilu_factorize<V, I>, exec, a, limits_of_small_pivots<real_t<V>>());
        });
    });
}

/// (L U)_ij = a_ij on the pattern.
TYPED_TEST(IluFactorize, ProductOnPattern)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    Random random(881);
    const auto lower = random_strict_pattern<I>(random, 60, Pattern::uniform, false);
    const auto a = dominant_matrix<V, I>(random, lower, 5);
    on_each_executor([&](const Executor& exec) {
        const auto f = lu_on(exec, a);
        Full<V> factors(CsrData<V, I>{a.size, a.row_ptrs, a.col_idxs, f.values});
        Full<V> product(a);
        for (size_type i = 0; i < 60; ++i) {
            for (size_type j = 0; j < 60; ++j) {
                product(i, j) = i <= j ? factors(i, j) : V{};
                for (size_type k = 0; k < i && k <= j; ++k) {
                    product(i, j) += factors(i, k) * factors(k, j);
                }
            }
        }
        expect_near(product.on_pattern(), a.values, 50);
    });
}

TYPED_TEST(IluFactorize, LikeDefinition)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    Random random(882);
    expect_factors_like_naive<V, I>(ilu_factorize<V, I>, naive_lu<V, I>, random, [&](const HostPattern<I>& lower) {
        return dominant_matrix<V, I>(random, lower, 4);
    });
}

TYPED_TEST(IluFactorize, LargeOnesLikeReference)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    Random random(883);
    expect_large_factors_like_reference<V, I>(ilu_factorize<V, I>, random, [&](const HostPattern<I>& lower) {
        return dominant_matrix<V, I>(random, lower, 4);
    });
}

}  // namespace
}  // namespace linden::test
