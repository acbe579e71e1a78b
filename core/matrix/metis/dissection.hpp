#pragma once

#include <cstdint>
#include <vector>

namespace linden::detail {

/// Whether this build has METIS.
extern const bool has_metis;

/// An order of a graph's vertices by nested dissection. The neighbours of vertex i are col_idxs[row_ptrs[i]], ...; each
/// edge is stored for both of its ends; loops are ignored. [KarypisKumar98]
/// @throws NotSupported if this build has no METIS, or its indices are too small
std::vector<std::int32_t> dissection_order(const std::vector<std::int32_t>& row_ptrs,
                                           const std::vector<std::int32_t>& col_idxs);
std::vector<std::int64_t> dissection_order(const std::vector<std::int64_t>& row_ptrs,
                                           const std::vector<std::int64_t>& col_idxs);

}  // namespace linden::detail
