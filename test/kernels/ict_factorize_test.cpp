#include "test/support/threshold_cases.hpp"

namespace linden::test {
namespace {

template <class Types>
class IctFactorize : public testing::Test {
};
TYPED_TEST_SUITE(IctFactorize, TestedValueIndices, TypeNames);

/// The upper triangle, each row of which is subtracted from all that come after it as soon as it is found.
template <class V, class I>
ThresholdResult<V, I> naive_ict(const CsrData<V, I>& a, ThresholdRule rule, real_t<V> shift = 0)
{
    const auto full = map_rows(a);
    MapRows<V> u(full.size());
    for (std::size_t i = 0; i < u.size(); ++i) {
        const auto row = static_cast<size_type>(i);
        u[i].insert(full[i].lower_bound(row), full[i].end());
        u[i][row] += shift * static_cast<real_t<V>>(norm2(full[i]));
    }
    PivotReport report;
    for (std::size_t r = 0; r < u.size(); ++r) {
        const auto k = static_cast<size_type>(r);
        const auto norm = static_cast<real_t<V>>(norm2(full[r]));
        auto square = real(u[r][k]);
        if (!(square > std::numeric_limits<real_t<V>>::epsilon() * norm)) {
            square = norm > 0 ? norm : 1;
            report.first_row = report.num_bad++ == 0 ? k : report.first_row;
        }
        u[r][k] = V{square};
        for (auto& [col, value] : u[r]) {
            value /= std::sqrt(square);
        }
        u[r] = limited(u[r], k, rule, norm);
        for (auto i = std::next(u[r].begin()); i != u[r].end(); ++i) {
            std::for_each(i, u[r].end(), [&](const auto& j) {
                u[static_cast<std::size_t>(i->first)][j.first] -= multiply(conj(i->second), j.second);
            });
        }
    }
    return {csr_from_maps<V, I>(u), report};
}

TYPED_TEST(IctFactorize, ByHand)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    // U = [2 1 0 z; 2 1 0; 2 2; 3] with z = 2i, or 2: A = U^H U has no zeros but (0, 2) and its mirror image.
    const V z = number<V>(0, 2) == V{} ? V{2} : number<V>(0, 2);
    const V c = conj(z);
    const CsrData<V, I> a{{4, 4},
                          {0, 3, 7, 10, 14},
                          {0, 1, 3, 0, 1, 2, 3, 1, 2, 3, 0, 1, 2, 3},
                          {V{4}, V{2}, V{2} * z, V{2}, V{5}, V{2}, z, V{2}, V{5}, V{4}, V{2} * c, c, V{4}, V{17}}};
    on_each_executor([&](const Executor& exec) {
        const auto exact = factorize(ict_factorize<V, I>, exec, a, {4, 0});
        EXPECT_EQ(exact.report.num_bad, 0);
        EXPECT_EQ(exact.f.row_ptrs, (std::vector<I>{0, 3, 6, 8, 9}));
        EXPECT_EQ(exact.f.col_idxs, (std::vector<I>{0, 1, 3, 1, 2, 3, 2, 3, 3}));
        EXPECT_EQ(exact.f.values, (std::vector<V>{V{2}, V{1}, z, V{2}, V{1}, V{0}, V{2}, V{2}, V{3}}));
        // Row 0 keeps z = u_03 alone, so that row 1 has nothing to subtract.
        const auto two = factorize(ict_factorize<V, I>, exec, a, {1, 0});
        EXPECT_EQ(two.f.row_ptrs, (std::vector<I>{0, 2, 4, 6, 7}));
        EXPECT_EQ(two.f.col_idxs, (std::vector<I>{0, 3, 1, 2, 2, 3, 3}));
        const auto root = std::sqrt(real_t<V>{5});
        const real_t<V> u12 = 2 / root;
        const auto u22 = std::sqrt(5 - u12 * u12);
        const std::vector<V> expected{
            V{2}, z, V{root}, V{u12}, V{u22}, V{4 / u22}, V{std::sqrt(17 - 4 - 16 / (u22 * u22))}};
        expect_near(two.f.values, expected, 8);
        // ||a_2|| = sqrt(45), ||a_1|| is below 6.2: 2 and the zero are dropped, 1 of row 1 and 2 of row 0 are not
        const auto dropped = factorize(ict_factorize<V, I>, exec, a, {4, 0.15});
        EXPECT_EQ(dropped.f.col_idxs, (std::vector<I>{0, 1, 3, 1, 2, 2, 3, 3}));
    });
}

TYPED_TEST(IctFactorize, BadPivotsAndShifts)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    // [. 3 .; 3 -16 .; . . .; . . . nan]: no diagonal, a negative one, nothing, and what is not a number
    const CsrData<V, I> a{{4, 4}, {0, 1, 3, 3, 4}, {1, 0, 1, 3}, {V{3}, V{3}, V{-16}, not_a_number<V>()}};
    on_each_executor([&](const Executor& exec) {
        const auto result = factorize(ict_factorize<V, I>, exec, a, {4, 0});
        EXPECT_EQ(result.report.num_bad, 4);
        EXPECT_EQ(result.report.first_row, 0);
        EXPECT_EQ(result.f.col_idxs, (std::vector<I>{0, 1, 1, 2, 3}));
        const auto root = std::sqrt(real_t<V>{3});
        expect_near(result.f.values, {V{root}, V{root}, V{std::sqrt(std::sqrt(real_t<V>{9 + 256}))}, V{1}, V{1}}, 4);
        // 0 + 12 * 3
        EXPECT_EQ(factorize(ict_factorize<V, I>, exec, a, {1, 0}, 12).f.values.front(), V{6});
    });
    for (const auto& tiny :
         {pathological::healthy<V, I>(), pathological::zero_diagonal<V, I>(), pathological::missing_diagonal<V, I>(),
          pathological::rank_one<V, I>(), pathological::without_entries<V, I>(3)}) {
        expect_near_result(factorize(ict_factorize<V, I>, reference_executor(), tiny, {3, 0}), naive_ict(tiny, {3, 0}),
                           8);
    }
}

TYPED_TEST(IctFactorize, PivotsAreBadByTheNormOfTheirRow)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    const auto eps = std::numeric_limits<real_t<V>>::epsilon();
    const auto num_bad = [&](const Executor& exec, real_t<V> pivot) {
        const CsrData<V, I> a{{2, 2}, {0, 2, 3}, {0, 1, 1}, {V{pivot}, V{4}, V{1}}};
        return factorize(ict_factorize<V, I>, exec, a, {1, 0}).report.num_bad;
    };
    on_each_executor([&](const Executor& exec) {
        EXPECT_EQ(num_bad(exec, 2 * eps), 1);
        EXPECT_EQ(num_bad(exec, 8 * eps), 0);
    });
}

TYPED_TEST(IctFactorize, WithoutLimitsIsTheFactorization)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    Random random(921);
    for (const size_type n : {1, 31, 33, 90}) {
        const auto a = random_hpd_csr<V, I>(random, n, 4);
        const auto result = factorize(ict_factorize<V, I>, reference_executor(), a, {n, 0});
        EXPECT_EQ(result.report.num_bad, 0);
        EXPECT_LT(defect_of_cholesky(a, result.f), 100 * std::numeric_limits<real_t<V>>::epsilon());
    }
}

TYPED_TEST(IctFactorize, LikeTheAlgorithmOnMaps)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    Random random(922);
    for (const size_type n : {0, 1, 31, 33, 597}) {
        const auto a = random_hpd_csr<V, I>(random, n, 5);
        for (const ThresholdRule rule : {ThresholdRule{14, 1e-5}, {9, 0}, {4, 1e-2}, {100, 1e-3}}) {
            SCOPED_TRACE(std::to_string(n) + " rows, at most " + std::to_string(rule.row_limit));
            expect_near_result(factorize(ict_factorize<V, I>, reference_executor(), a, rule, real_t<V>(0.1)),
                               naive_ict(a, rule, real_t<V>(0.1)), 1000);
        }
    }
}

TYPED_TEST(IctFactorize, LikeReference)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    Random random(923);
    const auto check = [](const CsrData<V, I>& a, ThresholdRule rule) {
        SCOPED_TRACE(std::to_string(a.size.rows) + " rows");
        expect_like_reference_on(
            ict_factorize<V, I>, [&](const Executor& exec) { return factorize(ict_factorize<V, I>, exec, a, rule); },
            same_result<V, I>);
    };
    for (const size_type n : {0, 1, 31, 33, 597, 4000}) {
        check(random_hpd_csr<V, I>(random, n, 4), {9, 1e-3});
        check(random_csr<V, I>(random, {n, n}, 4, Pattern::empty_rows), {9, 1e-3});  // not symmetric, but safe
    }
    for (const size_type width : {1, 7, 60, 4000}) {
        check(grid_matrix<V, I>(width, 4000), {10, 1e-5});
    }
    auto with_nan = grid_matrix<V, I>(60, 4000);
    with_nan.values[9000] = not_a_number<V>();
    check(with_nan, {10, 1e-5});
}

TYPED_TEST(IctFactorize, LikeReferenceWhereRowsAreLong)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    Random random(924);
    const auto check = [](const CsrData<V, I>& a, ThresholdRule rule) {
        SCOPED_TRACE(std::to_string(a.size.rows) + " rows, at most " + std::to_string(rule.row_limit));
        expect_like_reference_on(
            ict_factorize<V, I>, [&](const Executor& exec) { return factorize(ict_factorize<V, I>, exec, a, rule); },
            same_result<V, I>);
    };
    const auto dense = arrows_matrix<V, I>(random, 300, 1);
    check(dense, {300, 0});
    check(arrows_matrix<V, I>(random, 5000, 4999), {10, 0});
    check(with_rows_reversed(arrows_matrix<V, I>(random, 500, 50)), {20, 1e-5});
    check(arrows_matrix<V, I>(random, 500, 50), {0, 0});
    check(random_hpd_csr<V, I>(random, 300, 4), {300, 0});
    auto with_infinity = dense;
    for (const auto e : {70, 777, 44444}) {
        with_infinity.values[e] = V{std::numeric_limits<real_t<V>>::infinity()};
    }
    check(with_infinity, {30, 1e-5});
}

}  // namespace
}  // namespace linden::test
