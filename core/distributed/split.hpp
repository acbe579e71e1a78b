#pragma once

#include <linden/distributed/partition.hpp>
#include <linden/matrix/csr.hpp>

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <string>

namespace linden::distributed {

/// The own rows of a rank in two parts. Inner rows use own columns only, which count from the first own row; in `inner`
/// the other rows are empty. Rows at the rim are whole in `rim`, whose columns are those that they use, in the order of
/// the whole matrix: ghosts of lower ranks, own ones, ghosts of higher ranks. So every row keeps the order of its
/// entries.
template <class V, class I>
struct Split {
    Csr<V, I> inner, rim;              // on a host
    std::vector<I> rim_rows;           // own rows, counted from the first one
    std::vector<I> rim_own;            // the own columns of the rim
    std::vector<std::int64_t> ghosts;  // in ascending order
    size_type num_lower_ghosts = 0;    // of lower ranks
};

/// @throws InvalidParameter if the lengths of arrays do not match, or a column is outside of the matrix
template <class V>
void require_csr(const CsrData<V, std::int64_t>& rows)
{
    const auto n = static_cast<std::size_t>(rows.size.rows);
    if (rows.row_ptrs.size() != n + 1 || rows.row_ptrs.front() != 0 ||
        !std::is_sorted(rows.row_ptrs.begin(), rows.row_ptrs.end()) ||
        rows.col_idxs.size() != static_cast<std::size_t>(rows.row_ptrs.back()) ||
        rows.values.size() != rows.col_idxs.size()) {
        throw InvalidParameter("rows", "arrays whose lengths do not match", "CSR with rows + 1 row pointers from 0 on");
    }
    for (std::size_t row = 0; row < n; ++row) {
        for (auto k = rows.row_ptrs[row]; k < rows.row_ptrs[row + 1]; ++k) {
            const auto col = rows.col_idxs[static_cast<std::size_t>(k)];
            if (col < 0 || col >= rows.size.cols) {
                throw InvalidParameter("rows", "column " + std::to_string(col) + " in row " + std::to_string(row),
                                       "columns from 0 to " + std::to_string(rows.size.cols - 1));
            }
        }
    }
}

/// Whether columns ascend strictly in each row.
template <class V>
bool is_sorted(const CsrData<V, std::int64_t>& rows)
{
    for (std::size_t row = 1; row < rows.row_ptrs.size(); ++row) {
        const auto first = rows.col_idxs.begin() + rows.row_ptrs[row - 1];
        const auto last = rows.col_idxs.begin() + rows.row_ptrs[row];
        if (std::adjacent_find(first, last, std::greater_equal<>()) != last) {
            return false;
        }
    }
    return true;
}

/// `rows`, well formed, with columns in ascending order. @throws InvalidParameter if a column is twice in a row
template <class V>
CsrData<V, std::int64_t> sorted(CsrData<V, std::int64_t> rows)
{
    std::vector<std::size_t> order;
    for (std::size_t row = 0; row < static_cast<std::size_t>(rows.size.rows); ++row) {
        const auto begin = static_cast<std::size_t>(rows.row_ptrs[row]);
        const auto end = static_cast<std::size_t>(rows.row_ptrs[row + 1]);
        const auto first = rows.col_idxs.begin() + rows.row_ptrs[row];
        const auto last = rows.col_idxs.begin() + rows.row_ptrs[row + 1];
        if (!std::is_sorted(first, last)) {
            order.resize(end - begin);
            std::iota(order.begin(), order.end(), begin);
            std::sort(order.begin(), order.end(),
                      [&](std::size_t i, std::size_t j) { return rows.col_idxs[i] < rows.col_idxs[j]; });
            const CsrData<V, std::int64_t> old{
                {},
                {},
                {first, last},
                {rows.values.begin() + rows.row_ptrs[row], rows.values.begin() + rows.row_ptrs[row + 1]}};
            for (std::size_t k = 0; k < order.size(); ++k) {
                rows.col_idxs[begin + k] = old.col_idxs[order[k] - begin];
                rows.values[begin + k] = old.values[order[k] - begin];
            }
        }
        if (const auto twice = std::adjacent_find(first, last); twice != last) {
            throw InvalidParameter("rows", "column " + std::to_string(*twice) + " twice in row " + std::to_string(row),
                                   "each column once");
        }
    }
    return rows;
}

/// The rows of `rows` for which `is_taken`, with columns `local(col)`, on a host. Other rows are empty if
/// `size` has as many rows, else left out.
template <class V, class I, class IsTaken, class Local>
Csr<V, I> taken_rows(const Executor& host, const CsrData<V, std::int64_t>& rows, Dim size, const IsTaken& is_taken,
                     const Local& local)
{
    const auto n = static_cast<std::size_t>(rows.size.rows);
    const bool keeps_others = size.rows == rows.size.rows;
    const auto length = [&](std::size_t row) { return rows.row_ptrs[row + 1] - rows.row_ptrs[row]; };
    Array<I> row_ptrs(host, size.rows + 1);
    I* next_ptr = row_ptrs.data();
    *next_ptr = 0;
    for (std::size_t row = 0; row < n; ++row) {
        if (keeps_others || is_taken(row)) {
            next_ptr[1] = static_cast<I>(next_ptr[0] + (is_taken(row) ? length(row) : 0));
            ++next_ptr;
        }
    }
    Array<I> col_idxs(host, *next_ptr);
    Array<V> values(host, *next_ptr);
    size_type to = 0;
    for (std::size_t row = 0; row < n; ++row) {
        for (auto k = static_cast<std::size_t>(rows.row_ptrs[row]);
             is_taken(row) && k < static_cast<std::size_t>(rows.row_ptrs[row + 1]); ++k, ++to) {
            col_idxs.data()[to] = static_cast<I>(local(rows.col_idxs[k]));
            values.data()[to] = rows.values[k];
        }
    }
    return Csr<V, I>(host, size, std::move(row_ptrs), std::move(col_idxs), std::move(values));
}

/// Splits sorted rows that begin with row `first` of the whole matrix; no more memory than for the result and the
/// columns of the rim. @throws InvalidParameter if I is too small
template <class V, class I>
Split<V, I> split(const Executor& host, const CsrData<V, std::int64_t>& rows, std::int64_t first)
{
    const auto n = rows.size.rows;
    const auto is_own = [&](std::int64_t col) { return col >= first && col < first + n; };
    Split<V, I> result{Csr<V, I>(host, Dim{}), Csr<V, I>(host, Dim{}), {}, {}, {}, 0};
    std::vector<std::int64_t> used;  // columns of the rim
    std::vector<bool> at_rim(static_cast<std::size_t>(n));
    for (size_type row = 0; row < n; ++row) {
        const auto begin = rows.col_idxs.begin() + rows.row_ptrs[static_cast<std::size_t>(row)];
        const auto end = rows.col_idxs.begin() + rows.row_ptrs[static_cast<std::size_t>(row) + 1];
        if (!std::all_of(begin, end, is_own)) {
            at_rim[static_cast<std::size_t>(row)] = true;
            result.rim_rows.push_back(static_cast<I>(row));
            used.insert(used.end(), begin, end);
        }
    }
    std::sort(used.begin(), used.end());
    used.erase(std::unique(used.begin(), used.end()), used.end());
    const auto num_used = static_cast<size_type>(used.size());
    const auto most = std::max({n, num_used, rows.num_nonzeros()});
    if (most > static_cast<size_type>(std::numeric_limits<I>::max())) {
        throw InvalidParameter("index type", "of " + std::to_string(8 * sizeof(I)) + " bits",
                               "one that can count to " + std::to_string(most));
    }
    for (const auto col : used) {
        if (is_own(col)) {
            result.rim_own.push_back(static_cast<I>(col - first));
        } else {
            result.num_lower_ghosts += col < first;
            result.ghosts.push_back(col);
        }
    }
    result.inner = taken_rows<V, I>(
        host, rows, {n, n}, [&](std::size_t row) { return !at_rim[row]; },
        [&](std::int64_t col) { return col - first; });
    result.rim = taken_rows<V, I>(
        host, rows, {static_cast<size_type>(result.rim_rows.size()), num_used},
        [&](std::size_t row) { return at_rim[row]; },
        [&](std::int64_t col) { return std::lower_bound(used.begin(), used.end(), col) - used.begin(); });
    return result;
}

}  // namespace linden::distributed
