#pragma once

#include <linden/distributed/partition.hpp>

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>

namespace linden::distributed {

/// The own rows of a rank in two parts. Inner rows use own columns only, which count from the first own row; in `inner`
/// the other rows are empty. Rows at the rim are whole in `rim`, whose columns are those that they use, in the order of
/// the whole matrix: ghosts of lower ranks, own ones, ghosts of higher ranks. So every row keeps the order of its
/// entries.
template <class V, class I>
struct Split {
    CsrData<V, I> inner, rim;
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

/// `rows` with columns in ascending order. @throws InvalidParameter if it is not well formed
template <class V>
CsrData<V, std::int64_t> sorted(CsrData<V, std::int64_t> rows)
{
    require_csr(rows);
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

/// Splits sorted rows that begin with row `first` of the whole matrix. @throws InvalidParameter if I is too small
template <class V, class I>
Split<V, I> split(const CsrData<V, std::int64_t>& rows, std::int64_t first)
{
    const auto n = rows.size.rows;
    const auto is_own = [&](std::int64_t col) { return col >= first && col < first + n; };
    Split<V, I> result;
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
    const auto most = std::max({n, static_cast<size_type>(used.size()), rows.num_nonzeros()});
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

    result.inner.size = {n, n};
    result.inner.row_ptrs.push_back(0);
    result.rim.size = {static_cast<size_type>(result.rim_rows.size()), static_cast<size_type>(used.size())};
    result.rim.row_ptrs.push_back(0);
    for (size_type row = 0; row < n; ++row) {
        const bool rim_row = at_rim[static_cast<std::size_t>(row)];
        auto& part = rim_row ? result.rim : result.inner;
        for (auto k = static_cast<std::size_t>(rows.row_ptrs[static_cast<std::size_t>(row)]);
             k < static_cast<std::size_t>(rows.row_ptrs[static_cast<std::size_t>(row) + 1]); ++k) {
            const auto col = rows.col_idxs[k];
            const auto local = rim_row ? std::lower_bound(used.begin(), used.end(), col) - used.begin() : col - first;
            part.col_idxs.push_back(static_cast<I>(local));
            part.values.push_back(rows.values[k]);
        }
        if (rim_row) {
            result.rim.row_ptrs.push_back(static_cast<I>(result.rim.col_idxs.size()));
        }
        result.inner.row_ptrs.push_back(static_cast<I>(result.inner.col_idxs.size()));
    }
    return result;
}

}  // namespace linden::distributed
