#include "core/matrix/block_triangular.hpp"

#include <algorithm>
#include <limits>

// instantiate: detail::BlockTriangularForm<I> detail::block_triangular_form<I>(PatternView<I>, const std::vector<std::int64_t>&)

namespace linden::detail {
namespace {

enum class Part : char { square, horizontal, vertical };

template <class I>
class Decomposition {
public:
    Decomposition(PatternView<I> a, const std::vector<std::int64_t>& column_of_row)
        : n_(static_cast<I>(a.rows)),
          num_entries_(static_cast<std::size_t>(a.num_nonzeros)),
          row_ptrs_(a.row_ptrs),
          col_idxs_(a.col_idxs),
          column_of_row_(column_of_row.begin(), column_of_row.end()),
          row_of_column_(column_of_row.size(), -1)
    {
        for (I row = 0; row < n_; ++row) {
            if (column_of_row_[row] >= 0) {
                row_of_column_[column_of_row_[row]] = row;
            } else {
                ++num_unmatched_;
            }
        }
        if (num_unmatched_ > 0) {
            row_part_.assign(column_of_row.size(), Part::square);
            column_part_ = row_part_;
        }
        finished_.reserve(column_of_row.size());
    }

    BlockTriangularForm<I> run()
    {
        if (num_unmatched_ > 0) {
            mark_vertical();
            mark_horizontal();
        }
        find_components();
        return assemble();
    }

private:
    /// What alternating paths from unmatched rows reach.
    void mark_vertical()
    {
        std::vector<I> stack;
        for (I row = 0; row < n_; ++row) {
            if (column_of_row_[row] < 0) {
                row_part_[row] = Part::vertical;
                stack.push_back(row);
            }
        }
        while (!stack.empty()) {
            const I row = stack.back();
            stack.pop_back();
            for (I k = row_ptrs_[row]; k < row_ptrs_[row + 1]; ++k) {
                const I column = col_idxs_[k];
                if (column_part_[column] == Part::vertical) {
                    continue;
                }
                column_part_[column] = Part::vertical;
                const I next = row_of_column_[column];  // matched: there is no augmenting path
                if (next >= 0 && row_part_[next] != Part::vertical) {
                    row_part_[next] = Part::vertical;
                    stack.push_back(next);
                }
            }
        }
    }

    /// What alternating paths from unmatched columns reach.
    void mark_horizontal()
    {
        std::vector<I> stack;
        for (I column = 0; column < n_; ++column) {
            if (row_of_column_[column] < 0) {
                column_part_[column] = Part::horizontal;
                stack.push_back(column);
            }
        }
        if (stack.empty()) {
            return;
        }
        const auto rows_of = transposed();
        while (!stack.empty()) {
            const I column = stack.back();
            stack.pop_back();
            for (I k = rows_of.ptrs[column]; k < rows_of.ptrs[column + 1]; ++k) {
                const I row = rows_of.rows[k];
                if (row_part_[row] == Part::horizontal) {
                    continue;
                }
                row_part_[row] = Part::horizontal;
                const I next = column_of_row_[row];
                if (next >= 0 && column_part_[next] != Part::horizontal) {
                    column_part_[next] = Part::horizontal;
                    stack.push_back(next);
                }
            }
        }
    }

    struct Columns {
        std::vector<I> ptrs, rows;
    };
    Columns transposed() const
    {
        Columns t{std::vector<I>(row_of_column_.size() + 1, 0), std::vector<I>(num_entries_)};
        for (std::size_t k = 0; k < num_entries_; ++k) {
            ++t.ptrs[col_idxs_[k] + 1];
        }
        for (I column = 0; column < n_; ++column) {
            t.ptrs[column + 1] += t.ptrs[column];
        }
        auto next = t.ptrs;
        for (I row = 0; row < n_; ++row) {
            for (I k = row_ptrs_[row]; k < row_ptrs_[row + 1]; ++k) {
                t.rows[next[col_idxs_[k]]++] = row;
            }
        }
        return t;
    }

    /// Strongly connected components of the square rows, where row i leads to the rows matched with its columns.
    /// Each is finished after those that it leads to. Square rows have entries in square and vertical columns only.
    /// [Tarjan72]
    void find_components()
    {
        index_.assign(column_of_row_.size(), new_row);
        for (I row = 0; row < n_ && num_unmatched_ > 0; ++row) {
            index_[row] = row_part_[row] == Part::square ? new_row : done;
        }
        open_.reserve(column_of_row_.size());
        std::vector<Visit> path;
        for (I root = 0; root < n_; ++root) {
            if (index_[root] != new_row) {
                continue;
            }
            path.push_back(enter(root));
            while (!path.empty()) {
                const I other = follow(path.back());
                Visit visit = other >= 0 ? enter(other) : path.back();
                if (other < 0) {
                    path.pop_back();
                } else if (follow(visit) >= 0) {  // Rows that lead to none that is new, as many do, need no place.
                    --visit.next;
                    path.push_back(visit);
                    continue;
                }
                const I low = leave(visit);
                if (!path.empty()) {
                    path.back().low = std::min(path.back().low, low);
                }
            }
        }
    }

    struct Visit {
        I row, next, end;  ///< the entries to look at
        I index, low;      ///< of the row, and the least of open rows that it leads to
    };
    Visit enter(I row)
    {
        const auto index = static_cast<I>(finished_.size() + open_.size());
        index_[row] = index;
        open_.push_back(row);
        return {row, row_ptrs_[row], row_ptrs_[row + 1], index, index};
    }
    /// The next new row that this one leads to, -1: none. What is done has the largest index.
    I follow(Visit& visit) const
    {
        const I *const row_of_column = row_of_column_.data(), *const indices = index_.data();
        I low = visit.low, next = visit.next, other = -1;
        while (next < visit.end && other < 0) {
            const I row = row_of_column[col_idxs_[next++]];
            const bool is_new = indices[row] == new_row;
            other = is_new ? row : I{-1};
            low = is_new ? low : std::min(low, indices[row]);
        }
        visit.next = next;
        visit.low = low;
        return other;
    }
    /// Closes a component where it is the first row of one; what the row before can reach.
    I leave(const Visit& visit)
    {
        if (visit.low < visit.index) {
            return visit.low;
        }
        I member = -1;
        while (member != visit.row) {
            member = open_.back();
            open_.pop_back();
            index_[member] = done;
            finished_.push_back(member);
        }
        component_ends_.push_back(static_cast<I>(finished_.size()));
        return done;
    }

    BlockTriangularForm<I> assemble() const
    {
        BlockTriangularForm<I> form;
        form.rows.reserve(column_of_row_.size());
        form.columns.reserve(column_of_row_.size());
        form.block_ptrs.reserve(component_ends_.size() + 1);
        append(Part::horizontal, form, form.horizontal_rows, form.horizontal_columns);
        form.block_ptrs.push_back(0);
        for (auto b = component_ends_.size(); b-- > 0;) {
            const I begin = b == 0 ? 0 : component_ends_[b - 1];
            for (I k = begin; k < component_ends_[b]; ++k) {
                form.rows.push_back(finished_[k]);
                form.columns.push_back(column_of_row_[finished_[k]]);
            }
            form.block_ptrs.push_back(form.block_ptrs.back() + component_ends_[b] - begin);
        }
        append(Part::vertical, form, form.vertical_rows, form.vertical_columns);
        return form;
    }
    void append(Part part, BlockTriangularForm<I>& form, size_type& num_rows, size_type& num_columns) const
    {
        for (I i = 0; i < n_ && num_unmatched_ > 0; ++i) {
            if (row_part_[i] == part) {
                form.rows.push_back(i);
                ++num_rows;
            }
            if (column_part_[i] == part) {
                form.columns.push_back(i);
                ++num_columns;
            }
        }
    }

    I n_;
    std::size_t num_entries_;
    const I *row_ptrs_, *col_idxs_;
    std::vector<I> column_of_row_, row_of_column_;
    I num_unmatched_ = 0;
    std::vector<Part> row_part_, column_part_;  ///< where some are unmatched; else all are square
    static constexpr I new_row = -1, done = std::numeric_limits<I>::max();
    std::vector<I> index_, open_;  ///< of each row, in the order of visits; rows whose component is not closed
    std::vector<I> finished_, component_ends_;
};

}  // namespace

template <class I>
BlockTriangularForm<I> block_triangular_form(PatternView<I> a, const std::vector<std::int64_t>& column_of_row)
{
    return Decomposition<I>(a, column_of_row).run();
}

}  // namespace linden::detail
