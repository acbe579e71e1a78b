#include "core/factorization/partial_pivoting.hpp"

#include <linden/error.hpp>

#include <algorithm>
#include <limits>
#include <string>

#include "core/base/math.hpp"
#include "core/matrix/minimum_degree.hpp"
#include "core/matrix/pattern_operations.hpp"

// instantiate: detail::HostPattern<I> detail::pivoted_pattern<V, I>(const Csr<V, I>&, const DirectAnalysis<I>&, bool, std::vector<I>&, std::vector<I>&)

namespace linden::detail {
namespace {

constexpr double diagonal_preference = 0.1;

/// Columns of A and the rows that are preferred as their pivots.
template <class I>
struct PivotOrder {
    std::vector<I> columns, rows;
};

/// Columns of L and U, one after the other. Rows are those of A until the end.
template <class V, class I>
class ColumnElimination {
public:
    /// transposed: the pattern of A^T and where its entries are in A
    ColumnElimination(const Csr<V, I>& a, const Pattern<I>& transposed, const DirectAnalysis<I>& analysis,
                      const PivotOrder<I>& order)
        : a_(a),
          analysis_(analysis),
          transposed_(transposed),
          order_(order),
          n_(static_cast<I>(a.size().rows)),
          place_(analysis.rows.size(), -1),
          x_(analysis.rows.size(), V{}),
          seen_(analysis.rows.size(), -1)
    {
    }

    /// False if L and U would have more than so many entries: then there is nothing to take.
    bool run(std::size_t most_entries)
    {
        for (I j = 0; j < n_; ++j) {
            find_pattern(j);
            compute_column();
            prune(choose_pivot(j));
            if (lower_rows_.size() + upper_rows_.size() > most_entries) {
                return false;
            }
        }
        return true;
    }

    /// Row i is the pivots' row i of A.
    std::vector<I> rows() const
    {
        std::vector<I> rows(place_.size());
        for (I row = 0; row < n_; ++row) {
            rows[place_[row]] = row;
        }
        return rows;
    }

    HostPattern<I> pattern() const
    {
        HostPattern<I> f;
        f.row_ptrs.assign(place_.size() + 1, 0);
        for (const I row : lower_rows_) {
            ++f.row_ptrs[place_[row] + 1];
        }
        for (const I row : upper_rows_) {
            ++f.row_ptrs[row + 1];
        }
        for (I i = 0; i < n_; ++i) {
            f.row_ptrs[i + 1] += f.row_ptrs[i];
        }
        f.col_idxs.resize(static_cast<std::size_t>(f.row_ptrs.back()));
        auto next = f.row_ptrs;
        for (I j = 0; j < n_; ++j) {
            for (auto k = upper_ptrs_[j]; k < upper_ptrs_[j + 1]; ++k) {
                f.col_idxs[next[upper_rows_[k]]++] = j;
            }
            for (auto k = lower_ptrs_[j]; k < lower_ptrs_[j + 1]; ++k) {
                f.col_idxs[next[place_[lower_rows_[k]]]++] = j;
            }
        }
        return f;
    }

private:
    /// reached_ := the rows of column j of L and U, each before those that it adds to.
    void find_pattern(I j)
    {
        const I column = order_.columns[j];
        reached_.clear();
        for (I k = transposed_.row_ptrs.data()[column]; k < transposed_.row_ptrs.data()[column + 1]; ++k) {
            search(transposed_.col_idxs.data()[k], j);
        }
        std::reverse(reached_.begin(), reached_.end());
        for (I k = transposed_.row_ptrs.data()[column]; k < transposed_.row_ptrs.data()[column + 1]; ++k) {
            const I row = transposed_.col_idxs.data()[k];
            const auto scale = analysis_.row_scaling[row] * analysis_.column_scaling[column];
            x_[row] = static_cast<real_t<V>>(scale) * a_.values()[transposed_.source.data()[k]];
        }
    }

    /// Depth first along columns of L.
    void search(I root, I j)
    {
        if (seen_[root] == j) {
            return;
        }
        seen_[root] = j;
        stack_.push_back({root, first_below(root)});
        while (!stack_.empty()) {
            auto& [row, next] = stack_.back();
            const size_type end = place_[row] < 0 ? 0 : search_ends_[place_[row]];
            while (next < end && seen_[lower_rows_[next]] == j) {
                ++next;
            }
            if (next < end) {
                const I child = lower_rows_[next++];
                seen_[child] = j;
                stack_.push_back({child, first_below(child)});
            } else {
                reached_.push_back(row);
                stack_.pop_back();
            }
        }
    }
    size_type first_below(I row) const { return place_[row] < 0 ? 0 : lower_ptrs_[place_[row]]; }

    void compute_column()
    {
        for (const I row : reached_) {
            const I k = place_[row];
            if (k < 0 || x_[row] == V{}) {
                continue;
            }
            for (auto e = lower_ptrs_[k]; e < lower_ptrs_[k + 1]; ++e) {
                x_[lower_rows_[e]] -= multiply(lower_values_[e], x_[row]);
            }
        }
    }

    /// The row that it is.
    I choose_pivot(I j)
    {
        const I diagonal = order_.rows[j];
        I pivot = -1;
        for (const I row : reached_) {
            if (place_[row] < 0 && (pivot < 0 || magnitude(x_[row]) > magnitude(x_[pivot]))) {
                pivot = row;
            }
        }
        const bool is_preferred = place_[diagonal] < 0 && seen_[diagonal] == j;
        if (is_preferred && magnitude(x_[diagonal]) >= diagonal_preference * magnitude(x_[pivot])) {
            pivot = diagonal;
        }
        if (pivot < 0) {  // the column has no entry left: A is structurally singular
            pivot = place_[diagonal] < 0 ? diagonal : first_free();
        }
        const V value = x_[pivot];
        place_[pivot] = j;
        upper_rows_.push_back(j);
        for (const I row : reached_) {
            if (place_[row] >= 0 && place_[row] < j) {
                upper_rows_.push_back(place_[row]);
            } else if (row != pivot) {
                lower_rows_.push_back(row);
                lower_values_.push_back(value == V{} ? V{} : x_[row] / value);
            }
            x_[row] = V{};
        }
        upper_ptrs_.push_back(static_cast<size_type>(upper_rows_.size()));
        lower_ptrs_.push_back(static_cast<size_type>(lower_rows_.size()));
        search_ends_.push_back(lower_ptrs_.back());
        return pivot;
    }

    /// Where L has an entry of the new pivot's row, and U one of its column, in the same column of L and row of U, all
    /// later rows of that column of L are in the pivot's as well: searches need not follow them. [EisenstatLiu92]
    void prune(I pivot)
    {
        const auto first_of_column = upper_rows_.begin() + upper_ptrs_[upper_ptrs_.size() - 2] + 1;
        for (auto k = first_of_column; k != upper_rows_.end(); ++k) {
            const auto begin = lower_ptrs_[*k], end = lower_ptrs_[*k + 1];
            const auto rows = lower_rows_.begin();
            if (search_ends_[*k] < end || std::find(rows + begin, rows + end, pivot) == rows + end) {
                continue;
            }
            auto next = begin;
            for (auto e = begin; e < end; ++e) {
                if (place_[lower_rows_[e]] >= 0) {
                    std::swap(lower_rows_[e], lower_rows_[next]);
                    std::swap(lower_values_[e], lower_values_[next++]);
                }
            }
            search_ends_[*k] = next;
        }
    }
    I first_free()
    {
        while (place_[first_free_] >= 0) {
            ++first_free_;
        }
        return first_free_;
    }

    const Csr<V, I>& a_;
    const DirectAnalysis<I>& analysis_;
    const Pattern<I>& transposed_;
    const PivotOrder<I>& order_;
    I n_, first_free_ = 0;
    std::vector<I> place_;  ///< of each row of A among the pivots, -1: not yet a pivot's
    std::vector<V> x_;
    std::vector<I> seen_, reached_;
    std::vector<std::pair<I, size_type>> stack_;
    std::vector<size_type> lower_ptrs_{0}, upper_ptrs_{0}, search_ends_;
    std::vector<I> lower_rows_, upper_rows_;  ///< rows of A without the diagonal; places with it
    std::vector<V> lower_values_;
};

/// The pairs of the analysis, columns in the order of minimum degree of A^H A.
template <class V, class I>
PivotOrder<I> by_column_degrees(const Csr<V, I>& a, const DirectAnalysis<I>& analysis)
{
    std::vector<I> matched(analysis.rows.size());
    for (std::size_t j = 0; j < matched.size(); ++j) {
        matched[analysis.columns[j]] = analysis.rows[j];
    }
    PivotOrder<I> order{column_minimum_degree_order<I>(a.executor(), a.view()), {}};
    for (const I column : order.columns) {
        order.rows.push_back(matched[column]);
    }
    return order;
}

}  // namespace

template <class V, class I>
HostPattern<I> pivoted_pattern(const Csr<V, I>& a, const DirectAnalysis<I>& analysis, bool may_reorder,
                               std::vector<I>& rows, std::vector<I>& columns)
{
    constexpr auto most_of_type = static_cast<std::size_t>(std::numeric_limits<I>::max());
    const auto transposed = transposed_pattern<I>(a.executor(), a.view());
    PivotOrder<I> order{analysis.columns, analysis.rows}, other;
    auto limit = may_reorder ? 3 * static_cast<std::size_t>(analysis.num_lower()) : most_of_type;
    for (;;) {
        limit = std::min(limit, most_of_type);
        ColumnElimination<V, I> elimination(a, transposed, analysis, order);
        if (elimination.run(limit)) {
            rows = elimination.rows();
            columns = std::move(order.columns);
            return elimination.pattern();
        }
        if (limit == most_of_type) {
            throw InvalidParameter("the factors' number of entries", "more than " + std::to_string(limit),
                                   "what the index type counts");
        }
        if (other.columns.empty()) {
            other = by_column_degrees(a, analysis);
        }
        std::swap(order, other);
        limit += limit / 2;
    }
}

}  // namespace linden::detail
