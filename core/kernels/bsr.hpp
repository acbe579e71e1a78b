#pragma once

#include <linden/views_formats.hpp>

#include "core/base/kernel.hpp"
#include "core/base/type_lists.hpp"

namespace linden {

inline constexpr size_type max_bsr_block_size = 8;

/// x := alpha A b + beta x.  b: n x k, x: m x k.  With beta = 0 the old x is not read. Block sizes from 2 to
/// max_bsr_block_size. All entries of a block inside of the matrix count, also zeros. Deterministic.
/// Bytes: blocks (s^2 V + I) + (m / s) I + (n + m) k V.
template <class V, class I>
inline constinit kernel<void(BsrView<V, I> a, Scalar<V> alpha, DenseView<const V> b, Scalar<V> beta, DenseView<V> x)>
    bsr_spmv{"bsr::spmv", types_of<V, I>};

// Conversions, as those of core/kernels/sell.hpp.

/// counts[i] := the number of blocks with entries in block row i.
template <class I>
inline constinit kernel<void(PatternView<I> a, size_type block_size, I* counts)> bsr_count_blocks{"bsr::count_blocks",
                                                                                                  types_of<I>};

/// Their block columns, in ascending order.  block_row_ptrs: the prefix sums of those counts.
template <class I>
inline constinit kernel<void(PatternView<I> a, size_type block_size, const I* block_row_ptrs, I* block_cols)>
    bsr_find_blocks{"bsr::find_blocks", types_of<I>};

/// map[entry] := the number in a of each entry of the layout's blocks, -1 where a has none there.
template <class I>
inline constinit kernel<void(PatternView<I> a, BsrLayout<I> layout, size_type* map)> bsr_fill{"bsr::fill", types_of<I>};

/// counts[row] := entries whose value is marked.
template <class I>
inline constinit kernel<void(BsrLayout<I> layout, const std::uint8_t* marks, I* counts)> bsr_count_rows{
    "bsr::count_rows", types_of<I>};

/// The marked entries as those of a Csr matrix with these row pointers: its columns and map.
template <class I>
inline constinit kernel<void(BsrLayout<I> layout, const std::uint8_t* marks, const I* row_ptrs, I* csr_col_idxs,
                             size_type* map)>
    bsr_extract{"bsr::extract", types_of<I>};

}  // namespace linden
