#pragma once

#include <linden/matrix/pattern.hpp>
#include <linden/reorder/colouring.hpp>

#include "core/kernels/colouring.hpp"

/// Colourings of patterns, and the ordering of rows for multicolour solves.
namespace linden::detail {

/// Whether a has an entry (j, i) for each (i, j).  a: n x n, columns sorted. Waits for the executor.
template <class I>
bool is_symmetric(const Executor& exec, PatternView<I> a)
{
    Array<size_type> num_unsymmetric(exec, 1);
    colouring_count_unsymmetric<I>(exec, a, num_unsymmetric.data());
    return num_unsymmetric.to_host().front() == 0;
}

/// The pattern of a + a^T. If a is structurally symmetric, the result refers to a, which must outlive it.  a: n x n,
/// columns sorted and unique within rows. Waits for the executor.
template <class I>
Pattern<I> symmetric_pattern(const Executor& exec, PatternView<I> a);

/// The graph of blocks of rows, see colouring_quotient; a itself for blocks of one row.
template <class I>
Pattern<I> block_pattern(const Executor& exec, PatternView<I> a, size_type block_rows);

/// Colours an n x n pattern, which may be unsymmetric; columns sorted and unique within rows. Waits for the executor.
/// @throws InvalidParameter unless block_rows >= 1
template <class I>
Colouring<I> colour_pattern(const Executor& exec, PatternView<I> a, const ColouringOptions& options);

/// Rows per slice of a colour; a slice is as wide as its longest row.
inline constexpr size_type colour_slice_rows = 32;

/// Consecutive rows of a colour that are stored alike: the long rows, or those in slices.
struct ColourSegment {
    size_type first = 0;  ///< position
    size_type rows = 0;
    bool has_slices = true;
};

/// The colour ordering of rows; within a colour as ColourView of core/kernels/sweep.hpp has it: the first rows of all
/// blocks, then the second ones, and so on. Waits for the executor.
template <class I>
struct ColourOrder {
    ColourOrder(const Executor& exec, const Colouring<I>& colouring);

    Array<I> order;                      ///< which row stands at each position
    Array<I> position;                   ///< the inverse
    std::vector<size_type> colour_ptrs;  ///< positions of colour c: colour_ptrs[c], ..., colour_ptrs[c + 1] - 1
    std::vector<size_type> num_long;     ///< long rows of each colour, which come first and are stored without slices
    std::vector<ColourSegment> parts() const;
};

/// Sorts the rows of each colour by length to reduce the padding of slices. Rows are sorted by their lengths in both
/// triangles within windows, so that columns stay local, if the padding is more than `tolerated_padding` times the
/// entries. Rows that are much longer than the others come first. If all rows have about the same length, as on grids,
/// the order is unchanged.  a: n x n with the order's colours, blocks of one row. Waits for the executor.
template <class I>
void sort_rows(const Executor& exec, PatternView<I> a, ColourOrder<I>& order, double tolerated_padding = 0.125);

}  // namespace linden::detail
