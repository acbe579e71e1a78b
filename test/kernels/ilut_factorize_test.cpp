#include "test/support/threshold_cases.hpp"

namespace linden::test {
namespace {

template <class Types>
class IlutFactorize : public testing::Test {
};
TYPED_TEST_SUITE(IlutFactorize, TestedValueIndices, TypeNames);

/// ILUT as in [Saad03, 10.4.1], on rows that keep their columns in order.
template <class V, class I>
ThresholdResult<V, I> naive_ilut(const CsrData<V, I>& a, ThresholdRule rule, real_t<V> shift = 0)
{
    auto f = map_rows(a);
    PivotReport report;
    for (std::size_t r = 0; r < f.size(); ++r) {
        const auto i = static_cast<size_type>(r);
        const auto norm = static_cast<real_t<V>>(norm2(f[r]));
        auto row = f[r];
        row[i] += shift * norm;
        for (auto at = row.begin(); at->first < i;) {
            const auto& pivot_row = f[static_cast<std::size_t>(at->first)];
            const auto pivot = pivot_row.find(at->first);
            at->second = at->second / pivot->second;
            if (std::abs(at->second) < rule.tolerance * norm) {
                at = row.erase(at);
                continue;
            }
            std::for_each(std::next(pivot), pivot_row.end(),
                          [&](const auto& u) { row[u.first] -= multiply(at->second, u.second); });
            ++at;
        }
        if (!(std::abs(row[i]) > std::numeric_limits<real_t<V>>::epsilon() * norm)) {
            row[i] = norm > 0 ? norm : 1;
            report.first_row = report.num_bad++ == 0 ? i : report.first_row;
        }
        f[r] = limited(row, i, rule, norm);
    }
    return {csr_from_maps<V, I>(f), report};
}

TYPED_TEST(IlutFactorize, ByHand)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    // [2 1 0 0; 4 4 2 0; 0 2 6 3; 2 0 0 8]: L = [1; 2 1; 0 1 1; 1 -1/2 1/4 1], U = [2 1 0 0; 2 2 0; 4 3; 29/4].
    const CsrData<V, I> a{{4, 4},
                          {0, 2, 5, 8, 10},
                          {0, 1, 0, 1, 2, 1, 2, 3, 0, 3},
                          {V{2}, V{1}, V{4}, V{4}, V{2}, V{2}, V{6}, V{3}, V{2}, V{8}}};
    on_each_executor([&](const Executor& exec) {
        const auto exact = factorize(ilut_factorize<V, I>, exec, a, {4, 0});
        EXPECT_EQ(exact.report.num_bad, 0);
        EXPECT_EQ(exact.report.first_row, PivotReport{}.first_row);
        EXPECT_EQ(exact.f.row_ptrs, (std::vector<I>{0, 2, 5, 8, 12}));
        EXPECT_EQ(exact.f.col_idxs, (std::vector<I>{0, 1, 0, 1, 2, 1, 2, 3, 0, 1, 2, 3}));
        EXPECT_EQ(exact.f.values,
                  (std::vector<V>{V{2}, V{1}, V{2}, V{2}, V{2}, V{1}, V{4}, V{3}, V{1}, V{-0.5}, V{0.25}, V{7.25}}));
        // One entry on each side: of row 3's multipliers 1, -1/2 and 1/4, which are all used, the largest stays.
        const auto one = factorize(ilut_factorize<V, I>, exec, a, {1, 0});
        EXPECT_EQ(one.f.row_ptrs, (std::vector<I>{0, 2, 5, 8, 10}));
        EXPECT_EQ(one.f.col_idxs, (std::vector<I>{0, 1, 0, 1, 2, 1, 2, 3, 0, 3}));
        EXPECT_EQ(one.f.values, (std::vector<V>{V{2}, V{1}, V{2}, V{2}, V{2}, V{1}, V{4}, V{3}, V{1}, V{7.25}}));
        // ||a_3|| = sqrt(68): in row 3 the multiplier -1/2 is below 0.07 ||a_3||, and is not used.
        const auto dropped = factorize(ilut_factorize<V, I>, exec, a, {4, 0.07});
        EXPECT_EQ(dropped.f.row_ptrs, (std::vector<I>{0, 2, 5, 8, 10}));
        EXPECT_EQ(dropped.f.values, (std::vector<V>{V{2}, V{1}, V{2}, V{2}, V{2}, V{1}, V{4}, V{3}, V{1}, V{8}}));
        const auto diagonal = factorize(ilut_factorize<V, I>, exec, a, {0, 0});
        EXPECT_EQ(diagonal.f.col_idxs, (std::vector<I>{0, 1, 2, 3}));
        EXPECT_EQ(diagonal.f.values, (std::vector<V>{V{2}, V{4}, V{6}, V{8}}));
    });
}

TYPED_TEST(IlutFactorize, BadPivotsAndShifts)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    const V nan = not_a_number<V>();
    // [0 3 .; 1 . 4; . . .; nan . . 1] of 4 columns: rows 0 and 1 without a pivot at first, row 2 with nothing.
    const CsrData<V, I> a{{4, 4}, {0, 2, 4, 4, 6}, {0, 1, 0, 2, 0, 3}, {V{0}, V{3}, V{1}, V{4}, nan, V{1}}};
    on_each_executor([&](const Executor& exec) {
        const auto result = factorize(ilut_factorize<V, I>, exec, a, {4, 0});
        EXPECT_EQ(result.report.num_bad, 3);  // 0, 2 and 3
        EXPECT_EQ(result.report.first_row, 0);
        EXPECT_EQ(result.f.row_ptrs, (std::vector<I>{0, 2, 5, 6, 10}));
        EXPECT_EQ(result.f.col_idxs, (std::vector<I>{0, 1, 0, 1, 2, 2, 0, 1, 2, 3}));
        const real_t<V> third = V{1} == V{1} ? real_t<V>{1} / 3 : 0;
        const std::vector<V> first(result.f.values.begin(), result.f.values.begin() + 6);
        EXPECT_EQ(first, (std::vector<V>{V{3}, V{3}, V{third}, V{-third * 3}, V{4}, V{1}}));
        EXPECT_EQ(result.f.values.back(), V{1});  // the norm is not a number
        EXPECT_TRUE(is_nan(result.f.values[6]));
        // What is not a number counts as infinite.
        const auto limited_rows = factorize(ilut_factorize<V, I>, exec, a, {1, 0});
        EXPECT_EQ(limited_rows.f.col_idxs, (std::vector<I>{0, 1, 0, 1, 2, 2, 0, 3}));
        // 0 + 2 * 3
        EXPECT_EQ(factorize(ilut_factorize<V, I>, exec, a, {1, 0}, 2).f.values.front(), V{6});
    });
    for (const auto& tiny : {pathological::zero_diagonal<V, I>(), pathological::missing_diagonal<V, I>(),
                             pathological::rank_one<V, I>(), pathological::without_entries<V, I>(3)}) {
        expect_near_result(factorize(ilut_factorize<V, I>, reference_executor(), tiny, {3, 0}),
                           naive_ilut(tiny, {3, 0}), 8);
    }
}

TYPED_TEST(IlutFactorize, PivotsAreBadByTheNormOfTheirRow)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    const auto eps = std::numeric_limits<real_t<V>>::epsilon();
    const auto num_bad = [&](const Executor& exec, real_t<V> pivot) {
        const CsrData<V, I> a{{2, 2}, {0, 2, 3}, {0, 1, 1}, {V{pivot}, V{4}, V{1}}};
        return factorize(ilut_factorize<V, I>, exec, a, {1, 0}).report.num_bad;
    };
    on_each_executor([&](const Executor& exec) {
        EXPECT_EQ(num_bad(exec, 2 * eps), 1);
        EXPECT_EQ(num_bad(exec, 8 * eps), 0);
    });
}

TYPED_TEST(IlutFactorize, WithoutLimitsIsTheFactorization)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    Random random(911);
    for (const size_type n : {1, 31, 33, 90}) {
        const auto a = random_for_factors<V, I>(random, n, Pattern::uniform, false);
        const auto result = factorize(ilut_factorize<V, I>, reference_executor(), a, {n, 0});
        EXPECT_EQ(result.report.num_bad, 0);
        EXPECT_LT(defect_of_lu(a, result.f), 100 * std::numeric_limits<real_t<V>>::epsilon());
    }
}

TYPED_TEST(IlutFactorize, LikeTheAlgorithmOnMaps)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    Random random(912);
    for (const size_type n : {0, 1, 31, 33, 597}) {
        for (const auto kind : all_patterns) {
            const auto a = random_for_factors<V, I>(random, n, kind, true);
            for (const ThresholdRule rule : {ThresholdRule{14, 1e-5}, {9, 0}, {5, 1e-2}, {100, 1e-3}}) {
                SCOPED_TRACE(std::to_string(n) + " rows, at most " + std::to_string(rule.row_limit));
                expect_near_result(factorize(ilut_factorize<V, I>, reference_executor(), a, rule, real_t<V>(0.1)),
                                   naive_ilut(a, rule, real_t<V>(0.1)), 10000);
            }
        }
    }
}

TYPED_TEST(IlutFactorize, LikeReference)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    Random random(913);
    const auto check = [](const CsrData<V, I>& a, ThresholdRule rule) {
        SCOPED_TRACE(std::to_string(a.size.rows) + " rows");
        expect_like_reference_on(
            ilut_factorize<V, I>, [&](const Executor& exec) { return factorize(ilut_factorize<V, I>, exec, a, rule); },
            same_result<V, I>);
    };
    for (const size_type n : {0, 1, 31, 33, 597, 4000}) {
        for (const auto kind : all_patterns) {
            check(random_for_factors<V, I>(random, n, kind, true), {12, 1e-3});
            check(random_csr<V, I>(random, {n, n}, 3, kind), {8, 1e-1});
        }
    }
    for (const size_type width : {1, 7, 60, 4000}) {
        check(grid_matrix<V, I>(width, 4000), {15, 1e-5});
    }
    auto with_nan = grid_matrix<V, I>(60, 4000);
    with_nan.values[9000] = not_a_number<V>();
    check(with_nan, {15, 1e-5});
}

TYPED_TEST(IlutFactorize, LikeReferenceWhereRowsAreLong)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    Random random(914);
    const auto check = [](const CsrData<V, I>& a, ThresholdRule rule) {
        SCOPED_TRACE(std::to_string(a.size.rows) + " rows, at most " + std::to_string(rule.row_limit));
        expect_like_reference_on(
            ilut_factorize<V, I>, [&](const Executor& exec) { return factorize(ilut_factorize<V, I>, exec, a, rule); },
            same_result<V, I>);
    };
    const auto dense = arrows_matrix<V, I>(random, 300, 1);
    const auto arrows = arrows_matrix<V, I>(random, 5000, 4999);
    check(dense, {300, 0});
    check(arrows, {10, 0});
    check(arrows, {200, 1e-4});
    check(with_rows_reversed(arrows_matrix<V, I>(random, 500, 50)), {20, 1e-5});
    check(arrows_matrix<V, I>(random, 500, 50), {0, 0});
    check(random_for_factors<V, I>(random, 300, Pattern::uniform, false), {300, 0});
    auto with_infinity = dense;
    for (const auto e : {70, 777, 44444}) {
        with_infinity.values[e] = V{std::numeric_limits<real_t<V>>::infinity()};
    }
    check(with_infinity, {30, 1e-5});
}

}  // namespace
}  // namespace linden::test
