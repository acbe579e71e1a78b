#pragma once

#include <linden/reorder/colouring.hpp>

#include "core/kernels/colouring.hpp"
#include "core/matrix/held_pattern.hpp"

/// Colourings of patterns, and the order of rows that sweeps over colours take.
namespace linden::detail {

/// a + a^T; a itself if its pattern is symmetric, which must then outlive the result.  a: n x n, rows sorted and
/// unique. Waits for the executor.
template <class I>
HeldPattern<I> symmetric_pattern(const Executor& exec, PatternView<I> a);

/// The graph of blocks of rows, see colouring_quotient; a itself for blocks of one row.
template <class I>
HeldPattern<I> block_pattern(const Executor& exec, PatternView<I> a, size_type block_rows);

/// Colours an n x n pattern, columns of a row sorted and unique, which need not be symmetric. Waits for the executor.
/// @throws InvalidParameter unless block_rows >= 1
template <class I>
Colouring<I> colour_pattern(const Executor& exec, PatternView<I> a, const ColouringOptions& options);

/// The rows by colours, those of a colour as in core/kernels/sweep.hpp's ColourView: by their place in the block, then
/// by blocks. Waits for the executor.
template <class I>
struct ColourOrder {
    ColourOrder(const Executor& exec, const Colouring<I>& colouring);

    Array<I> order;                      ///< which row stands at each position
    Array<I> position;                   ///< the inverse
    std::vector<size_type> colour_ptrs;  ///< positions of colour c: colour_ptrs[c], ..., colour_ptrs[c + 1] - 1
};

}  // namespace linden::detail
