#pragma once

#include <linden/distributed/matrix.hpp>

#include "core/distributed/halo.hpp"

namespace linden::distributed {

/// The own rows of a distributed matrix and `layers` layers of rows around them, of which each has the columns of the
/// one before: what an overlapping subdomain is made of. Rows are in the order of the whole matrix. [Saad03, 14.3]
template <class V, class I>
class Overlap {
public:
    /// Collective. layers >= 1
    Overlap(const Matrix<V, I>& matrix, size_type layers)
        : communicator_(matrix.communicator()),
          first_(matrix.partition().first(communicator_.rank())),
          num_own_(matrix.size().rows)
    {
        const auto own = communicator_.agree_after([&] { return matrix.rows(); });
        std::vector<std::int64_t> ghosts;
        add_columns(own, ghosts);
        for (size_type layer = 1;; ++layer) {
            map_ = make_ghost_map(communicator_, matrix.partition(), ghosts);
            if (layer == layers) {
                break;
            }
            add_columns(fetch(own), ghosts);
        }
    }

    const GhostMap& map() const { return map_; }
    size_type num_rows() const { return num_own_ + num_ghosts(); }
    size_type num_ghosts() const { return static_cast<size_type>(map_.ghosts.size()); }
    size_type num_lower_ghosts() const
    {
        return std::lower_bound(map_.ghosts.begin(), map_.ghosts.end(), first_) - map_.ghosts.begin();
    }

    /// Collective. The square matrix of the extended rows, with the values of `matrix`.
    CsrData<V, I> block(const Matrix<V, I>& matrix) const
    {
        const auto own = communicator_.agree_after([&] { return matrix.rows(); });
        const auto ghost_rows = fetch(own);
        return communicator_.agree_after([&] {
            CsrData<V, I> result;
            result.size = {num_rows(), num_rows()};
            if (num_rows() > static_cast<size_type>(std::numeric_limits<I>::max())) {
                throw InvalidParameter("overlap", std::to_string(num_rows()) + " rows",
                                       "fewer than the index type has");
            }
            result.row_ptrs.push_back(0);
            append(ghost_rows, 0, num_lower_ghosts(), result);
            append(own, 0, num_own_, result);
            append(ghost_rows, num_lower_ghosts(), num_ghosts(), result);
            return result;
        });
    }

private:
    using Rows = CsrData<V, std::int64_t>;

    bool is_own(std::int64_t row) const { return row >= first_ && row < first_ + num_own_; }
    /// The position among the extended rows; negative for rows that are not there.
    std::int64_t position(std::int64_t row) const
    {
        if (is_own(row)) {
            return num_lower_ghosts() + row - first_;
        }
        const auto at = std::lower_bound(map_.ghosts.begin(), map_.ghosts.end(), row);
        if (at == map_.ghosts.end() || *at != row) {
            return -1;
        }
        return at - map_.ghosts.begin() + (row > first_ ? num_own_ : 0);
    }

    void add_columns(const Rows& rows, std::vector<std::int64_t>& ghosts) const
    {
        std::copy_if(rows.col_idxs.begin(), rows.col_idxs.end(), std::back_inserter(ghosts),
                     [&](std::int64_t col) { return !is_own(col); });
        std::sort(ghosts.begin(), ghosts.end());
        ghosts.erase(std::unique(ghosts.begin(), ghosts.end()), ghosts.end());
    }

    /// Collective. The rows of the ghosts, from their owners.
    Rows fetch(const Rows& own) const
    {
        const auto ranks = static_cast<std::size_t>(communicator_.size());
        std::vector<std::vector<std::int64_t>> lengths(ranks), cols(ranks);
        std::vector<std::vector<V>> values(ranks);
        for (const auto& range : map_.sends) {
            const auto rank = static_cast<std::size_t>(range.rank);
            for (auto i = range.first; i < range.first + range.count; ++i) {
                const auto row = static_cast<std::size_t>(map_.send_rows[static_cast<std::size_t>(i)]);
                const auto begin = own.row_ptrs[row];
                const auto end = own.row_ptrs[row + 1];
                lengths[rank].push_back(end - begin);
                cols[rank].insert(cols[rank].end(), own.col_idxs.begin() + begin, own.col_idxs.begin() + end);
                values[rank].insert(values[rank].end(), own.values.begin() + begin, own.values.begin() + end);
            }
        }
        Rows rows;
        rows.row_ptrs.push_back(0);
        for (const auto& list : detail::exchange_lists(communicator_, lengths)) {
            for (const auto length : list) {
                rows.row_ptrs.push_back(rows.row_ptrs.back() + length);
            }
        }
        for (const auto& list : detail::exchange_lists(communicator_, cols)) {
            rows.col_idxs.insert(rows.col_idxs.end(), list.begin(), list.end());
        }
        for (const auto& list : detail::exchange_lists(communicator_, values)) {
            rows.values.insert(rows.values.end(), list.begin(), list.end());
        }
        return rows;
    }

    /// Appends the rows [first, last) with the columns that are among the extended rows.
    void append(const Rows& rows, size_type first, size_type last, CsrData<V, I>& block) const
    {
        for (auto row = static_cast<std::size_t>(first); row < static_cast<std::size_t>(last); ++row) {
            for (auto k = static_cast<std::size_t>(rows.row_ptrs[row]);
                 k < static_cast<std::size_t>(rows.row_ptrs[row + 1]); ++k) {
                const auto col = position(rows.col_idxs[k]);
                if (col >= 0) {
                    block.col_idxs.push_back(static_cast<I>(col));
                    block.values.push_back(rows.values[k]);
                }
            }
            block.row_ptrs.push_back(static_cast<I>(block.col_idxs.size()));
        }
    }

    Communicator communicator_;
    std::int64_t first_;
    size_type num_own_;
    GhostMap map_;
};

}  // namespace linden::distributed
