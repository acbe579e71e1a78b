#pragma once

#include "core/base/math.hpp"
#include "core/kernels/ilu.hpp"
#include "test/support/triangular.hpp"

/// Incomplete factorizations on the pattern of a matrix, and what they should be.
namespace linden::test {

/// Values of the factors and what was met on the way.
template <class V>
struct Factors {
    std::vector<V> values;
    PivotReport report;
};

template <class V, class I>
std::vector<real_t<V>> row_norms(const CsrData<V, I>& a)
{
    std::vector<real_t<V>> norms;
    for (size_type row = 0; row < a.size.rows; ++row) {
        real_t<V> sum{};
        for (I k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
            sum += abs2(a.values[k]);
        }
        norms.push_back(std::sqrt(sum));
    }
    return norms;
}

/// What `kernel` makes of a, with levels and diagonal found on the same executor; the same bits once more, and on hosts
/// with levels of runs too.
template <class V, class I, class Kernel>
Factors<V> factorized(const Kernel& kernel, const Executor& exec, const CsrData<V, I>& a,
                      PivotLimits<real_t<V>> limits = {})
{
    const HostPattern<I> host{a.size, a.row_ptrs, a.col_idxs};
    const PatternOn<I> pattern(exec, host);
    Array<I> diagonal(exec, a.size.rows);
    pattern_find_diagonal<I>(exec, pattern.view(), diagonal.data());
    const Array<real_t<V>> norms(exec, row_norms(a));
    limits.norms = norms.data();
    Array<std::byte> workspace(exec, ilu_workspace_bytes(a.size.rows));
    const auto once = [&](size_type max_run) {
        const auto levels = levels_on(exec, host, Side::lower, max_run);
        const Array<I> order(exec, levels.order), level_ptrs(exec, levels.level_ptrs);
        Array<V> values(exec, a.values);
        Array<PivotReport> report(exec, std::vector<PivotReport>{{-7, -7}});
        kernel(
            exec,
            FactorPatternView<I>{pattern.view(), diagonal.data(), order.data(), levels.num_levels, level_ptrs.data()},
            limits, values.data(), report.data(), WorkspaceView{workspace.data(), workspace.size()});
        return Factors<V>{values.to_host(), report.to_host()[0]};
    };
    auto first = once(0);
    EXPECT_TRUE(same_bits(first.values, once(0).values)) << "two runs differ";
    if (exec.is_host()) {
        EXPECT_TRUE(same_bits(first.values, once(7).values)) << "levels of runs differ";
    }
    return first;
}

/// A matrix with all its zeros, and where its pattern has entries.
template <class V>
struct Full {
    template <class I>
    explicit Full(const CsrData<V, I>& a) : n(a.size.rows),
                                            values(n * n),
                                            is_there(n * n)
    {
        for (size_type row = 0; row < a.size.rows; ++row) {
            for (I k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
                (*this)(row, a.col_idxs[k]) = a.values[k];
                is_there[row * n + a.col_idxs[k]] = true;
            }
        }
    }
    V& operator()(size_type i, size_type j) { return values[i * n + j]; }
    bool has(size_type i, size_type j) const { return is_there[i * n + j]; }

    /// The values of the pattern's entries, by rows.
    std::vector<V> on_pattern()
    {
        std::vector<V> result;
        for (std::size_t at = 0; at < values.size(); ++at) {
            if (is_there[at]) {
                result.push_back(values[at]);
            }
        }
        return result;
    }

    size_type n;
    std::vector<V> values;
    std::vector<bool> is_there;
};

/// What stands in for a bad pivot, counted.
template <class R>
R stand_in(R norm, size_type row, PivotReport& report)
{
    report.first_row = report.num_bad == 0 ? row : report.first_row;
    ++report.num_bad;
    return norm == 0 || !std::isfinite(norm) ? R{1} : norm;
}

/// By the definition, with all zeros.
template <class V, class I>
Factors<V> naive_lu(const CsrData<V, I>& a)
{
    Full<V> f(a);
    const auto norms = row_norms(a);
    PivotReport report;
    for (size_type i = 0; i < f.n; ++i) {
        for (size_type k = 0; k < i; ++k) {
            f(i, k) = f.has(i, k) ? f(i, k) / f(k, k) : V{};
            for (size_type j = k + 1; j < f.n && f.has(i, k); ++j) {
                f(i, j) -= f.has(i, j) && f.has(k, j) ? f(i, k) * f(k, j) : V{};
            }
        }
        if (!(std::abs(f(i, i)) > std::numeric_limits<real_t<V>>::epsilon() * norms[i])) {
            f(i, i) = stand_in(norms[i], i, report);
        }
    }
    return {f.on_pattern(), report};
}

template <class V, class I>
Factors<V> naive_cholesky(const CsrData<V, I>& a)
{
    Full<V> f(a);
    const auto norms = row_norms(a);
    PivotReport report;
    for (size_type i = 0; i < f.n; ++i) {
        for (size_type k = 0; k <= i; ++k) {
            for (size_type j = 0; j < k && f.has(i, k); ++j) {
                f(i, k) -= f.has(i, j) && f.has(k, j) ? f(i, j) * conj(f(k, j)) : V{};
            }
            f(i, k) = k == i || !f.has(i, k) ? f(i, k) : f(i, k) / f(k, k);
        }
        auto radicand = real(f(i, i));
        if (!(radicand > std::numeric_limits<real_t<V>>::epsilon() * norms[i])) {
            radicand = stand_in(norms[i], i, report);
        }
        f(i, i) = std::sqrt(radicand);
    }
    return {f.on_pattern(), report};
}

inline void expect_same_report(const PivotReport& actual, const PivotReport& expected)
{
    EXPECT_EQ(actual.num_bad, expected.num_bad);
    EXPECT_EQ(actual.first_row, expected.first_row);
}

/// The pivot of row 1 is 1/64, and right of it is this.
template <class V, class I>
CsrData<V, I> with_small_pivot(double right)
{
    const V one{1}, r{real_t<V>(right)}, second{real_t<V>(1 + 1.0 / 64)};
    return {{3, 3}, {0, 3, 6, 9}, {0, 1, 2, 0, 1, 2, 0, 1, 2}, {one, one, V{}, one, second, r, V{}, r, one}};
}

/// It is bad unless it exceeds a quarter of that, or of its row's norm.
template <class R>
PivotLimits<R> limits_of_small_pivots()
{
    return {.stand_in = R(0.5), .small = R(0.25), .keeps_sign = true};
}

/// What factors_of(a) finds of it: replaced where dividing by it would let entries grow.
template <class V, class I, class FactorsOf>
void expect_replaces_small_pivots(const FactorsOf& factors_of)
{
    using R = real_t<V>;
    const auto good = factors_of(with_small_pivot<V, I>(1.0 / 32));
    expect_near(good.values, {V{1}, V{1}, V{}, V{1}, V{R(1.0 / 64)}, V{R(1.0 / 32)}, V{}, V{2}, V{R(15.0 / 16)}}, 8);
    expect_same_report(good.report, PivotReport{});
    const auto a = with_small_pivot<V, I>(0.125);
    const R instead = row_norms(a)[1] / 2, l = R(0.125) / instead;
    const auto bad = factors_of(a);
    expect_near(bad.values, {V{1}, V{1}, V{}, V{1}, V{instead}, V{R(0.125)}, V{}, V{l}, V{1 - l / 8}}, 8);
    expect_same_report(bad.report, {1, 1});
}

template <class V>
void expect_same_factors(const Factors<V>& actual, const Factors<V>& expected, double k)
{
    expect_near(actual.values, expected.values, k);
    expect_same_report(actual.report, expected.report);
}

/// A random matrix whose rows are sorted and hold their diagonal, which dominates. Its entries below the diagonal are
/// those of `lower`, those above it random, about `mean_upper` of them.
template <class V, class I>
CsrData<V, I> dominant_matrix(Random& random, const HostPattern<I>& lower, size_type mean_upper)
{
    const size_type n = lower.size.rows;
    CsrData<V, I> a{{n, n}, {0}, {}, {}};
    for (size_type row = 0; row < n; ++row) {
        std::vector<size_type> cols(lower.col_idxs.begin() + lower.row_ptrs[row],
                                    lower.col_idxs.begin() + lower.row_ptrs[row + 1]);
        cols.push_back(row);
        const size_type right = n - row - 1;
        for (const auto col :
             detail::distinct_columns(random, right, std::min(right, random.integer(0, 2 * mean_upper + 1)))) {
            cols.push_back(row + 1 + col);
        }
        for (const auto col : cols) {
            a.col_idxs.push_back(static_cast<I>(col));
            a.values.push_back(col == row ? V{static_cast<real_t<V>>(2 + 2 * cols.size())} : random.value<V>());
        }
        a.row_ptrs.push_back(static_cast<I>(a.values.size()));
    }
    return a;
}

/// The lower triangle with the diagonal.
template <class V, class I>
CsrData<V, I> lower_part(const CsrData<V, I>& a)
{
    CsrData<V, I> l{a.size, {0}, {}, {}};
    for (size_type row = 0; row < a.size.rows; ++row) {
        for (I k = a.row_ptrs[row]; k < a.row_ptrs[row + 1] && a.col_idxs[k] <= row; ++k) {
            l.col_idxs.push_back(a.col_idxs[k]);
            l.values.push_back(a.values[k]);
        }
        l.row_ptrs.push_back(static_cast<I>(l.values.size()));
    }
    return l;
}

/// Turns some rows' lower entries and diagonal, or all, to zeros, and puts NaN into one row: pivots that are exactly
/// bad.
template <class V, class I>
void spoil_rows(CsrData<V, I>& a)
{
    const size_type n = a.size.rows;
    for (size_type row = 2; row < n; row += 9) {
        for (I k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
            a.values[k] = a.col_idxs[k] <= row || row % 2 == 0 ? V{} : a.values[k];
        }
    }
    if (n > 20) {
        a.values[a.row_ptrs[n - 5]] = not_a_number<V>();
    }
}

/// Kernel and definition agree on every executor on small matrices of every kind, healthy and spoiled; `make(pattern)`
/// is a matrix with this strict lower triangle.
template <class V, class I, class Kernel, class Naive, class Make>
void expect_factors_like_naive(const Kernel& kernel, const Naive& naive, Random& random, const Make& make)
{
    const auto compare = [&](const HostPattern<I>& lower) {
        SCOPED_TRACE(std::to_string(lower.size.rows) + " rows");
        auto a = make(lower);
        for (const bool spoiled : {false, true}) {
            if (spoiled) {
                spoil_rows(a);
            }
            const auto expected = naive(a);
            EXPECT_EQ(expected.report.num_bad > 0, spoiled && a.size.rows > 2);
            on_each_executor(
                [&](const Executor& exec) { expect_same_factors(factorized(kernel, exec, a), expected, 50); });
        }
    };
    for (const size_type n : {0, 1, 2, 31, 32, 33, 70}) {
        for (const auto kind : all_patterns) {
            compare(random_strict_pattern<I>(random, n, kind, false));
        }
        compare(random_strict_pattern<I>(random, n, Pattern::dense_row, true));
    }
}

/// Every executor factorizes large matrices as the reference does.
template <class V, class I, class Kernel, class Make>
void expect_large_factors_like_reference(const Kernel& kernel, Random& random, const Make& make)
{
    const auto compare = [&](const HostPattern<I>& lower) {
        auto a = make(lower);
        for (const bool spoiled : {false, true}) {
            if (spoiled) {
                spoil_rows(a);
            }
            const auto expected = factorized(kernel, reference_executor(), a);
            on_each_other_executor(
                [&](const Executor& exec) { expect_same_factors(factorized(kernel, exec, a), expected, 50); });
        }
    };
    compare(random_strict_pattern<I>(random, 597, Pattern::dense_row, true));
    compare(layered_pattern<I>(random, std::vector<size_type>(3000, 1), 3));
    for_each_large_triangle<I>(random, compare);
    compare(pattern_of_runs<I>(2000, 9, 400));
}

}  // namespace linden::test
