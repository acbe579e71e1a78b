#pragma once

#include <vector>

#include "core/matrix/weighted_matching.hpp"

namespace linden::detail {

/// Prices v of columns for which the rows have bid, one after the other, in steps that become smaller, until few have
/// no column: cost_ij - v_j is nearly the least of row i for a column that no other row wants. Steps for which that
/// takes more than some bids for each row are left out, as for structurally singular matrices, where it may take any
/// number; empty where none is left. [Bertsekas88]
std::vector<double> auction_prices(const MatchingCosts& costs);

}  // namespace linden::detail
