#pragma once

#include <linden/views.hpp>

#include <cstdint>
#include <vector>

namespace linden::detail {

/// Blocks of a square pattern whose rows and columns are put in order so that nothing is below its diagonal blocks: the
/// fine Dulmage-Mendelsohn decomposition. A system can be solved block by block, from the last one. [PothenFan90]
///
/// Where rows or columns are unmatched, the first `horizontal` rows with their columns have more columns than rows, and
/// the last `vertical` rows more rows than columns; between them are square blocks that cannot be decomposed further.
template <class I>
struct BlockTriangularForm {
    std::vector<I> rows, columns;       ///< the order: row i and column j of the form are these of A
    std::vector<size_type> block_ptrs;  ///< square block b: positions among the square rows from block_ptrs[b] on
    size_type horizontal_rows = 0, horizontal_columns = 0;
    size_type vertical_rows = 0, vertical_columns = 0;

    size_type num_blocks() const { return static_cast<size_type>(block_ptrs.size()) - 1; }
};

/// a: n x n, in host memory. column_of_row: a matching with as many pairs as possible, -1 for unmatched rows. O(nnz),
/// by the strongly connected components of the matched graph; none of the searches recurs. [Tarjan72], [PothenFan90]
template <class I>
BlockTriangularForm<I> block_triangular_form(PatternView<I> a, const std::vector<std::int64_t>& column_of_row);

}  // namespace linden::detail
