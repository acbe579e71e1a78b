#pragma once

#include <linden/distributed/matrix.hpp>
#include <linden/error.hpp>

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include "core/base/parallel.hpp"

namespace linden::distributed {

/// The own rows of a rank in two parts. Inner rows use own columns only, which count from the first own row; in `inner`
/// the other rows are empty. Rows at the rim are whole in `rim`, whose columns are those that they use, in the order of
/// the whole matrix: ghosts of lower ranks, own ones, ghosts of higher ranks. So every row keeps the order of its
/// entries.
template <class V, class I>
struct Split {
    Csr<V, I> inner;                   // on the matrix's executor
    Csr<V, I> rim;                     // on a host
    std::vector<I> rim_rows;           // own rows, counted from the first one
    std::vector<I> rim_own;            // the own columns of the rim
    std::vector<std::int64_t> ghosts;  // in ascending order
    size_type num_lower_ghosts = 0;    // of lower ranks
};

/// @throws InvalidParameter if the lengths of arrays do not match
template <class V>
void require_lengths(const CsrData<V, std::int64_t>& rows)
{
    const auto n = static_cast<std::size_t>(rows.size.rows);
    if (rows.row_ptrs.size() != n + 1 || rows.row_ptrs.front() != 0 ||
        !std::is_sorted(rows.row_ptrs.begin(), rows.row_ptrs.end()) ||
        rows.col_idxs.size() != static_cast<std::size_t>(rows.row_ptrs.back()) ||
        rows.values.size() != rows.col_idxs.size()) {
        throw InvalidParameter("rows", "arrays whose lengths do not match", "CSR with rows + 1 row pointers from 0 on");
    }
}

/// Of rows whose first is number `first`, for messages. @throws InvalidParameter if the lengths of arrays do not match,
/// or a column is outside of the matrix
template <class V>
void require_csr(const CsrData<V, std::int64_t>& rows, size_type first = 0)
{
    require_lengths(rows);
    for (std::size_t row = 0; row < static_cast<std::size_t>(rows.size.rows); ++row) {
        for (auto k = rows.row_ptrs[row]; k < rows.row_ptrs[row + 1]; ++k) {
            const auto col = rows.col_idxs[static_cast<std::size_t>(k)];
            if (col < 0 || col >= rows.size.cols) {
                throw InvalidParameter(
                    "rows",
                    "column " + std::to_string(col) + " in row " + std::to_string(first + static_cast<size_type>(row)),
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

/// `rows`, well formed, of which the first is number `first_row`, with columns in ascending order. @throws
/// InvalidParameter if a column is twice in a row
template <class V>
CsrData<V, std::int64_t> sorted(CsrData<V, std::int64_t> rows, size_type first_row)
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
            throw InvalidParameter("rows",
                                   "column " + std::to_string(*twice) + " twice in row " +
                                       std::to_string(first_row + static_cast<size_type>(row)),
                                   "each column once");
        }
    }
    return rows;
}

/// Splits the rows that a source gives, a block of them at a time and blocks by several threads at once: what the host
/// holds beside the result are row pointers, the rim, and a block for each thread. Every block is asked for twice,
/// first for the lengths of its rows.
template <class V, class I>
class RowSplit {
public:
    using Rows = CsrData<V, std::int64_t>;

    /// size: own rows, columns of the whole matrix; first: the number of the first own row in it.
    /// @throws InvalidParameter if a block is not well formed, OutOfMemory; what the source throws
    RowSplit(const Executor& exec, const RowSource<V>& source, Dim size, std::int64_t first)
        : exec_(exec),
          block_rows_(exec.is_host() ? rows_for_hosts : rows_for_devices),
          source_(source),
          size_(size),
          first_(first),
          row_ptrs_(linden::detail::host(), size.rows + 1),
          rims_(static_cast<std::size_t>((size.rows + block_rows_ - 1) / block_rows_))
    {
        *row_ptrs_.data() = 0;
        parallel_ranges(size.rows, block_rows_, [this](size_type begin, size_type end) { measure(begin, end); });
        std::partial_sum(row_ptrs_.data(), row_ptrs_.data() + row_ptrs_.size(), row_ptrs_.data());
    }

    /// @throws InvalidParameter if I is too small
    Split<V, I> make() const
    {
        const auto& host = exec_.is_host() ? exec_ : linden::detail::host();
        Split<V, I> result{Csr<V, I>(exec_, Dim{}), Csr<V, I>(host, Dim{}), {}, {}, {}, 0};
        const auto used = used_columns();
        require_fit(used);
        for (const auto col : used) {
            if (is_own(col)) {
                result.rim_own.push_back(static_cast<I>(col - first_));
            } else {
                result.num_lower_ghosts += col < first_;
                result.ghosts.push_back(col);
            }
        }
        for (const auto& block : rims_) {
            result.rim_rows.insert(result.rim_rows.end(), block.rows.begin(), block.rows.end());
        }
        result.rim = rim(host, used);
        result.inner = inner(host);
        return result;
    }

private:
    /// Blocks are copied, on hosts beside the rows that they are of; a copy to a device takes its time, whatever it is
    /// of.
    static constexpr size_type rows_for_hosts = size_type{1} << 10, rows_for_devices = size_type{1} << 15;

    /// The rows of a block at the rim, with column numbers of the whole matrix.
    struct Rim {
        std::vector<size_type> rows;
        std::vector<size_type> lengths;
        std::vector<std::int64_t> cols;
        std::vector<V> values;
    };

    std::int64_t num_inner() const { return row_ptrs_.data()[size_.rows]; }
    bool is_own(std::int64_t col) const { return col >= first_ && col < first_ + size_.rows; }
    bool is_inner(const Rows& rows, std::size_t row) const
    {
        return std::all_of(rows.col_idxs.begin() + rows.row_ptrs[row], rows.col_idxs.begin() + rows.row_ptrs[row + 1],
                           [&](std::int64_t col) { return is_own(col); });
    }
    Rows block(size_type begin, size_type end) const
    {
        auto rows = source_(begin, end);
        if (const Dim expected{end - begin, size_.cols}; rows.size != expected) {
            throw DimensionMismatch("distributed::Matrix",
                                    "own rows " + std::to_string(begin) + " to " + std::to_string(end - 1), rows.size,
                                    "what was asked for", expected);
        }
        require_csr(rows, begin);
        return is_sorted(rows) ? std::move(rows) : sorted(std::move(rows), begin);
    }

    void measure(size_type begin, size_type end)
    {
        const auto rows = block(begin, end);
        auto& rim = rims_[static_cast<std::size_t>(begin / block_rows_)];
        for (std::size_t row = 0; row < static_cast<std::size_t>(end - begin); ++row) {
            const auto from = rows.row_ptrs[row];
            const auto to = rows.row_ptrs[row + 1];
            const bool stays_inside = is_inner(rows, row);
            row_ptrs_.data()[static_cast<std::size_t>(begin) + row + 1] = stays_inside ? to - from : 0;
            if (!stays_inside) {
                rim.rows.push_back(begin + static_cast<size_type>(row));
                rim.lengths.push_back(to - from);
                rim.cols.insert(rim.cols.end(), rows.col_idxs.begin() + from, rows.col_idxs.begin() + to);
                rim.values.insert(rim.values.end(), rows.values.begin() + from, rows.values.begin() + to);
            }
        }
    }

    /// The columns that the rim uses, in ascending order.
    std::vector<std::int64_t> used_columns() const
    {
        std::vector<std::int64_t> used;
        for (const auto& block : rims_) {
            used.insert(used.end(), block.cols.begin(), block.cols.end());
        }
        std::sort(used.begin(), used.end());
        used.erase(std::unique(used.begin(), used.end()), used.end());
        return used;
    }
    void require_fit(const std::vector<std::int64_t>& used) const
    {
        auto num_entries = num_inner();
        for (const auto& block : rims_) {
            num_entries += static_cast<std::int64_t>(block.cols.size());
        }
        const auto most = std::max({size_.rows, static_cast<size_type>(used.size()), num_entries});
        if (most > static_cast<size_type>(std::numeric_limits<I>::max())) {
            throw InvalidParameter("index type", "of " + std::to_string(8 * sizeof(I)) + " bits",
                                   "one that can count to " + std::to_string(most));
        }
    }

    Csr<V, I> rim(const Executor& host, const std::vector<std::int64_t>& used) const
    {
        std::vector<I> row_ptrs{0}, cols;
        std::vector<V> values;
        for (const auto& block : rims_) {
            for (const auto length : block.lengths) {
                row_ptrs.push_back(static_cast<I>(row_ptrs.back() + length));
            }
            for (const auto col : block.cols) {
                cols.push_back(static_cast<I>(std::lower_bound(used.begin(), used.end(), col) - used.begin()));
            }
            values.insert(values.end(), block.values.begin(), block.values.end());
        }
        const Dim size{static_cast<size_type>(row_ptrs.size()) - 1, static_cast<size_type>(used.size())};
        return Csr<V, I>(host, size, Array<I>(host, row_ptrs), Array<I>(host, cols), Array<V>(host, values));
    }

    Csr<V, I> inner(const Executor& host) const
    {
        Array<I> row_ptrs(host, size_.rows + 1);
        std::transform(row_ptrs_.data(), row_ptrs_.data() + row_ptrs_.size(), row_ptrs.data(),
                       [](std::int64_t ptr) { return static_cast<I>(ptr); });
        Array<I> col_idxs(exec_, num_inner());
        Array<V> values(exec_, num_inner());
        parallel_ranges(size_.rows, block_rows_, [&](size_type begin, size_type end) {
            const auto rows = block(begin, end);
            const auto at = row_ptrs_.data()[begin];
            std::vector<I> own_cols;
            std::vector<V> own_values;
            own_cols.reserve(static_cast<std::size_t>(row_ptrs_.data()[end] - at));
            own_values.reserve(own_cols.capacity());
            for (std::size_t row = 0; row < static_cast<std::size_t>(end - begin); ++row) {
                if (is_inner(rows, row)) {
                    const auto from = rows.row_ptrs[row];
                    const auto to = rows.row_ptrs[row + 1];
                    std::transform(rows.col_idxs.begin() + from, rows.col_idxs.begin() + to,
                                   std::back_inserter(own_cols),
                                   [&](std::int64_t col) { return static_cast<I>(col - first_); });
                    own_values.insert(own_values.end(), rows.values.begin() + from, rows.values.begin() + to);
                }
            }
            copy_bytes(host, own_cols.data(), exec_, col_idxs.data() + at, own_cols.size() * sizeof(I));
            copy_bytes(host, own_values.data(), exec_, values.data() + at, own_values.size() * sizeof(V));
        });
        return Csr<V, I>(exec_, {size_.rows, size_.rows}, exec_.is_host() ? std::move(row_ptrs) : row_ptrs.clone(exec_),
                         std::move(col_idxs), std::move(values));
    }

    Executor exec_;
    size_type block_rows_;
    const RowSource<V>& source_;
    Dim size_;
    std::int64_t first_;
    Array<std::int64_t> row_ptrs_;  ///< of the inner rows, on the host
    std::vector<Rim> rims_;         ///< of blocks
};

}  // namespace linden::distributed
