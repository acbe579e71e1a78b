#include "test/support/factorizations.hpp"

namespace linden::test {
namespace {

template <class Types>
class IluPrepareRows : public testing::Test {
};
TYPED_TEST_SUITE(IluPrepareRows, TestedValueIndices, TypeNames);

template <class V>
struct Prepared {
    std::vector<V> values;
    std::vector<real_t<V>> norms;
};

template <class V, class I>
Prepared<V> prepared(const Executor& exec, const CsrData<V, I>& a, real_t<V> shift)
{
    const PatternOn<I> pattern(exec, HostPattern<I>{a.size, a.row_ptrs, a.col_idxs});
    Array<I> diagonal(exec, a.size.rows);
    pattern_find_diagonal<I>(exec, pattern.view(), diagonal.data());
    Array<V> values(exec, a.values);
    Array<real_t<V>> norms(exec, a.size.rows);
    ilu_prepare_rows<V, I>(exec, pattern.view(), diagonal.data(), shift, values.data(), norms.data());
    return {values.to_host(), norms.to_host()};
}

TYPED_TEST(IluPrepareRows, ByHand)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    using R = real_t<V>;
    // [3 . 4; . . .; 2 . .; 0 0 -1+2i 2], or -1 there: rows without a diagonal have a norm all the same
    const CsrData<V, I> a{
        {4, 4}, {0, 2, 2, 3, 7}, {0, 2, 0, 0, 1, 2, 3}, {V{3}, V{4}, V{2}, V{0}, V{0}, number<V>(-1, 2), V{2}}};
    on_each_executor([&](const Executor& exec) {
        const R last = is_complex<V> ? R{3} : static_cast<R>(std::sqrt(5.0));
        const auto shifted = prepared(exec, a, R(0.5));
        expect_near(shifted.norms, {R{5}, R{0}, R{2}, last}, 4);
        expect_near(shifted.values, {V{5.5}, V{4}, V{2}, V{0}, V{0}, number<V>(-1, 2), V{2 + last / 2}}, 4);
        EXPECT_EQ(prepared(exec, a, R{0}).values, a.values);
        EXPECT_TRUE(prepared(exec, CsrData<V, I>{{0, 0}, {0}, {}, {}}, R{1}).norms.empty());
    });
}

/// In any units: squares are taken in double.
TYPED_TEST(IluPrepareRows, LargeAndSmallValues)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    using R = real_t<V>;
    for (const int exponent : {-100, 100}) {
        const R unit = std::ldexp(R{1}, exponent);
        const CsrData<V, I> a{{2, 2}, {0, 2, 3}, {0, 1, 1}, {V{3 * unit}, V{4 * unit}, number<V>(0, 2) * unit}};
        on_each_executor([&](const Executor& exec) {
            const R last = is_complex<V> ? 2 * unit : R{0};
            expect_near(prepared(exec, a, R{0}).norms, {5 * unit, last}, 4);
        });
    }
}

TYPED_TEST(IluPrepareRows, RandomRows)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    Random random(871);
    for (const size_type n : {1, 31, 32, 33, 597, 20000}) {
        for (const auto kind : all_patterns) {
            const auto a = random_csr<V, I>(random, {n, n}, n < 1000 ? 9 : 4, kind);
            const auto norms = row_norms(a);
            auto values = a.values;
            for (size_type row = 0; row < n; ++row) {
                for (I k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
                    values[k] += a.col_idxs[k] == row ? real_t<V>(0.25) * norms[row] : real_t<V>{0};
                }
            }
            on_each_executor([&](const Executor& exec) {
                const auto actual = prepared(exec, a, real_t<V>(0.25));
                expect_near(actual.norms, norms, summation_factor(n));
                expect_near(actual.values, values, summation_factor(n));
            });
        }
    }
}

}  // namespace
}  // namespace linden::test
