#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "core/base/math.hpp"
#include "core/kernels/ilut.hpp"
#include "test/support/host_kernels.hpp"
#include "test/support/kernel_cases.hpp"
#include "test/support/pathological.hpp"

/// Factors with thresholds by the kernels, and what they are compared with.
namespace linden::test {

template <class V, class I>
struct ThresholdResult {
    CsrData<V, I> f;
    PivotReport report;
};

/// What a kernel makes of `host`, in a workspace for as many parts as `exec` has threads.
template <class V, class I, class Kernel>
ThresholdResult<V, I> factorize(const Kernel& kernel, const Executor& exec, const CsrData<V, I>& host,
                                ThresholdRule rule, real_t<V> shift = 0)
{
    const size_type n = host.size.rows;
    const Csr<V, I> a(exec, host);
    Array<I> counts(exec, n);
    const size_type capacity = rule.ilut_capacity();
    Array<I> cols(exec, n * capacity);
    Array<V> values(exec, n * capacity);
    Array<PivotReport> report(exec, std::vector<PivotReport>{{-1, -1}});
    auto workspace = dirty_workspace(exec, ilut_workspace_bytes<V, I>(n, exec.info().num_units));
    const LimitedRowsView<V, I> f{n, capacity, counts.data(), cols.data(), values.data()};
    kernel(exec, a.view(), rule, shift, f, report.data(), {workspace.data(), workspace.size()});

    ThresholdResult<V, I> result{{host.size, {0}, {}, {}}, report.to_host().front()};
    const auto all_counts = counts.to_host();
    const auto all_cols = cols.to_host();
    const auto all_values = values.to_host();
    for (size_type row = 0; row < n; ++row) {
        const auto begin = row * capacity;
        result.f.col_idxs.insert(result.f.col_idxs.end(), &all_cols[begin], &all_cols[begin] + all_counts[row]);
        result.f.values.insert(result.f.values.end(), &all_values[begin], &all_values[begin] + all_counts[row]);
        result.f.row_ptrs.push_back(static_cast<I>(result.f.values.size()));
    }
    return result;
}

/// The same bits, but for those of what is not a number.
template <class V>
bool same_value(V x, V y)
{
    if constexpr (is_complex<V>) {
        return same_value(x.real(), y.real()) && same_value(x.imag(), y.imag());
    } else {
        return is_nan(x) ? is_nan(y) : std::memcmp(&x, &y, sizeof(V)) == 0;
    }
}

template <class V, class I>
bool same_result(const ThresholdResult<V, I>& x, const ThresholdResult<V, I>& y)
{
    return x.report.num_bad == y.report.num_bad && x.report.first_row == y.report.first_row &&
           x.f.row_ptrs == y.f.row_ptrs && x.f.col_idxs == y.f.col_idxs &&
           std::equal(x.f.values.begin(), x.f.values.end(), y.f.values.begin(), same_value<V>);
}

/// The magnitudes of values that are not finite mean nothing: they fall out of comparisons with tolerances.
template <class V, class I>
void expect_near_result(const ThresholdResult<V, I>& actual, const ThresholdResult<V, I>& expected, double k)
{
    EXPECT_EQ(actual.report.num_bad, expected.report.num_bad);
    EXPECT_EQ(actual.report.first_row, expected.report.first_row);
    EXPECT_EQ(actual.f.row_ptrs, expected.f.row_ptrs);
    EXPECT_EQ(actual.f.col_idxs, expected.f.col_idxs);
    expect_near(actual.f.values, expected.f.values, k);
}

/// Rows of a matrix as maps, which keep columns in order.
template <class V>
using MapRows = std::vector<std::map<size_type, V>>;

template <class V, class I>
MapRows<V> map_rows(const CsrData<V, I>& a)
{
    MapRows<V> rows(static_cast<std::size_t>(a.size.rows));
    for (std::size_t i = 0; i < rows.size(); ++i) {
        for (auto e = a.row_ptrs[i]; e < a.row_ptrs[i + 1]; ++e) {
            rows[i][a.col_idxs[e]] += a.values[e];
        }
    }
    return rows;
}

template <class V, class I>
CsrData<V, I> csr_from_maps(const MapRows<V>& rows)
{
    const auto n = static_cast<size_type>(rows.size());
    CsrData<V, I> a{{n, n}, {0}, {}, {}};
    for (const auto& row : rows) {
        for (const auto& [col, value] : row) {
            a.col_idxs.push_back(static_cast<I>(col));
            a.values.push_back(value);
        }
        a.row_ptrs.push_back(static_cast<I>(a.values.size()));
    }
    return a;
}

template <class V>
double norm2(const std::map<size_type, V>& row)
{
    double sum = 0;
    for (const auto& [col, value] : row) {
        sum += static_cast<double>(abs2(value));
    }
    return std::sqrt(sum);
}

/// What of a row stays by the rule, by sorting.
template <class V>
std::map<size_type, V> limited(const std::map<size_type, V>& row, size_type i, ThresholdRule rule, double norm)
{
    std::vector<std::pair<double, size_type>> order;
    for (const auto& [col, value] : row) {
        const double magnitude = std::abs(value);
        if (col != i && !(magnitude < rule.tolerance * norm)) {
            order.emplace_back(-magnitude, col);
        }
    }
    std::sort(order.begin(), order.end());
    std::map<size_type, V> kept{{i, row.at(i)}};
    size_type num_lower = 0;
    size_type num_upper = 0;
    for (const auto& [magnitude, col] : order) {
        if ((col < i ? num_lower : num_upper)++ < rule.row_limit) {
            kept[col] = row.at(col);
        }
    }
    return kept;
}

/// The largest row of A - L U (L with a unit diagonal), in terms of that of A.
template <class V, class I>
double defect_of_lu(const CsrData<V, I>& a, const CsrData<V, I>& factors)
{
    const auto f = map_rows(factors);
    auto rows = map_rows(a);
    double largest = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const double norm = norm2(rows[i]);
        const auto end = f[i].upper_bound(static_cast<size_type>(i));
        for (auto l = f[i].begin(); l != end; ++l) {
            const auto& u = f[static_cast<std::size_t>(l->first)];
            const V factor = l->first == static_cast<size_type>(i) ? V{1} : l->second;
            std::for_each(u.find(l->first), u.end(),
                          [&](const auto& entry) { rows[i][entry.first] -= factor * entry.second; });
        }
        largest = std::max(largest, norm2(rows[i]) / norm);
    }
    return largest;
}

/// The largest row of the upper triangle of A - U^H U, in terms of the whole row of A.
template <class V, class I>
double defect_of_cholesky(const CsrData<V, I>& a, const CsrData<V, I>& factor)
{
    const auto u = map_rows(factor);
    auto rows = map_rows(a);
    std::vector<double> norms;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        norms.push_back(norm2(rows[i]));
        rows[i].erase(rows[i].begin(), rows[i].lower_bound(static_cast<size_type>(i)));
    }
    for (const auto& row : u) {
        for (auto i = row.begin(); i != row.end(); ++i) {
            auto& target = rows[static_cast<std::size_t>(i->first)];
            std::for_each(i, row.end(), [&](const auto& j) { target[j.first] -= conj(i->second) * j.second; });
        }
    }
    double largest = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        largest = std::max(largest, norm2(rows[i]) / norms[i]);
    }
    return largest;
}

/// Random, n x n, sorted, with a diagonal that dominates, but for every seventh row, where it is missing if
/// `with_gaps`.
template <class V, class I>
CsrData<V, I> random_for_factors(Random& random, size_type n, Pattern kind, bool with_gaps)
{
    auto rows = map_rows(random_csr<V, I>(random, {n, n}, 4, kind));
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (with_gaps && i % 7 == 3) {
            rows[i].erase(static_cast<size_type>(i));
        } else {
            rows[i][static_cast<size_type>(i)] = V{static_cast<real_t<V>>(5 + norm2(rows[i]))};
        }
    }
    return csr_from_maps<V, I>(rows);
}

/// The 5-point Laplacian of `width` x n / width points, where many magnitudes are equal.
template <class V, class I>
CsrData<V, I> grid_matrix(size_type width, size_type n)
{
    MapRows<V> rows(static_cast<std::size_t>(n));
    for (size_type i = 0; i < n; ++i) {
        for (const size_type j :
             {i - width, i % width == 0 ? -1 : i - 1, (i + 1) % width == 0 ? -1 : i + 1, i + width}) {
            if (j >= 0 && j < n) {
                rows[i][j] = V{-1};
            }
        }
        rows[i][i] = V{4};
    }
    return csr_from_maps<V, I>(rows);
}

/// A dominant diagonal, and every `step`th row and column full: the largest entries beside the diagonal are anywhere.
template <class V, class I>
CsrData<V, I> arrows_matrix(Random& random, size_type n, size_type step)
{
    MapRows<V> rows(static_cast<std::size_t>(n));
    for (size_type i = 0; i < n; ++i) {
        for (size_type j = 0; j < n; j += i % step == 0 ? 1 : step) {
            rows[i][j] = V{static_cast<real_t<V>>(random.unit())};
        }
        rows[i][i] = V{static_cast<real_t<V>>(n)};
    }
    return csr_from_maps<V, I>(rows);
}

/// The same matrix with the entries of each row from the last to the first.
template <class V, class I>
CsrData<V, I> with_rows_reversed(CsrData<V, I> a)
{
    for (size_type row = 0; row < a.size.rows; ++row) {
        const auto begin = a.row_ptrs[row];
        const auto end = a.row_ptrs[row + 1];
        std::reverse(a.col_idxs.begin() + begin, a.col_idxs.begin() + end);
        std::reverse(a.values.begin() + begin, a.values.begin() + end);
    }
    return a;
}

}  // namespace linden::test
