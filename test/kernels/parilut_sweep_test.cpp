#include "test/support/parilut.hpp"

#include "test/support/threshold_cases.hpp"

/// Sweeps on a pattern, the judgement of pivots, and what becomes of the values in the end.
namespace linden::test {
namespace {

template <class Types>
class ParilutSweep : public testing::Test {
};
TYPED_TEST_SUITE(ParilutSweep, TestedValueIndices, TypeNames);

/// W on the pattern of S.
template <class V, class I>
std::vector<V> swept(const Executor& exec, const std::vector<V>& a_host, const CsrData<V, I>& s_host)
{
    const IterateOn<V, I> s(exec, s_host);
    const Array<V> a(exec, a_host);
    Array<V> values(exec, a.size());
    parilut_sweep<V, I>(exec, s.view(), a.data(), values.data());
    return values.to_host();
}

TYPED_TEST(ParilutSweep, ByDefinition)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    Random random(1831);
    for_each_iterate<V, I>(random, [&](const CsrData<V, I>&, const CsrData<V, I>& s) {
        std::vector<V> a(s.values.size());
        std::generate(a.begin(), a.end(), [&] { return random.value<V>(); });
        const auto w = iterated(mapped(CsrData<V, I>{s.size, s.row_ptrs, s.col_idxs, a}), mapped(s));
        std::vector<V> expected;
        for (size_type row = 0; row < s.size.rows; ++row) {
            for (I k = s.row_ptrs[row]; k < s.row_ptrs[row + 1]; ++k) {
                expected.push_back(w[row].at(s.col_idxs[k]));
            }
        }
        const auto reference = swept(reference_executor(), a, s);
        expect_near(reference, expected, summation_factor(64));
        on_each_other_executor([&](const Executor& exec) {
            const auto actual = swept(exec, a, s);
            EXPECT_TRUE(std::equal(actual.begin(), actual.end(), reference.begin(), reference.end(), same_value<V>))
                << exec.name();
        });
    });
}

/// W on the pattern of S, in place within blocks.
template <class V, class I>
std::vector<V> swept_in_place(const Executor& exec, const std::vector<V>& a_host, const CsrData<V, I>& s_host,
                              size_type block_rows, const std::vector<real_t<V>>& norms_host, bool is_hermitian)
{
    const IterateOn<V, I> s(exec, s_host);
    const Array<V> a(exec, a_host);
    const Array<real_t<V>> norms(exec, norms_host);
    Array<V> values(exec, a.size());
    parilut_sweep_in_place<V, I>(exec, s.view(), a.data(), {norms.data(), is_hermitian}, block_rows, values.data());
    return values.to_host();
}

/// Row i of W takes those before it in its block for rows of S, and its own entries.
template <class V>
MappedRows<V> iterated_in_place(const MappedRows<V>& a, const MappedRows<V>& s, size_type block_rows)
{
    MappedRows<V> w = a;
    for (size_type i = 0; i < static_cast<size_type>(a.size()); ++i) {
        for (auto& [j, value] : w[i]) {
            for (const auto& [k, lower] : w[i]) {
                const auto& upper = k >= i / block_rows * block_rows ? w[k] : s[k];
                if (k < std::min(i, j) && upper.contains(j)) {
                    value -= lower * upper.at(j) / upper.at(k);
                }
            }
        }
    }
    return w;
}

TYPED_TEST(ParilutSweep, InPlaceByDefinition)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    Random random(1832);
    for_each_iterate<V, I>(random, [&](const CsrData<V, I>&, const CsrData<V, I>& s) {
        // Dominant: no pivot is bad, and nothing grows.
        CsrData<V, I> a = s;
        for (auto& value : a.values) {
            value *= V{real_t<V>(0.9)};
        }
        const std::vector<real_t<V>> norms(static_cast<std::size_t>(s.size.rows), 1);
        for (const size_type block_rows : {1, 7, 64, 1000}) {
            const auto w = csr_of_rows<V, I>(iterated_in_place(mapped(a), mapped(s), block_rows), s.size.cols);
            const auto reference = swept_in_place(reference_executor(), a.values, s, block_rows, norms, false);
            expect_near(reference, w.values, summation_factor(256));
            on_each_other_executor([&](const Executor& exec) {
                const auto actual = swept_in_place(exec, a.values, s, block_rows, norms, false);
                EXPECT_TRUE(std::equal(actual.begin(), actual.end(), reference.begin(), reference.end(), same_value<V>))
                    << exec.name() << ", blocks of " << block_rows;
            });
        }
    });
}

/// A pivot that the sweep has found and that is bad is replaced where rows after it use it, and stays where it stands.
TYPED_TEST(ParilutSweep, InPlaceJudgesPivots)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    const auto v = [](double x) { return V{static_cast<real_t<V>>(x)}; };
    // S = [4 1; 2 8]; A there: 0 in place of 4, or -4.
    const CsrData<V, I> s{{2, 2}, {0, 2, 4}, {0, 1, 0, 1}, {v(4), v(1), v(2), v(8)}};
    on_each_executor([&](const Executor& exec) {
        const auto swept = [&](double first, size_type block_rows, bool is_hermitian) {
            return swept_in_place<V, I>(exec, {v(first), v(3), v(2), v(16)}, s, block_rows, {2, 1}, is_hermitian);
        };
        EXPECT_EQ(swept(0, 2, false), (std::vector<V>{v(0), v(3), v(2), v(13)})) << "16 - 2 3 / 2";
        EXPECT_EQ(swept(-4, 2, false), (std::vector<V>{v(-4), v(3), v(2), v(17.5)})) << "16 + 2 3 / 4";
        EXPECT_EQ(swept(-4, 2, true), (std::vector<V>{v(-4), v(3), v(2), v(13)})) << "16 - 2 3 / 2";
        EXPECT_EQ(swept(0, 1, false), (std::vector<V>{v(0), v(3), v(2), v(15.5)})) << "16 - 2 1 / 4";
    });
}

TYPED_TEST(ParilutSweep, JudgesPivots)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    using R = real_t<V>;
    const R tiny = std::numeric_limits<R>::epsilon() / 2;
    // Values 0 and 7 are no pivots. Bad are: 0 of norm 3, 0 of norm 0, NaN, a tiny one; -16 of a Hermitian matrix.
    const std::vector<V> values{V{9}, V{4}, V{0}, V{0}, not_a_number<V>(), V{tiny}, V{-16}, V{9}};
    const std::vector<I> diagonal{1, 2, 3, 4, 5, 6};
    const std::vector<R> norms{1, 3, 0, 2, 1, 25};
    on_each_executor([&](const Executor& exec) {
        for (const bool is_hermitian : {false, true}) {
            Array<V> s(exec, values), inverses(exec, 6);
            Array<R> scales(exec, 6);
            Array<PivotReport> report(exec, std::vector<PivotReport>{{-5, -5}});
            parilut_check_pivots<V, I>(exec, 6, Array<I>(exec, diagonal).data(), Array<R>(exec, norms).data(),
                                       is_hermitian, s.data(), {inverses.data(), scales.data(), report.data()});
            const R last = is_hermitian ? 25 : -16;
            EXPECT_EQ(s.to_host(), (std::vector<V>{V{9}, V{4}, V{3}, V{1}, V{2}, V{1}, V{last}, V{9}}));
            expect_near(inverses.to_host(),
                        (std::vector<V>{V{R(0.25)}, V{R{1} / 3}, V{1}, V{R(0.5)}, V{1}, V{R{1} / last}}), 2);
            const R root = is_hermitian ? R(0.2) : R(0.25);
            expect_near(scales.to_host(),
                        (std::vector<R>{R(0.5), R{1} / std::sqrt(R{3}), 1, R{1} / std::sqrt(R{2}), 1, root}), 2);
            EXPECT_EQ(report.to_host().front().num_bad, is_hermitian ? 5 : 4);
            EXPECT_EQ(report.to_host().front().first_row, 1);
        }
    });
}

TYPED_TEST(ParilutSweep, ScalesFactors)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    using R = real_t<V>;
    // [4 8; 6 16]
    const CsrData<V, I> s{{2, 2}, {0, 2, 4}, {0, 1, 0, 1}, {V{4}, V{8}, V{6}, V{16}}};
    const CsrData<V, I> lower{{2, 2}, {0, 1, 3}, {0, 0, 1}, {V{4}, V{6}, V{16}}};
    on_each_executor([&](const Executor& exec) {
        const Array<V> inverses(exec, std::vector<V>{V{R(0.25)}, V{R{1} / 16}});
        const Array<R> scales(exec, std::vector<R>{R(0.5), R(0.25)});
        const auto scaled = [&](const CsrData<V, I>& host, bool is_cholesky) {
            Csr<V, I> f(exec, host);
            parilut_scale<V, I>(exec, f.view(), is_cholesky, inverses.data(), scales.data(), f.values());
            return f.to_host().values;
        };
        EXPECT_EQ(scaled(s, false), (std::vector<V>{V{4}, V{8}, V{R(1.5)}, V{16}}));
        EXPECT_EQ(scaled(lower, true), (std::vector<V>{V{2}, V{3}, V{4}}));
    });
}

}  // namespace
}  // namespace linden::test
