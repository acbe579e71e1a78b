#pragma once

#include <linden/matrix/pattern.hpp>
#include <linden/reorder/colouring.hpp>

#include "core/kernels/colouring.hpp"

/// Colourings of patterns, and the order of rows that sweeps over colours take.
namespace linden::detail {

/// a + a^T; a itself if its pattern is symmetric, which must then outlive the result.  a: n x n, rows sorted and
/// unique. Waits for the executor.
template <class I>
Pattern<I> symmetric_pattern(const Executor& exec, PatternView<I> a);

/// The graph of blocks of rows, see colouring_quotient; a itself for blocks of one row.
template <class I>
Pattern<I> block_pattern(const Executor& exec, PatternView<I> a, size_type block_rows);

/// Colours an n x n pattern, columns of a row sorted and unique, which need not be symmetric. Waits for the executor.
/// @throws InvalidParameter unless block_rows >= 1
template <class I>
Colouring<I> colour_pattern(const Executor& exec, PatternView<I> a, const ColouringOptions& options);

/// Rows of a colour are kept in slices of so many, each as wide as its longest row.
inline constexpr size_type colour_slice_rows = 32;

/// Rows of a colour that are kept alike.
struct ColourPart {
    size_type first = 0;  ///< position
    size_type rows = 0;
    bool has_slices = true;
};

/// The rows by colours, those of a colour as in core/kernels/sweep.hpp's ColourView: by their place in the block, then
/// by blocks. Waits for the executor.
template <class I>
struct ColourOrder {
    ColourOrder(const Executor& exec, const Colouring<I>& colouring);

    Array<I> order;                      ///< which row stands at each position
    Array<I> position;                   ///< the inverse
    std::vector<size_type> colour_ptrs;  ///< positions of colour c: colour_ptrs[c], ..., colour_ptrs[c + 1] - 1
    std::vector<size_type> num_long;     ///< so many rows of each colour come first that are kept without slices
    std::vector<ColourPart> parts() const;
};

/// Sorts the rows of each colour, which need not be in any order, for slices of colour_slice_rows rows to hold their
/// triangles: where much of the slices is padding, by the lengths of their rows in both, in windows, so that neighbours
/// stay near. Rows that are much longer than the others come first. Where all are about as long, as on grids, nothing
/// moves. a: n x n with the order's colours, blocks of one row. Waits for the executor.
template <class I>
void sort_rows(const Executor& exec, PatternView<I> a, ColourOrder<I>& order);

}  // namespace linden::detail
