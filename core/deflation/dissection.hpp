#pragma once

#include <linden/types.hpp>

#include <cstdint>
#include <vector>

#include "core/kernels/dissected.hpp"

namespace linden::detail {

/// The pattern of a square matrix on the host.
struct HostPattern {
    std::vector<std::int32_t> row_ptrs;
    std::vector<std::int32_t> col_idxs;

    size_type rows() const { return static_cast<size_type>(row_ptrs.size()) - 1; }
};

/// An order of the rows of a matrix: parts that have no entries with each other, then the tail, the separators between
/// them.
struct Dissection {
    std::vector<std::int32_t> order;      ///< the row at each position
    std::vector<std::int32_t> part_ptrs;  ///< positions where parts begin, and where the tail does
    std::vector<ColumnRange> ranges;      ///< for each position, those of all parts' columns that it has entries in

    size_type num_parts() const { return static_cast<size_type>(part_ptrs.size()) - 1; }
    size_type tail() const { return part_ptrs.back(); }
    size_type longest_part() const;
    /// Words read for a product with the inverse: those of the parts and in their ranges, and all columns of the tail.
    size_type words() const;
};

/// By nested dissection: levels of a breadth-first search from a peripheral row separate halves, these again, as deep
/// as takes the fewest words; at most half of the rows come to separate others. One part and no tail where that saves
/// little against the whole inverse, as for small matrices and dense ones.  The pattern need not be symmetric; that of
/// A + A^T counts.  [GeorgeLiu78, 2]
Dissection dissect(const HostPattern& pattern);

/// False where dissect() would leave the matrix whole whatever its pattern: a product reads each entry's place.
bool dissection_may_pay(size_type rows, size_type num_nonzeros);

}  // namespace linden::detail
