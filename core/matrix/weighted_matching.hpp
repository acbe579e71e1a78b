#pragma once

#include <linden/reorder/matching.hpp>

#include <vector>

namespace linden::detail {

/// The entries of a square matrix that can be matched, row by row, with costs: those of each row are at least 0.
struct MatchingCosts {
    std::vector<size_type> row_ptrs;
    std::vector<size_type> columns;
    std::vector<double> costs;

    size_type num_rows() const { return static_cast<size_type>(row_ptrs.size()) - 1; }
};

/// A matching of least cost among those with the most pairs that grow from it, and u, v with
/// cost_ij >= u_i + v_j, with equality for pairs. [DuffKoster01, 3]
class WeightedMatching {
public:
    explicit WeightedMatching(const MatchingCosts& costs);

    std::vector<size_type> column_of_row, row_of_column;  ///< -1: none
    std::vector<double> u, v;

private:
    void match_cheaply();
    /// Matches one more row, by a shortest path to a column that is free; false if there is none.
    bool augment(size_type root);

    const MatchingCosts& a_;
    std::vector<double> distance_;
    std::vector<size_type> row_before_;  ///< of each column on a path
    std::vector<char> is_final_;
};

}  // namespace linden::detail
