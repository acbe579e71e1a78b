#include "core/matrix/block_triangular.hpp"

#include <algorithm>

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
          row_of_column_(column_of_row.size(), -1),
          row_part_(column_of_row.size(), Part::square),
          column_part_(column_of_row.size(), Part::square)
    {
        for (I row = 0; row < n_; ++row) {
            if (column_of_row_[row] >= 0) {
                row_of_column_[column_of_row_[row]] = row;
            }
        }
    }

    BlockTriangularForm<I> run()
    {
        mark_vertical();
        mark_horizontal();
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
    /// Each is finished after those that it leads to. [Tarjan72]
    void find_components()
    {
        struct Visit {
            I row;
            I next;  ///< the entry to look at
        };
        std::vector<I> index(column_of_row_.size(), -1), low(column_of_row_.size(), 0), open;
        std::vector<char> is_open(column_of_row_.size(), 0);
        std::vector<Visit> path;
        I count = 0;
        const auto enter = [&](I row) {
            index[row] = low[row] = count++;
            open.push_back(row);
            is_open[row] = 1;
            path.push_back({row, row_ptrs_[row]});
        };
        const auto leave = [&](I row) {
            path.pop_back();
            if (!path.empty()) {
                low[path.back().row] = std::min(low[path.back().row], low[row]);
            }
            if (low[row] != index[row]) {
                return;
            }
            I member = -1;
            while (member != row) {
                member = open.back();
                open.pop_back();
                is_open[member] = 0;
                finished_.push_back(member);
            }
            component_ends_.push_back(static_cast<size_type>(finished_.size()));
        };
        for (I root = 0; root < n_; ++root) {
            if (row_part_[root] != Part::square || index[root] >= 0) {
                continue;
            }
            enter(root);
            while (!path.empty()) {
                auto& [row, next] = path.back();
                if (next == row_ptrs_[row + 1]) {
                    leave(row);
                    continue;
                }
                const I column = col_idxs_[next++];
                const I other = row_of_column_[column];
                if (column_part_[column] != Part::square) {
                    continue;
                }
                if (index[other] < 0) {
                    enter(other);
                } else if (is_open[other]) {
                    low[row] = std::min(low[row], index[other]);
                }
            }
        }
    }

    BlockTriangularForm<I> assemble() const
    {
        BlockTriangularForm<I> form;
        append(Part::horizontal, form, form.horizontal_rows, form.horizontal_columns);
        form.block_ptrs.push_back(0);
        for (auto b = component_ends_.size(); b-- > 0;) {
            const auto begin = b == 0 ? 0 : component_ends_[b - 1];
            for (auto k = begin; k < component_ends_[b]; ++k) {
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
        for (I i = 0; i < n_; ++i) {
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
    std::vector<Part> row_part_, column_part_;
    std::vector<I> finished_;
    std::vector<size_type> component_ends_;
};

}  // namespace

template <class I>
BlockTriangularForm<I> block_triangular_form(PatternView<I> a, const std::vector<std::int64_t>& column_of_row)
{
    return Decomposition<I>(a, column_of_row).run();
}

}  // namespace linden::detail
