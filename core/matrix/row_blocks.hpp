#pragma once

#include <linden/error.hpp>
#include <linden/matrix/csr.hpp>
#include <linden/parameters.hpp>

#include <algorithm>
#include <optional>
#include <string>

#include "core/kernels/array.hpp"
#include "core/matrix/pattern_operations.hpp"

/// Operators on a block diagonal: the parameters `blocks` and `block_rows`, and the matrix without the entries that
/// couple different blocks of rows.
namespace linden::detail {

inline void describe_row_blocks(ParameterVisitor& v, size_type& blocks, size_type& block_rows)
{
    v("blocks", blocks, "number of diagonal blocks; entries outside of them are ignored");
    v("block_rows", block_rows, "rows per diagonal block, instead of blocks; 0: use blocks");
}

/// The blocks of a matrix with `rows` rows; a single block by default.
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

/// The entries inside of diagonal blocks; nothing for a single block, which means all entries.
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

/// `a` restricted to a pattern selected from its own; the result refers to the arrays of `pattern`.
template <class V, class I>
Csr<V, I> restricted_to(Pattern<I>& pattern, const Csr<V, I>& a)
{
    const auto& exec = a.executor();
    Array<V> values(exec, pattern.source.size());
    array_gather<V, V, I>(exec, values.size(), pattern.source.data(), a.values(), values.data(), Conjugate::no);
    return Csr<V, I>(exec, a.size(), Array<I>::view(exec, pattern.row_ptrs.size(), pattern.row_ptrs.data()),
                     Array<I>::view(exec, pattern.col_idxs.size(), pattern.col_idxs.data()), std::move(values));
}

}  // namespace linden::detail
