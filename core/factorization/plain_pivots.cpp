#include "core/factorization/plain_pivots.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/base/math.hpp"

// instantiate: std::optional<std::vector<I>> detail::plain_pivots<V, I>(CsrView<V, I>)

namespace linden::detail {
namespace {

/// Searches end that look at more than so many times all entries.
constexpr size_type most_looks = 16;

template <class V, class I>
class PivotFinder {
public:
    explicit PivotFinder(CsrView<V, I> a)
        : a_(a),
          n_(static_cast<I>(a.rows)),
          column_of_(static_cast<std::size_t>(n_), -1),
          row_of_(column_of_),
          num_looks_left_(most_looks * a.num_nonzeros)
    {
    }

    std::optional<std::vector<I>> find()
    {
        take_single_entries();
        std::vector<I> missing;
        size_type num_without_diagonal = 0;
        for (I row = 0; row < n_; ++row) {
            const bool has_diagonal = is_diagonal_usable(row);
            num_without_diagonal += has_diagonal ? 0 : 1;
            if (column_of_[row] >= 0) {
                continue;
            }
            if (has_diagonal && row_of_[row] < 0) {
                match(row, row);
            } else {
                missing.push_back(row);
            }
        }
        if (2 * num_without_diagonal > a_.rows) {
            return std::nullopt;
        }
        auto end = std::remove_if(missing.begin(), missing.end(), [this](I row) { return take_largest(row); });
        end = std::remove_if(missing.begin(), end, [this](I row) { return take_from_another(row); });
        if (end != missing.begin()) {
            seen_.assign(column_of_.size(), -1);
        }
        return std::all_of(missing.begin(), end, [this](I row) { return augment(row); })
                   ? std::optional(std::move(column_of_))
                   : std::nullopt;
    }

private:
    static bool is_usable(V value) { return value != V{} && std::isfinite(magnitude(value)); }

    /// A row's only entry is in any complete matching.
    void take_single_entries()
    {
        for (I row = 0; row < n_; ++row) {
            if (const I k = a_.row_ptrs[row]; a_.row_ptrs[row + 1] - k == 1) {
                const I column = a_.col_idxs[k];
                if (row_of_[column] < 0 && is_usable(a_.values[k])) {
                    match(row, column);
                }
            }
        }
    }

    bool is_diagonal_usable(I row) const
    {
        I diagonal = -1;
        for (I k = a_.row_ptrs[row]; k < a_.row_ptrs[row + 1]; ++k) {  // without branches, whose outcome is any
            diagonal = a_.col_idxs[k] == row ? k : diagonal;
        }
        return diagonal >= 0 && is_usable(a_.values[diagonal]);
    }

    bool take_largest(I row)
    {
        const I largest = largest_free_entry(row);
        if (largest >= 0) {
            match(row, a_.col_idxs[largest]);
        }
        return largest >= 0;
    }
    /// Of the columns without a row, -1: none.
    I largest_free_entry(I row)
    {
        I largest = -1;
        real_t<V> size_of_largest{};
        for (I k = a_.row_ptrs[row], end = a_.row_ptrs[row + 1]; k < end; ++k) {  // Without branches here, too.
            const auto size = magnitude(a_.values[k]);
            const bool is_larger = (row_of_[a_.col_idxs[k]] < 0) & (size > size_of_largest) &
                                   (size <= std::numeric_limits<real_t<V>>::max());
            largest = is_larger ? k : largest;
            size_of_largest = is_larger ? size : size_of_largest;
        }
        return largest;
    }

    /// The column of a row that has a free one, too: the shortest of paths, after which few longer ones are left. The
    /// row has no free column.
    bool take_from_another(I row)
    {
        for (I k = a_.row_ptrs[row]; k < a_.row_ptrs[row + 1]; ++k) {
            if (!is_usable(a_.values[k])) {
                continue;
            }
            const I column = a_.col_idxs[k], other = row_of_[column];
            if (const I free = largest_free_entry(other); free >= 0) {
                match(other, a_.col_idxs[free]);
                match(row, column);
                return true;
            }
        }
        return false;
    }

    /// Along a path of entries that are not matched and matched in turn, depth first, but for free columns, which each
    /// row looks for first. [DuffKayaUcar11]
    bool augment(I root)
    {
        path_.clear();
        for (I row = root;; row = next_row(root)) {
            if (row < 0) {
                path_.pop_back();
                if (path_.empty()) {
                    return false;
                }
                continue;
            }
            path_.push_back({row, a_.row_ptrs[row]});
            if (const I k = largest_free_entry(row); k >= 0) {
                path_.back().second = k + 1;
                for (const auto& [on_path, after] : path_) {
                    match(on_path, a_.col_idxs[after - 1]);
                }
                return true;
            }
        }
    }
    /// That of the next column to follow from the last row of the path, -1: there is none.
    I next_row(I root)
    {
        auto& [row, next] = path_.back();
        while (next < a_.row_ptrs[row + 1] && num_looks_left_-- > 0) {
            const I k = next++, column = a_.col_idxs[k];
            if (seen_[column] != root && is_usable(a_.values[k])) {
                seen_[column] = root;
                return row_of_[column];
            }
        }
        return -1;
    }

    void match(I row, I column)
    {
        column_of_[row] = column;
        row_of_[column] = row;
    }

    CsrView<V, I> a_;
    I n_;
    std::vector<I> column_of_, row_of_;  ///< -1: none yet
    std::vector<I> seen_;                ///< the search that came to a column
    std::vector<std::pair<I, I>> path_;  ///< rows, and the entries to look at next
    size_type num_looks_left_;
};

}  // namespace

template <class V, class I>
std::optional<std::vector<I>> plain_pivots(CsrView<V, I> a)
{
    return PivotFinder<V, I>(a).find();
}

}  // namespace linden::detail
