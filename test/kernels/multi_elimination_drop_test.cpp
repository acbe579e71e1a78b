#include "test/support/multi_elimination.hpp"

/// What is dropped from a Schur complement, and what the diagonal gets for it.
namespace linden::test {
namespace {

template <class Types>
class MultiEliminationDrop : public testing::Test {
};
TYPED_TEST_SUITE(MultiEliminationDrop, TestedValueIndices, TypeNames);

template <class V, class I>
std::vector<real_t<V>> norms_of(const Executor& exec, const CsrData<V, I>& host)
{
    using R = real_t<V>;
    const Csr<V, I> s(exec, host);
    Array<R> norms(exec, std::vector<R>(static_cast<std::size_t>(host.size.rows), R{-7}));
    multi_elimination_norms<V, I>(exec, s.view(), norms.data());
    return norms.to_host();
}

/// DropView on the host. Empty vectors count as ones.
template <class V>
struct HostDrop {
    using R = real_t<V>;

    double factor = 0;
    std::vector<R> mean{}, norms{};
    std::vector<V> diagonal{};

    R limit(std::size_t row, std::size_t col) const
    {
        const auto at = [](const std::vector<R>& values, std::size_t i) { return values.empty() ? R{1} : values[i]; };
        const auto root = [&](std::size_t i) { return diagonal.empty() ? R{1} : std::sqrt(std::abs(diagonal[i])); };
        return static_cast<R>(factor) * at(mean, 0) * at(norms, row) * root(row) * root(col);
    }
};

/// What is large, with its values.
template <class V, class I>
CsrData<V, I> large(const Executor& exec, const CsrData<V, I>& host, const HostDrop<V>& rule, double omega = 0)
{
    using R = real_t<V>;
    const Csr<V, I> s(exec, host);
    const Array<R> mean(exec, rule.mean), norms(exec, rule.norms);
    const Array<V> diagonal(exec, rule.diagonal);
    const DropView<V> drop{rule.factor, rule.mean.empty() ? nullptr : mean.data(),
                           rule.norms.empty() ? nullptr : norms.data(),
                           rule.diagonal.empty() ? nullptr : diagonal.data()};
    Array<I> counts(exec, std::vector<I>(static_cast<std::size_t>(host.size.rows), I{-7}));
    multi_elimination_count_large<V, I>(exec, s.view(), drop, counts.data());
    RowsOn<V, I> kept(exec, host.size, counts.to_host());
    multi_elimination_take_large<V, I>(exec, s.view(), drop, omega, kept.written());
    return kept.to_host();
}

/// Only the pattern is compared.
template <class V, class I>
void expect_large(const Executor& exec, const CsrData<V, I>& s, const HostDrop<V>& rule, const std::vector<I>& row_ptrs,
                  const std::vector<I>& col_idxs)
{
    auto actual = large(exec, s, rule);
    actual.values.clear();
    expect_same_matrix(actual, {s.size, row_ptrs, col_idxs, {}});
}

/// The values on `kept`.
template <class V, class I>
std::vector<V> compensated(const Executor& exec, const CsrData<V, I>& host, const CsrData<V, I>& kept, double omega)
{
    const Csr<V, I> s(exec, host);
    const Array<I> row_ptrs(exec, kept.row_ptrs), col_idxs(exec, kept.col_idxs);
    const PatternView<I> pattern{kept.size.rows, kept.size.cols, col_idxs.size(), row_ptrs.data(), col_idxs.data()};
    Array<V> values(exec, std::vector<V>(kept.col_idxs.size(), V{-7}));
    multi_elimination_compensate<V, I>(exec, s.view(), pattern, omega, values.data());
    return values.to_host();
}

/// [-4 3 . .; . . . .; 2i 1 . -2; . 0.5 . 9]
template <class V, class I>
CsrData<V, I> complement_example()
{
    const auto v = [](double value) { return number<V>(value, 0); };
    return {{4, 4},
            {0, 2, 2, 5, 7},
            {0, 1, 0, 1, 3, 1, 3},
            {v(-4), v(3), is_complex<V> ? number<V>(0, 2) : v(2), v(1), v(-2), v(0.5), v(9)}};
}

TYPED_TEST(MultiEliminationDrop, NormsByHand)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    using R = real_t<V>;
    const auto s = complement_example<V, I>();
    on_each_executor([&](const Executor& exec) {
        expect_near(norms_of(exec, s), (std::vector<R>{5, 0, 3, std::sqrt(static_cast<R>(81.25))}), 4);
    });
}

TYPED_TEST(MultiEliminationDrop, NormsByDefinition)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    using R = real_t<V>;
    Random random(1709);
    for_each_elimination_matrix<V, I>(random, [&](const CsrData<V, I>& s) {
        std::vector<R> norms(static_cast<std::size_t>(s.size.rows));
        for (I row = 0; row < s.size.rows; ++row) {
            for (I k = s.row_ptrs[row]; k < s.row_ptrs[row + 1]; ++k) {
                norms[row] = std::hypot(norms[row], std::abs(s.values[k]));
            }
        }
        on_each_executor(
            [&](const Executor& exec) { expect_near(norms_of(exec, s), norms, summation_factor(s.size.rows)); });
    });
}

TYPED_TEST(MultiEliminationDrop, LargeOnesByHand)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    const auto s = complement_example<V, I>();
    on_each_executor([&](const Executor& exec) {
        expect_same_matrix(large(exec, s, {}), s);
        // Those of this very magnitude are dropped, but for the diagonal.
        expect_same_matrix(large(exec, s, {.factor = 2}),
                           {s.size, {0, 2, 2, 2, 3}, {0, 1, 3}, {s.values[0], s.values[1], s.values[6]}});
        expect_large(exec, s, {.factor = 0.5, .mean = {2}}, {0, 2, 2, 4, 5}, {0, 1, 0, 3, 3});
        expect_large(exec, s, {.factor = 9}, {0, 1, 1, 1, 2}, {0, 3});
        expect_large(exec, s, {.factor = 0.5, .norms = {6, 1, 3, 0}}, {0, 1, 1, 3, 5}, {0, 0, 3, 1, 3});
        const std::vector<V> diagonal{number<V>(-4, 0), V{9}, V{1}, is_complex<V> ? number<V>(0, 16) : V{16}};
        expect_large(exec, s, {.factor = 0.5, .diagonal = diagonal}, {0, 1, 1, 2, 3}, {0, 0, 3});
        expect_large(exec, s, {.factor = 0.25, .diagonal = diagonal}, {0, 2, 2, 5, 6}, {0, 1, 0, 1, 3, 3});
        expect_large(exec, s, {.factor = 0.25, .mean = {2}, .norms = {1, 1, 0.5, 1}, .diagonal = diagonal},
                     {0, 1, 1, 4, 5}, {0, 0, 1, 3, 3});
    });
}

/// Zeros go unless they are on the diagonal; what is infinite or not a number stays, whatever the limit is.
TYPED_TEST(MultiEliminationDrop, OddValuesByHand)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    const V nan = not_a_number<V>(), inf = infinite<V>();
    const CsrData<V, I> s{
        {3, 3}, {0, 3, 6, 9}, {0, 1, 2, 0, 1, 2, 0, 1, 2}, {V{}, V{}, V{1}, -inf, nan, V{}, V{}, nan, V{3}}};
    const auto infinite_norm = std::abs(inf);
    const auto unknown_norm = std::abs(nan);
    on_each_executor([&](const Executor& exec) {
        expect_same_matrix(large(exec, s, {}),
                           {s.size, {0, 2, 4, 6}, {0, 2, 0, 1, 1, 2}, {V{}, V{1}, -inf, nan, nan, V{3}}});
        for (const HostDrop<V>& rule :
             std::vector<HostDrop<V>>{{.factor = 1e30},
                                      {.factor = 1, .mean = {infinite_norm}},
                                      {.factor = 1, .norms = {infinite_norm, infinite_norm, infinite_norm}},
                                      {.factor = 1, .norms = {infinite_norm, unknown_norm, unknown_norm}},
                                      {.factor = 1, .diagonal = {inf, inf, inf}}}) {
            expect_same_matrix(large(exec, s, rule),
                               {s.size, {0, 1, 3, 5}, {0, 0, 1, 1, 2}, {V{}, -inf, nan, nan, V{3}}});
        }
    });
}

/// Limits whose squares are zero or infinite.
TYPED_TEST(MultiEliminationDrop, FarFromOneByHand)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    using R = real_t<V>;
    on_each_executor([&](const Executor& exec) {
        for (const R scale : {tiny<R>, huge<R>}) {
            const V one{scale}, two{2 * scale}, half{scale / 2};
            const CsrData<V, I> s{{3, 3}, {0, 2, 4, 6}, {0, 1, 1, 2, 1, 2}, {one, two, one, half, -half, -one}};
            const HostDrop<V> rule{.factor = 1.1, .diagonal = {one, one, -one}};
            const auto kept = large(exec, s, rule, 1);
            const V lumped = one + half;
            expect_same_matrix(kept, {s.size, {0, 2, 3, 4}, {0, 1, 1, 2}, {one, two, lumped, -lumped}});
        }
    });
}

/// The pattern of what is large, and the values with what is dropped.
template <class V, class I>
CsrData<V, I> large_by_definition(const CsrData<V, I>& s, const HostDrop<V>& drop, double omega)
{
    CsrData<V, I> kept{s.size, {0}, {}, {}};
    for (I row = 0; row < s.size.rows; ++row) {
        std::size_t diagonal = 0;
        V dropped{};
        for (I k = s.row_ptrs[row]; k < s.row_ptrs[row + 1]; ++k) {
            const I col = s.col_idxs[k];
            const auto size = std::abs(s.values[k]);
            if (col == row || !std::isfinite(size) || size > drop.limit(row, col)) {
                kept.col_idxs.push_back(col);
                kept.values.push_back(s.values[k]);
                diagonal = col == row ? kept.values.size() : diagonal;
            } else {
                dropped += s.values[k];
            }
        }
        if (diagonal != 0 && std::isfinite(std::abs(kept.values[diagonal - 1]))) {
            kept.values[diagonal - 1] = lumped_by_definition(kept.values[diagonal - 1], omega, dropped);
        }
        kept.row_ptrs.push_back(static_cast<I>(kept.values.size()));
    }
    return kept;
}

/// With zeros off the diagonal, and NaN and infinite numbers anywhere. The values are, bit for bit, those of
/// `compensate` for the same pattern.
TYPED_TEST(MultiEliminationDrop, LargeOnesByDefinition)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    using R = real_t<V>;
    Random random(1710);
    for_each_elimination_matrix<V, I>(random, [&](const CsrData<V, I>& finite) {
        auto s = with_odd_values(random, finite);
        HostDrop<V> by_norms{.factor = 0.4}, by_diagonal{.factor = 0.4};
        for (I row = 0; row < s.size.rows; ++row) {
            by_norms.norms.push_back(static_cast<R>(random.real(0.2, 2)));
            by_diagonal.diagonal.push_back(random.value<V>());
            for (I k = s.row_ptrs[row]; k < s.row_ptrs[row + 1]; ++k) {
                s.values[k] = s.col_idxs[k] == row && s.values[k] == V{} ? finite.values[k] : s.values[k];
            }
        }
        for (const HostDrop<V>& drop :
             std::vector<HostDrop<V>>{{}, {.factor = 2, .mean = {R(0.3)}}, by_norms, by_diagonal, {.factor = 9}}) {
            for (const double omega : {0.0, 0.3, 1.0}) {
                const auto expected = large_by_definition(s, drop, omega);
                on_each_executor([&](const Executor& exec) {
                    const auto actual = large(exec, s, drop, omega);
                    EXPECT_EQ(actual.row_ptrs, expected.row_ptrs);
                    EXPECT_EQ(actual.col_idxs, expected.col_idxs);
                    expect_near(actual.values, expected.values, 64, std::max(1.0, scale_of(expected.values)));
                    EXPECT_TRUE(same_bits(compensated(exec, s, actual, omega), actual.values));
                });
            }
        }
    });
}

/// Row 2 of [1 2 .; . . .; 1 2 4] loses 1, 2 or both, row 0 its 2.
TYPED_TEST(MultiEliminationDrop, CompensationByHand)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    const auto v = [](double value) { return number<V>(value, 0); };
    CsrData<V, I> s{{3, 3}, {0, 2, 2, 5}, {0, 1, 0, 1, 2}, {v(1), v(2), v(1), v(2), v(4)}};
    const CsrData<V, I> kept{s.size, {0, 1, 1, 3}, {0, 1, 2}, {}};
    on_each_executor([&](const Executor& exec) {
        EXPECT_EQ(compensated(exec, s, s, 1), s.values);
        EXPECT_EQ(compensated(exec, s, kept, 0), (std::vector<V>{v(1), v(2), v(4)}));
        EXPECT_EQ(compensated(exec, s, kept, 0.5), (std::vector<V>{v(2), v(2), v(4.5)}));
        EXPECT_EQ(compensated(exec, s, {s.size, {0, 0, 0, 1}, {2}, {}}, 1), std::vector<V>{v(7)});
        // Without a diagonal nothing is added.
        EXPECT_EQ(compensated(exec, s, {s.size, {0, 1, 1, 2}, {1, 1}, {}}, 1), (std::vector<V>{v(2), v(2)}));
        const auto diagonal_without = [&](V dropped, double omega) {
            s.values[2] = dropped;
            return compensated(exec, s, kept, omega)[2];
        };
        EXPECT_EQ(diagonal_without(v(-3.5), 1), v(0.5));
        EXPECT_EQ(diagonal_without(v(-3.75), 1), v(4));
        EXPECT_EQ(diagonal_without(v(-9), 1), v(4));
        EXPECT_EQ(diagonal_without(not_a_number<V>(), 1), v(4));
        EXPECT_EQ(diagonal_without(not_a_number<V>(), 0), v(4));
        for (const real_t<V> scale : {tiny<real_t<V>>, huge<real_t<V>>}) {
            s.values[4] = V{4 * scale};
            EXPECT_EQ(diagonal_without(V{-3 * scale}, 1), V{scale});
            EXPECT_EQ(diagonal_without(V{real_t<V>(-3.75) * scale}, 1), V{4 * scale});
        }
        s.values[4] = v(4);
        if constexpr (is_complex<V>) {
            EXPECT_EQ(diagonal_without(number<V>(-2, 9), 1), number<V>(2, 9));
            EXPECT_EQ(diagonal_without(number<V>(-3.75, 9), 1), v(4));
        }
        s.values[2] = v(1);
    });
}

TYPED_TEST(MultiEliminationDrop, CompensationByDefinition)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    Random random(1711);
    for_each_elimination_matrix<V, I>(random, [&](const CsrData<V, I>& s) {
        for (const double omega : {0.0, 0.3, 1.0}) {
            CsrData<V, I> kept{s.size, {0}, {}, {}};
            for (I row = 0; row < s.size.rows; ++row) {
                std::size_t diagonal = 0;
                V dropped{};
                for (I k = s.row_ptrs[row]; k < s.row_ptrs[row + 1]; ++k) {
                    if (random.unit() < 0.6) {
                        kept.col_idxs.push_back(s.col_idxs[k]);
                        kept.values.push_back(s.values[k]);
                        diagonal = s.col_idxs[k] == row ? kept.values.size() : diagonal;
                    } else {
                        dropped += s.values[k];
                    }
                }
                if (diagonal != 0) {
                    kept.values[diagonal - 1] = lumped_by_definition(kept.values[diagonal - 1], omega, dropped);
                }
                kept.row_ptrs.push_back(static_cast<I>(kept.values.size()));
            }
            on_each_executor([&](const Executor& exec) {
                expect_near(compensated(exec, s, kept, omega), kept.values, 64, std::max(1.0, scale_of(kept.values)));
            });
        }
    });
}

}  // namespace
}  // namespace linden::test
