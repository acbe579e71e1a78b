#pragma once

#include <vector>

#include "core/matrix/weighted_matching.hpp"

namespace linden::detail {

/// Pairs of rows and columns, and dual variables, as those of `WeightedMatching`.
struct WeightedPairs {
    std::vector<size_type> column_of_row;  ///< -1: none
    std::vector<double> u, v;
};

/// As many pairs as there can be, in a matrix that may be structurally singular, of least cost among those of their
/// rows and columns.
///
/// Where more columns are empty than rows, searches by rows may go through the whole matrix, since each column is taken
/// in the end: its columns look for rows instead. Where searches go through much of it for other reasons, this is done
/// in the part that alternating paths reach from rows without a column [PothenFan90], and in the rest rows look for
/// columns. Which rows and columns have no pair follows from the searches, not from what is best.
WeightedPairs singular_matching(const MatchingCosts& costs);

}  // namespace linden::detail
