#pragma once

#include <linden/reorder/matching.hpp>

#include <vector>

namespace linden::detail {

/// Sets the scaling and the bound of the product of a matching, by logarithms of the scaling factors: those of entry
/// (i, j) are at most -log |a_ij| together.
void set_scaling(Matching& matching, std::vector<double> log_rows, std::vector<double> log_columns);

}  // namespace linden::detail
