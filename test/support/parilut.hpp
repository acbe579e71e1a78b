#pragma once

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "core/factorization/long_rows.hpp"
#include "core/kernels/parilut.hpp"
#include "test/support/kernel_cases.hpp"
#include "test/support/same_matrix.hpp"

/// What the tests of fixed-point iterations for incomplete factors share.
namespace linden::test {

/// Rows as maps from columns to values.
template <class V>
using MappedRows = std::vector<std::map<size_type, V>>;

template <class V, class I>
MappedRows<V> mapped(const CsrData<V, I>& a)
{
    MappedRows<V> rows(static_cast<std::size_t>(a.size.rows));
    for (size_type row = 0; row < a.size.rows; ++row) {
        for (I k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
            rows[row][a.col_idxs[k]] = a.values[k];
        }
    }
    return rows;
}

template <class V, class I>
CsrData<V, I> csr_of_rows(const MappedRows<V>& rows, size_type cols)
{
    CsrData<V, I> a{{static_cast<size_type>(rows.size()), cols}, {0}, {}, {}};
    for (const auto& row : rows) {
        for (const auto& [col, value] : row) {
            a.col_idxs.push_back(static_cast<I>(col));
            a.values.push_back(value);
        }
        a.row_ptrs.push_back(static_cast<I>(a.values.size()));
    }
    return a;
}

/// w_ij = a_ij - sum over k < min(i, j) of s_ik s_kj / s_kk, on the pattern of A, the diagonal and that of L U.
template <class V>
MappedRows<V> iterated(const MappedRows<V>& a, const MappedRows<V>& s)
{
    MappedRows<V> w = a;
    for (size_type i = 0; i < static_cast<size_type>(a.size()); ++i) {
        w[i][i] += V{};
        for (const auto& [k, lower] : s[i]) {
            if (k >= i) {
                break;
            }
            for (auto u = s[k].upper_bound(k); u != s[k].end(); ++u) {
                w[i][u->first] -= lower * u->second / s[k].at(k);
            }
        }
    }
    return w;
}

/// Has the diagonal everywhere, dominant.
template <class V, class I>
CsrData<V, I> random_iterate(Random& random, size_type n, size_type mean, Pattern pattern)
{
    auto rows = mapped(random_csr<V, I>(random, {n, n}, mean, pattern));
    for (size_type i = 0; i < n; ++i) {
        rows[i][i] = V{real_t<V>(4)} + V{real_t<V>(0.5)} * rows[i][i];
    }
    return csr_of_rows<V, I>(rows, n);
}

/// A sparse matrix with a full row near its end, another that is half full, and a full column near its begin.
template <class V, class I>
CsrData<V, I> random_arrow(Random& random, size_type n, V diagonal)
{
    auto rows = mapped(random_csr<V, I>(random, {n, n}, 2));
    for (size_type i = 0; i < n; ++i) {
        rows[n - 2][i] = random.value<V>();
        rows[n - 5][i / 2 * 2] = random.value<V>();
        rows[i][3] = random.value<V>();
    }
    for (size_type i = 0; i < n && diagonal != V{}; ++i) {
        rows[i][i] = diagonal;
    }
    return csr_of_rows<V, I>(rows, n);
}

/// S in an executor's memory, with what FixedPointView has of its diagonal. Pivots are not judged.
template <class V, class I>
class IterateOn {
public:
    using R = real_t<V>;

    IterateOn(const Executor& exec, const CsrData<V, I>& host)
        : s_(exec, host),
          diagonal_(exec, host.size.rows),
          inverses_(exec, host.size.rows),
          scales_(exec, host.size.rows),
          long_rows_(exec)
    {
        const auto n = host.size.rows;
        pattern_find_diagonal<I>(exec, s_.view(), diagonal_.data());
        const Array<R> norms(exec, std::vector<R>(static_cast<std::size_t>(n), R{0}));
        Array<PivotReport> report(exec, 1);
        parilut_check_pivots<V, I>(exec, n, diagonal_.data(), norms.data(), false, s_.values(),
                                   {inverses_.data(), scales_.data(), report.data()});
        long_rows_.expect(s_.view());
        long_rows_.find(s_.view(), diagonal_);
    }

    FixedPointView<V, I> view() const
    {
        return {s_.view(), diagonal_.data(), inverses_.data(), scales_.data(), long_rows_.view()};
    }
    const real_t<V>* scales() const { return scales_.data(); }

private:
    Csr<V, I> s_;
    Array<I> diagonal_;
    Array<V> inverses_;
    Array<R> scales_;
    linden::detail::LongRowsOf<I> long_rows_;
};

/// Random pairs of A, which may lack entries of the diagonal, and S: f(a, s).
template <class V, class I, class F>
void for_each_iterate(Random& random, F&& f)
{
    const auto call = [&](size_type n, size_type mean, Pattern pattern) {
        SCOPED_TRACE(std::to_string(n) + " rows of about " + std::to_string(mean));
        f(random_csr<V, I>(random, {n, n}, mean, pattern), random_iterate<V, I>(random, n, mean, pattern));
    };
    call(0, 0, Pattern::uniform);
    call(1, 1, Pattern::uniform);
    call(40, 3, Pattern::uniform);
    call(200, 3, Pattern::dense_row);
    call(70, 36, Pattern::uniform);
    f(random_arrow<V, I>(random, 1100, V{}), random_arrow<V, I>(random, 1100, V{real_t<V>(4)}));
}

}  // namespace linden::test
