#include "core/kernels/aggregation.hpp"

#include <limits>

#include "test/support/aggregation.hpp"

/// The sizes of rows, and their strong entries.
namespace linden::test {
namespace {

template <class Types>
class AggregationStrong : public testing::Test {
};
TYPED_TEST_SUITE(AggregationStrong, TestedValueIndices, TypeNames);

template <class V, class I>
struct Measured {
    std::vector<real_t<V>> largest, sums;
    std::vector<I> is_mixed;
};

template <class V, class I>
Measured<V, I> measured(const Executor& exec, const CsrData<V, I>& host, bool asks_for_mixed = true)
{
    using R = real_t<V>;
    const Csr<V, I> a(exec, host);
    const auto n = static_cast<std::size_t>(host.size.rows);
    Array<R> largest(exec, std::vector<R>(n, R{-7})), sums(exec, std::vector<R>(n, R{-7}));
    Array<I> is_mixed(exec, std::vector<I>(n, -7));
    aggregation_measure<V, I>(exec, a.view(), largest.data(), sums.data(), asks_for_mixed ? is_mixed.data() : nullptr);
    return {largest.to_host(), sums.to_host(), is_mixed.to_host()};
}

template <class V, class I>
HostPattern<I> strong(const Executor& exec, const CsrData<V, I>& host, double threshold, bool is_hermitian = false)
{
    const Csr<V, I> a(exec, host);
    const Array<real_t<V>> largest(exec, measured(exec, host).largest);
    const StrengthRule<real_t<V>> rule{threshold, largest.data(), is_hermitian};
    Array<I> counts(exec, std::vector<I>(static_cast<std::size_t>(host.size.rows), -7));
    aggregation_count_strong<V, I>(exec, a.view(), rule, nullptr, counts.data());
    const auto host_counts = counts.to_host();
    const auto host_ptrs = prefix_sums(host_counts);
    const Array<I> row_ptrs(exec, host_ptrs);
    Array<I> col_idxs(exec, std::vector<I>(static_cast<std::size_t>(host_ptrs.back()), -7));
    aggregation_take_strong<V, I>(exec, a.view(), rule, row_ptrs.data(), col_idxs.data());
    const HostPattern<I> result{host.size, host_ptrs, col_idxs.to_host()};

    Array<std::uint8_t> marks(exec, std::vector<std::uint8_t>(host.col_idxs.size(), 7));
    Array<I> marked(exec, std::vector<I>(static_cast<std::size_t>(host.size.rows), -7));
    aggregation_count_strong<V, I>(exec, a.view(), rule, marks.data(), marked.data());
    EXPECT_EQ(marked.to_host(), host_counts) << exec.name();
    std::vector<I> of_marks;
    const auto host_marks = marks.to_host();
    for (std::size_t k = 0; k < host_marks.size(); ++k) {
        EXPECT_LE(host_marks[k], 1) << exec.name();
        if (host_marks[k] == 1) {
            of_marks.push_back(host.col_idxs[k]);
        }
    }
    EXPECT_EQ(of_marks, result.col_idxs) << exec.name();
    return result;
}

template <class V, class I>
void expect_strong(const Executor& exec, const CsrData<V, I>& a, double threshold, const std::vector<I>& row_ptrs,
                   const std::vector<I>& col_idxs, bool is_hermitian = false)
{
    const auto actual = strong(exec, a, threshold, is_hermitian);
    EXPECT_EQ(actual.row_ptrs, row_ptrs);
    EXPECT_EQ(actual.col_idxs, col_idxs);
}

/// [4 -2 1 -1; -2 4 -1 .; 1 -1 -4 -0.5; -1 . 0 4]
template <class V, class I>
CsrData<V, I> strength_example()
{
    CsrData<V, I> a{{4, 4}, {0, 4, 7, 11, 14}, {0, 1, 2, 3, 0, 1, 2, 0, 1, 2, 3, 0, 2, 3}, {}};
    for (const double value : {4., -2., 1., -1., -2., 4., -1., 1., -1., -4., -0.5, -1., 0., 4.}) {
        a.values.push_back(number<V>(value, 0));
    }
    return a;
}

TYPED_TEST(AggregationStrong, MeasuredByHand)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    using R = real_t<V>;
    const auto a = strength_example<V, I>();
    // In row 0 a tenth of the rest has the sign of the diagonal, in row 1 a little more.
    CsrData<V, I> tenth{{2, 3}, {0, 3, 6}, {0, 1, 2, 0, 1, 2}, {}};
    for (const double value : {8., 1., -9., 1.0625, 2., -9.}) {
        tenth.values.push_back(number<V>(value, 0));
    }
    on_each_executor([&](const Executor& exec) {
        const auto rows = measured(exec, a);
        EXPECT_EQ(rows.largest, (std::vector<R>{2, 2, 1, 1}));
        EXPECT_EQ(rows.sums, (std::vector<R>{8, 7, 6.5, 5}));
        EXPECT_EQ(rows.is_mixed, (std::vector<I>{1, 0, 1, 0}));
        const auto without = measured(exec, a, false);
        EXPECT_EQ(without.largest, rows.largest);
        EXPECT_EQ(without.sums, rows.sums);
        EXPECT_EQ(without.is_mixed, std::vector<I>(4, -7));
        EXPECT_EQ(measured(exec, tenth).is_mixed, (std::vector<I>{0, 1}));
        // A single entry, and none.
        const auto one = measured(exec, CsrData<V, I>{{1, 1}, {0, 1}, {0}, {number<V>(-3, 4)}});
        EXPECT_EQ(one.largest, std::vector<R>{0});
        EXPECT_EQ(one.sums, std::vector<R>{is_complex<V> ? R{5} : R{3}});
        EXPECT_EQ(one.is_mixed, std::vector<I>{0});
        const auto none = measured(exec, CsrData<V, I>{{1, 1}, {0, 0}, {}, {}});
        EXPECT_EQ(none.largest, std::vector<R>{0});
        EXPECT_EQ(none.sums, std::vector<R>{0});
        EXPECT_EQ(none.is_mixed, std::vector<I>{0});
        EXPECT_EQ(measured(exec, CsrData<V, I>{{0, 0}, {0}, {}, {}}).sums, std::vector<R>{});
    });
}

TYPED_TEST(AggregationStrong, MeasuredByDefinition)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    using R = real_t<V>;
    Random random(2101);
    for_each_graph<I>(random, [&](const HostPattern<I>& graph) {
        const auto a = random_values<V>(random, graph);
        Measured<V, I> expected;
        for (I row = 0; row < a.size.rows; ++row) {
            const V diagonal = a.values[entry_at(a, row, row)];
            double largest = 0, others = 0, same_sign = 0;
            for (I k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
                if (a.col_idxs[k] != row) {
                    const double size = std::abs(a.values[k]);
                    largest = std::max(largest, size);
                    others += size;
                    same_sign += std::real(a.values[k] * conjugate(diagonal)) > 0 ? size : 0;
                }
            }
            expected.largest.push_back(static_cast<R>(largest));
            expected.sums.push_back(static_cast<R>(others + static_cast<double>(std::abs(diagonal))));
            expected.is_mixed.push_back(same_sign > 0.1 * others ? 1 : 0);
        }
        on_each_executor([&](const Executor& exec) {
            const auto actual = measured(exec, a);
            expect_near(actual.largest, expected.largest, 2);
            expect_near(actual.sums, expected.sums, summation_factor(a.size.rows));
            EXPECT_EQ(actual.is_mixed, expected.is_mixed);
        });
    });
}

template <class V, class I>
struct Swept {
    std::vector<V> after;
    std::vector<I> is_slow;
};

template <class V, class I>
Swept<V, I> swept(const Executor& exec, const CsrData<V, I>& host, SweepRule rule, const std::vector<V>& before = {})
{
    const Csr<V, I> a(exec, host);
    const auto n = static_cast<std::size_t>(host.size.rows);
    const Array<real_t<V>> sums(exec, measured(exec, host).sums);
    const Array<V> x(exec, before);
    Array<V> after(exec, std::vector<V>(n, V{-7}));
    Array<I> is_slow(exec, std::vector<I>(n, -7));
    aggregation_sweep<V, I>(exec, a.view(), sums.data(), rule, before.empty() ? nullptr : x.data(), after.data(),
                            is_slow.data());
    return {after.to_host(), is_slow.to_host()};
}

TYPED_TEST(AggregationStrong, SweptByHand)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    const auto a = strength_example<V, I>();
    on_each_executor([&](const Executor& exec) {
        const auto ones = swept(exec, a, {2, 0.5});
        expect_near(ones.after, {V{0.5}, number<V>(1 - 2. / 7, 0), number<V>(1 + 9 / 6.5, 0), number<V>(-0.2, 0)}, 8);
        EXPECT_EQ(ones.is_slow, (std::vector<I>{0, 1, 1, 0}));
        const std::vector<V> before{V{1}, V{0}, V{0}, V{-2}};
        const auto others = swept(exec, a, {1, 1}, before);
        expect_near(others.after, {V{0.25}, number<V>(2. / 7, 0), number<V>(-2 / 6.5, 0), number<V>(-0.2, 0)}, 8);
        EXPECT_EQ(others.is_slow, (std::vector<I>{0, 0, 0, 0}));
        const auto none = swept(exec, CsrData<V, I>{{1, 1}, {0, 0}, {}, {}}, {1, 1});
        EXPECT_EQ(none.after, std::vector<V>{V{0}});
        EXPECT_EQ(none.is_slow, std::vector<I>{0});
        const V not_a_number{std::numeric_limits<real_t<V>>::quiet_NaN()};
        EXPECT_EQ(swept(exec, CsrData<V, I>{{1, 1}, {0, 1}, {0}, {V{1}}}, {1, 1}, {not_a_number}).is_slow,
                  std::vector<I>{1});
        EXPECT_EQ(swept(exec, CsrData<V, I>{{0, 0}, {0}, {}, {}}, {1, 1}).after, std::vector<V>{});
    });
}

TYPED_TEST(AggregationStrong, SweptByDefinition)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    Random random(2102);
    for_each_graph<I>(random, [&](const HostPattern<I>& graph) {
        const auto a = random_values<V>(random, graph);
        std::vector<V> before, expected;
        for (I row = 0; row < a.size.rows; ++row) {
            before.push_back(number<V>(row % 5 - 2, row % 3));
        }
        for (I row = 0; row < a.size.rows; ++row) {
            V product{};
            real_t<V> sum{};
            for (I k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
                product += a.values[k] * before[a.col_idxs[k]];
                sum += std::abs(a.values[k]);
            }
            expected.push_back(sum > 0 ? before[row] - real_t<V>{1.5} / sum * product : V{});
        }
        on_each_executor([&](const Executor& exec) {
            expect_near(swept(exec, a, {1.5, 1}, before).after, expected, 8 * summation_factor(a.size.rows));
        });
    });
}

TYPED_TEST(AggregationStrong, ByHand)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    const auto a = strength_example<V, I>();
    on_each_executor([&](const Executor& exec) {
        // Entries (0, 2) and (2, 1) have the sign of the diagonal, but not their mirror images. (2, 3) would be large
        // enough; its mirror image is zero.
        expect_strong<V, I>(exec, a, 0.5, {0, 4, 7, 10, 12}, {0, 1, 2, 3, 0, 1, 2, 0, 1, 2, 0, 3});
        expect_strong<V, I>(exec, a, 0, {0, 4, 7, 10, 12}, {0, 1, 2, 3, 0, 1, 2, 0, 1, 2, 0, 3});
        expect_strong<V, I>(exec, a, 1.5, {0, 1, 2, 3, 4}, {0, 1, 2, 3});
        expect_strong<V, I>(exec, {{1, 1}, {0, 1}, {0}, {V{}}}, 0.5, {0, 1}, {0});
        expect_strong<V, I>(exec, {{0, 0}, {0}, {}, {}}, 0.5, {0}, {});
    });
}

/// Entry (0, 2) alone is a little less than the largest; (1, 2) is large for row 2, but not for row 1.
TYPED_TEST(AggregationStrong, LimitsByHand)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    const auto with = [](double value) {
        CsrData<V, I> a{{3, 3}, {0, 3, 6, 9}, {0, 1, 2, 0, 1, 2, 0, 1, 2}, {}};
        for (const double v : {4., -2., value, -2., 4., -2., value, -2., 4.}) {
            a.values.push_back(number<V>(v, 0));
        }
        return a;
    };
    auto small = with(0);
    small.values[5] = small.values[7] = number<V>(-0.25, 0);
    on_each_executor([&](const Executor& exec) {
        const std::vector<I> all{0, 1, 2, 0, 1, 2, 0, 1, 2}, but_one{0, 1, 0, 1, 2, 1, 2};
        for (const bool is_hermitian : {false, true}) {
            expect_strong<V, I>(exec, with(-1.99985), 1, {0, 3, 6, 9}, all, is_hermitian);
            expect_strong<V, I>(exec, with(-1.9996), 1, {0, 2, 5, 7}, but_one, is_hermitian);
            const double limit = -2 * static_cast<double>(static_cast<real_t<V>>(0.9999));
            expect_strong<V, I>(exec, with(limit), 1, {0, 3, 6, 9}, all, is_hermitian);
            expect_strong<V, I>(exec, with(2), 1, {0, 2, 5, 7}, but_one, is_hermitian);
            expect_strong<V, I>(exec, small, 0.9, {0, 2, 5, 7}, but_one, is_hermitian);
        }
        // By its mirror image alone.
        auto a = with(-1.9996);
        a.values[6] = number<V>(-1.99985, 0);
        expect_strong<V, I>(exec, a, 1, {0, 3, 6, 9}, all);
        expect_strong<V, I>(exec, a, 1, {0, 3, 6, 9}, all, true);
    });
}

/// Opposed, equal and perpendicular to a diagonal of 4i.
TYPED_TEST(AggregationStrong, ComplexSignsByHand)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    if constexpr (is_complex<V>) {
        const V d = number<V>(0, 4), i = number<V>(0, 1);
        const CsrData<V, I> a{
            {4, 4}, {0, 4, 6, 8, 10}, {0, 1, 2, 3, 0, 1, 0, 2, 0, 3}, {d, -i, i, V{1}, i, d, i, d, i, d}};
        on_each_executor([&](const Executor& exec) {
            expect_strong<V, I>(exec, a, 1, {0, 3, 5, 6, 8}, {0, 1, 3, 0, 1, 2, 0, 3});
            EXPECT_EQ(measured(exec, a).is_mixed, (std::vector<I>{1, 1, 1, 1}));
        });
    }
}

/// Rows whose diagonals differ in sign, zeros, and mirror images that differ.
TYPED_TEST(AggregationStrong, ByDefinition)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    Random random(2102);
    for_each_graph<I>(random, [&](const HostPattern<I>& graph) {
        const auto a = random_values<V>(random, graph);
        const auto rows = measured(reference_executor(), a);
        for (const double threshold : {0.0, 0.25, 0.8}) {
            const auto alone = [&](I row, I k) {
                const I col = a.col_idxs[k];
                const double least =
                    0.9999 * threshold * static_cast<double>(std::min(rows.largest[row], rows.largest[col]));
                const V diagonal = a.values[entry_at(a, row, row)];
                return a.values[k] != V{} && static_cast<double>(std::abs(a.values[k])) >= least &&
                       std::real(a.values[k] * conjugate(diagonal)) <= 0;
            };
            HostPattern<I> expected{a.size, {0}, {}};
            for (I row = 0; row < a.size.rows; ++row) {
                for (I k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
                    const I col = a.col_idxs[k];
                    if (col == row || alone(row, k) || alone(col, entry_at(a, col, row))) {
                        expected.col_idxs.push_back(col);
                    }
                }
                expected.row_ptrs.push_back(static_cast<I>(expected.col_idxs.size()));
            }
            on_each_executor(
                [&](const Executor& exec) { expect_strong(exec, a, threshold, expected.row_ptrs, expected.col_idxs); });
        }
    });
}

/// What is_hermitian spares does not matter where it is true, whatever the signs on the diagonal are.
TYPED_TEST(AggregationStrong, OfHermitianMatrices)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    Random random(2103);
    for_each_graph<I>(random, [&](const HostPattern<I>& graph) {
        for (const bool has_both_signs : {false, true}) {
            auto a = hermitian(random_values<V>(random, graph));
            for (I row = 0; row < a.size.rows; ++row) {
                V& diagonal = a.values[entry_at(a, row, row)];
                diagonal = has_both_signs ? diagonal : V{1 + std::abs(diagonal)};
            }
            const auto expected = strong(reference_executor(), a, 0.4);
            on_each_executor([&](const Executor& exec) {
                expect_strong(exec, a, 0.4, expected.row_ptrs, expected.col_idxs);
                expect_strong(exec, a, 0.4, expected.row_ptrs, expected.col_idxs, true);
            });
        }
    });
}

/// Mirror images that differ by rounding: found by a few of them, looked for in one row alone.
TYPED_TEST(AggregationStrong, OfAlmostHermitianMatrices)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    using R = real_t<V>;
    Random random(2104);
    for_each_graph<I>(random, [&](const HostPattern<I>& graph) {
        auto a = hermitian(random_values<V>(random, graph));
        // All of the same size, but for rounding, so that the limit is among them.
        for (auto& value : a.values) {
            const auto rounding = static_cast<R>(1 + 1e-6 * random.real(-1, 1));
            value = value == V{} ? V{} : std::real(value) < 0 ? V{-rounding} : V{rounding};
        }
        for (I row = 0; row < a.size.rows; ++row) {
            a.values[entry_at(a, row, row)] = V{4};
        }
        const double threshold = 1 / 0.9999;
        const auto expected = strong(reference_executor(), a, threshold);
        on_each_executor([&](const Executor& exec) {
            expect_strong(exec, a, threshold, expected.row_ptrs, expected.col_idxs, true);
        });
    });
}

}  // namespace
}  // namespace linden::test
