#pragma once

#include <linden/types.hpp>

#include <cstdint>
#include <vector>

#include "core/kernels/nested_dissection.hpp"

namespace linden::detail {

/// The pattern of a Galerkin matrix on the host.
struct GalerkinPattern {
    std::vector<std::int32_t> row_ptrs;
    std::vector<std::int32_t> col_idxs;

    size_type rows() const { return static_cast<size_type>(row_ptrs.size()) - 1; }
};

/// A nested dissection ordering: first blocks of rows that are not coupled to each other, then the separators (from
/// position `separators()` on).
struct NestedDissection {
    std::vector<std::int32_t> order;      ///< the row at each position
    std::vector<std::int32_t> part_ptrs;  ///< positions where blocks begin, and where the separators begin
    std::vector<ColumnRange> ranges;  ///< for each position, the columns before the separators that it has entries in

    size_type num_parts() const { return static_cast<size_type>(part_ptrs.size()) - 1; }
    size_type separators() const { return part_ptrs.back(); }
    size_type longest_part() const;
    /// Words read by a product with the inverse: the ranges, and the columns of the separators.
    size_type words() const;
};

/// Nested dissection of the graph of A + A^T [GeorgeLiu78, 2]: a level of a breadth-first search from a peripheral row
/// separates two halves, which are dissected in turn. The depth is the one with the fewest words(); at most half of the
/// rows are in separators. If this saves little compared with the whole inverse, as for small or dense matrices, the
/// result is one block without separators.
NestedDissection dissect(const GalerkinPattern& pattern);

/// False if dissect() would return one block for any pattern with this number of nonzeros.
bool nested_dissection_may_pay(size_type rows, size_type num_nonzeros);

}  // namespace linden::detail
