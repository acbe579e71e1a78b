#pragma once

#include <linden/error.hpp>
#include <linden/matrix/csr.hpp>
#include <linden/parameters.hpp>

#include <algorithm>
#include <optional>
#include <string>

#include "core/kernels/csr_values.hpp"
#include "core/matrix/pattern_operations.hpp"

/// Operators that treat blocks of successive rows each by itself: parameters `blocks` and `block_rows`, and the matrix
/// without the entries that couple different blocks.
namespace linden::detail {

inline void describe_row_blocks(ParameterVisitor& v, size_type& blocks, size_type& block_rows)
{
    v("blocks", blocks, "blocks of rows, between which entries are left out");
    v("block_rows", block_rows, "rows of a block, in place of blocks; 0: by blocks");
}

/// The blocks of a matrix with so many rows; all rows are one where that is what the parameters say.
/// @throws InvalidParameter
inline RowBlocks row_blocks(size_type blocks, size_type block_rows, size_type rows)
{
    if (blocks < 1 || blocks > std::max<size_type>(rows, 1)) {
        throw InvalidParameter("blocks", std::to_string(blocks), "1 to the number of rows");
    }
    if (block_rows < 0) {
        throw InvalidParameter("block_rows", std::to_string(block_rows), "at least 0");
    }
    if (block_rows > 0 && blocks > 1) {
        throw InvalidParameter("block_rows", std::to_string(block_rows), "0 where blocks is given");
    }
    if (block_rows > 0) {
        return block_rows < rows ? RowBlocks{block_rows} : RowBlocks{};
    }
    return blocks > 1 ? RowBlocks{rows / blocks, rows % blocks} : RowBlocks{};
}

/// The entries that couple no different blocks; nothing where all rows are one, which is all entries.
template <class I>
std::optional<Pattern<I>> pattern_inside(const Executor& exec, PatternView<I> a, RowBlocks blocks)
{
    if (blocks.rows == 0) {
        return {};
    }
    const PatternSelection inside{
        .row_begin = 0, .row_end = a.rows, .col_begin = 0, .col_end = a.cols, .blocks = blocks};
    return selected_pattern(exec, a, inside);
}

/// `a` on a pattern that was made from its own; it refers to the arrays of `pattern`.
template <class V, class I>
Csr<V, I> restricted_to(Pattern<I>& pattern, const Csr<V, I>& a)
{
    const auto& exec = a.executor();
    Array<V> values(exec, pattern.source.size());
    array_gather<V, I>(exec, values.size(), pattern.source.data(), a.values(), values.data(), Conjugate::no);
    return Csr<V, I>(exec, a.size(), Array<I>::view(exec, pattern.row_ptrs.size(), pattern.row_ptrs.data()),
                     Array<I>::view(exec, pattern.col_idxs.size(), pattern.col_idxs.data()), std::move(values));
}

}  // namespace linden::detail
