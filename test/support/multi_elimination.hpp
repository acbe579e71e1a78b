#pragma once

#include <algorithm>
#include <complex>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "core/kernels/multi_elimination.hpp"
#include "test/support/kernel_cases.hpp"
#include "test/support/same_matrix.hpp"

/// What the tests of the kernels of multi-elimination share.
namespace linden::test {

/// What EliminationView shows, on the host.
template <class I>
struct HostLevel {
    std::vector<I> pivots, rows, columns, kept_rows, kept_columns, pivot_rows;

    bool operator==(const HostLevel&) const = default;
    size_type size() const { return static_cast<size_type>(pivots.size()); }
    bool is_pivot_row(size_type row) const { return rows[row] < 0; }
    bool is_pivot_column(size_type col) const { return columns[col] < 0; }
};

template <class I>
HostLevel<I> numbered(const std::vector<I>& pivots)
{
    const auto n = pivots.size();
    HostLevel<I> level{pivots, std::vector<I>(n), std::vector<I>(n), {}, {}, {}};
    for (std::size_t row = 0; row < n; ++row) {
        if (pivots[row] < 0) {
            level.rows[row] = static_cast<I>(level.kept_rows.size());
            level.kept_rows.push_back(static_cast<I>(row));
        } else {
            level.pivot_rows.push_back(static_cast<I>(row));
            level.rows[row] = -static_cast<I>(level.pivot_rows.size());
            level.columns[pivots[row]] = level.rows[row];
        }
    }
    for (std::size_t col = 0; col < n; ++col) {
        if (level.columns[col] == 0) {
            level.columns[col] = static_cast<I>(level.kept_columns.size());
            level.kept_columns.push_back(static_cast<I>(col));
        }
    }
    return level;
}

/// A level in an executor's memory.
template <class I>
class LevelOn {
public:
    LevelOn(const Executor& exec, const HostLevel<I>& level)
        : pivots_(exec, level.pivots),
          rows_(exec, level.rows),
          columns_(exec, level.columns),
          kept_rows_(exec, level.kept_rows),
          kept_columns_(exec, level.kept_columns),
          pivot_rows_(exec, level.pivot_rows)
    {
    }

    EliminationView<I> view() const
    {
        return {pivots_.size(),  kept_rows_.size(), pivots_.data(),       rows_.data(),
                columns_.data(), kept_rows_.data(), kept_columns_.data(), pivot_rows_.data()};
    }

private:
    Array<I> pivots_, rows_, columns_, kept_rows_, kept_columns_, pivot_rows_;
};

/// The numbers below n in a random order.
template <class I>
std::vector<I> random_order(Random& random, size_type n)
{
    std::vector<I> order(static_cast<std::size_t>(n));
    std::iota(order.begin(), order.end(), I{0});
    for (size_type i = n - 1; i > 0; --i) {
        std::swap(order[i], order[random.integer(0, i + 1)]);
    }
    return order;
}

/// Pivots in any columns, for this share of the rows.
template <class I>
std::vector<I> random_pivots(Random& random, size_type n, double share)
{
    auto pivots = random_order<I>(random, n);
    for (auto& col : pivots) {
        col = random.unit() < share ? col : -1;
    }
    return pivots;
}

/// random_csr, with the diagonal in three of four rows that are not empty.
template <class V, class I>
CsrData<V, I> random_with_diagonal(Random& random, size_type n, size_type mean, Pattern pattern)
{
    const auto a = random_csr<V, I>(random, {n, n}, mean, pattern);
    CsrData<V, I> result{a.size, {0}, {}, {}};
    for (I row = 0; row < n; ++row) {
        std::vector<I> cols(a.col_idxs.begin() + a.row_ptrs[row], a.col_idxs.begin() + a.row_ptrs[row + 1]);
        const auto at = std::lower_bound(cols.begin(), cols.end(), row);
        if (!cols.empty() && (at == cols.end() || *at != row) && random.unit() < 0.75) {
            cols.insert(at, row);
        }
        for (const I col : cols) {
            result.col_idxs.push_back(col);
            result.values.push_back(random.value<V>());
        }
        result.row_ptrs.push_back(static_cast<I>(result.values.size()));
    }
    return result;
}

/// Calls f(a) for random matrices of every kind: rows with few entries and with many on average, for every number of
/// threads to a row.
template <class V, class I, class F>
void for_each_elimination_matrix(Random& random, const F& f)
{
    const std::pair<size_type, size_type> shapes[] = {{0, 6}, {1, 6}, {31, 6}, {32, 6}, {33, 6}, {97, 30}, {597, 4}};
    for (const auto& [n, mean] : shapes) {
        for (const auto pattern : all_patterns) {
            SCOPED_TRACE(std::to_string(n) + " rows, pattern " + std::to_string(static_cast<int>(pattern)));
            f(random_with_diagonal<V, I>(random, n, mean, pattern));
        }
    }
}

/// Calls f(a, level) for random matrices and levels: without pivots, with some, and with pivots alone.
template <class V, class I, class F>
void for_each_level(Random& random, const F& f)
{
    for_each_elimination_matrix<V, I>(random, [&](const CsrData<V, I>& a) {
        for (const double share : {0.0, 0.6, 1.0}) {
            SCOPED_TRACE(std::to_string(share) + " of the rows are pivots");
            f(a, numbered(random_pivots<I>(random, a.size.rows, share)));
        }
    });
}

/// The number of entries that `is_taken(row, entry)` chooses, row by row.
template <class V, class I, class F>
std::vector<I> counts_where(const CsrData<V, I>& a, const F& is_taken)
{
    std::vector<I> counts(static_cast<std::size_t>(a.size.rows));
    for (I row = 0; row < a.size.rows; ++row) {
        for (I k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
            counts[row] += is_taken(row, k) ? 1 : 0;
        }
    }
    return counts;
}

/// {0, counts[0], counts[0] + counts[1], ...}
template <class I>
std::vector<I> prefix_sums(const std::vector<I>& counts)
{
    std::vector<I> sums{0};
    for (const I count : counts) {
        sums.push_back(sums.back() + count);
    }
    return sums;
}

/// A matrix that a kernel writes, to be found by its row pointers, with -7 where nothing was written.
template <class V, class I>
class RowsOn {
public:
    RowsOn(const Executor& exec, Dim size, const std::vector<I>& counts)
        : size_(size),
          row_ptrs_(exec, prefix_sums(counts)),
          col_idxs_(exec, std::vector<I>(static_cast<std::size_t>(prefix_sums(counts).back()), I{-7})),
          values_(exec, std::vector<V>(static_cast<std::size_t>(col_idxs_.size()), V{-7}))
    {
    }

    WrittenRows<V, I> written() { return {row_ptrs_.data(), col_idxs_.data(), values_.data()}; }
    CsrData<V, I> to_host() const { return {size_, row_ptrs_.to_host(), col_idxs_.to_host(), values_.to_host()}; }

private:
    Dim size_;
    Array<I> row_ptrs_, col_idxs_;
    Array<V> values_;
};

template <class V>
V infinite()
{
    return V{std::numeric_limits<real_t<V>>::infinity()};
}

/// Zeros, NaN and infinite numbers in three of twenty places.
template <class V, class I>
CsrData<V, I> with_odd_values(Random& random, CsrData<V, I> a)
{
    for (auto& value : a.values) {
        const auto odd = random.integer(0, 20);
        value = odd == 0 ? V{} : odd == 1 ? not_a_number<V>() : odd == 2 ? -infinite<V>() : value;
    }
    return a;
}

/// own + omega sum, or own where less than a tenth of it would be left.  own: not zero.
template <class V>
V lumped_by_definition(V own, double omega, V sum)
{
    using Wide = std::conditional_t<is_complex<V>, std::complex<long double>, long double>;
    const V both = own + V{static_cast<real_t<V>>(omega)} * sum;
    return std::real(Wide(both) / Wide(own)) < 0.1L ? own : both;
}

/// Powers of two whose squares are zero and infinite: 1e-170 and 1e200, or 1e-30 and 1e30 in single precision.
template <class R>
inline constexpr R tiny = static_cast<R>(sizeof(R) == 8 ? 0x1p-565 : 0x1p-100);
template <class R>
inline constexpr R huge = static_cast<R>(sizeof(R) == 8 ? 0x1p664 : 0x1p100);

/// [. 1 2 . 3; . 5 9 2 .; 1 . 3 4 .; 4 6 . 1 .; . . . . 8]
template <class V, class I>
CsrData<V, I> elimination_example()
{
    CsrData<V, I> a{{5, 5}, {0, 3, 6, 9, 12, 13}, {1, 2, 4, 1, 2, 3, 0, 2, 3, 0, 1, 3, 4}, {}};
    for (const double value : {1, 2, 3, 5, 9, 2, 1, 3, 4, 4, 6, 1, 8}) {
        a.values.push_back(number<V>(value, 0));
    }
    return a;
}

/// Pivots 2, 4 and 8, in the columns 3, 0 and 4 of rows 1, 3 and 4.
template <class I>
HostLevel<I> example_level()
{
    return {{-1, 3, -1, 0, 4}, {0, -1, 1, -2, -3}, {-2, 0, 1, -1, -3}, {0, 2}, {1, 2}, {1, 3, 4}};
}

}  // namespace linden::test
