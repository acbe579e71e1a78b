#pragma once

#include <linden/reorder/matching.hpp>

#include <utility>
#include <vector>

namespace linden::detail {

/// The entries of a square matrix that can be matched, row by row, with costs: those of each row are at least 0.
struct MatchingCosts {
    std::vector<size_type> row_ptrs;
    std::vector<size_type> columns;
    std::vector<double> costs;

    size_type num_rows() const { return static_cast<size_type>(row_ptrs.size()) - 1; }
    bool has_entries(size_type row) const { return row_ptrs[row] < row_ptrs[row + 1]; }
};

/// Gives columns the numbers in which rows name them first, so that what belongs to the columns of successive rows lies
/// side by side in memory. Returns the old number of each.
std::vector<size_type> rename_columns(MatchingCosts& costs);

/// values[i] := those of the column that is called i now.
template <class T>
std::vector<T> by_new_names(const std::vector<size_type>& old_names, const std::vector<T>& values)
{
    std::vector<T> result;
    result.reserve(values.size());
    for (const auto column : old_names) {
        result.push_back(values[static_cast<std::size_t>(column)]);
    }
    return result;
}
/// The inverse of by_new_names.
template <class T>
std::vector<T> by_old_names(const std::vector<size_type>& old_names, const std::vector<T>& values)
{
    std::vector<T> result(values.size());
    for (std::size_t column = 0; column < values.size(); ++column) {
        result[static_cast<std::size_t>(old_names[column])] = values[column];
    }
    return result;
}

/// A matching of least cost among those of its rows and columns, and u, v with cost_ij >= u_i + v_j, with equality for
/// pairs, both up to rounding. [DuffKoster01, 3]
///
/// Most rows find a column among entries of reduced cost cost_ij - u_i - v_j = 0, without a change of u and v, those of
/// the least costs or, where these leave many rows, of an auction's prices; the others by shortest paths. Where columns
/// lack, these may go through the whole matrix, and are given up: `singular_matching` has what to do then.
class WeightedMatching {
public:
    explicit WeightedMatching(const MatchingCosts& costs);
    /// From pairs and dual variables as described above: `start` gives a column, or -1, for each row.
    WeightedMatching(const MatchingCosts& costs, std::vector<size_type> start, std::vector<double> start_u,
                     std::vector<double> start_v);

    /// Adds pairs to `start` until there are as many as there can be, whatever they cost. [PothenFan90]
    static std::vector<size_type> largest(const MatchingCosts& costs, std::vector<size_type> start);

    /// How many more columns are without entries than rows.
    size_type num_lacking_columns() const;

    std::vector<size_type> column_of_row, row_of_column;  ///< -1: none
    std::vector<double> u, v;
    /// False if it was given up: pairs are not as many as there can be then.
    bool is_maximum = true;

private:
    WeightedMatching(const MatchingCosts& costs, size_type num_rows);

    /// Whether each row with entries can have a column.
    bool can_be_complete() const;
    void start_from(std::vector<size_type> start);
    void match_cheaply();
    /// Starts again from the prices of an auction, if rows find columns in it; whether they do.
    bool match_by_prices();
    /// Matches the other rows; false if searches go through many rows, and some rows must do without a column.
    bool complete();
    void match_tightly();
    /// Matches one more row, by a path of tight entries through columns that are not visited; false if there is none.
    bool augment_tightly(size_type root, bool forward);
    /// Matches one more row, by a shortest path. If there is none, no row or column that the search has visited leads
    /// to a free column, now or later: a region that later searches leave out.
    void augment_or_retire(size_type root);
    void retire(size_type root);
    /// The free column that is closest to `root`, -1: none, and how far it is.
    std::pair<size_type, double> shortest_path(size_type root);
    /// The next column of a search that is not visited and closer than `shortest`, -1: none; `length` becomes its
    /// distance.
    size_type take_nearest(double& length, double shortest);
    /// Asks for the memory of a row that a search most likely comes to, -1: none: searches wait for it.
    void expect_row(size_type row) const;
    /// The same of its entries.
    void expect_entries(size_type row) const;
    /// Makes cost_ij >= u_i + v_j for columns of retired regions.
    void restore_retired();

    /// Whether entry k, of `row`, has reduced cost 0.
    bool is_tight(size_type row, size_type k) const;
    /// The first column that is free and tight, -1: none. Entries are looked at once: before u and v change.
    size_type free_tight_column(size_type row);
    /// Pairs `row` with `column`, which becomes the one that the row had before.
    void take(size_type row, size_type& column);

    const MatchingCosts& a_;
    std::vector<char> is_visited_;  ///< of columns: in this phase, or distance is final, or retired
    std::vector<size_type> num_looked_at_, num_followed_;  ///< entries of each row: ever, and in this phase
    std::vector<double> distance_;
    std::vector<size_type> row_before_;                        ///< of each column on a path
    std::vector<size_type> region_of_row_, region_of_column_;  ///< -1: not retired
    std::vector<size_type> retired_rows_;                      ///< region by region
    size_type num_regions_ = 0;
    std::vector<size_type> path_, touched_columns_, final_columns_;  ///< of one search
    std::vector<std::pair<double, size_type>> nearest_;              ///< a heap of columns of one search
    std::vector<size_type> equally_near_;  ///< columns no farther than the row that the search is at
};

}  // namespace linden::detail
