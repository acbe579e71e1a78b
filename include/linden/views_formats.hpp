#pragma once

#include <linden/views.hpp>

#include <type_traits>

/// Views of the sparse formats beside Csr and Coo.
namespace linden {

/// The type of row numbers and bases beside column indices of type J.
template <class J>
using wide_index_t = std::conditional_t<sizeof(J) == 2, std::int32_t, J>;

/// The column index of padding: -1, or 0xFFFF.
template <class J>
inline constexpr J no_column = static_cast<J>(-1);

/// Where the entries of a matrix in sliced ELLPACK (SELL-C-sigma) lie. Rows stand at positions 0, 1, ...; a slice is
/// `slice_rows` positions, C. Slice s has the columns [slice_ptrs[s], slice_ptrs[s + 1]) of C entries each: entry
/// number j of position s C + p lies at (slice_ptrs[s] + j) C + p.
/// Without slice pointers there is one slice, with C = stride >= rows: ELLPACK.
template <class I>
struct SellLayout {
    size_type rows = 0;
    size_type cols = 0;
    size_type slice_rows = 1;
    size_type width = 0;            ///< columns of the one slice; not used where there are slice pointers
    const I* slice_ptrs = nullptr;  ///< number of slices + 1
    const I* row_order = nullptr;   ///< the row at each position; null: rows stand in their order

    constexpr Dim size() const { return {rows, cols}; }
    constexpr size_type num_slices() const { return slice_ptrs == nullptr ? 1 : (rows + slice_rows - 1) / slice_rows; }
    constexpr size_type slice_of(size_type position) const { return slice_ptrs == nullptr ? 0 : position / slice_rows; }
    constexpr size_type first_column(size_type slice) const { return slice_ptrs == nullptr ? 0 : slice_ptrs[slice]; }
    constexpr size_type last_column(size_type slice) const
    {
        return slice_ptrs == nullptr ? width : slice_ptrs[slice + 1];
    }
    constexpr size_type row(size_type position) const { return row_order == nullptr ? position : row_order[position]; }
};

/// A matrix in sliced ELLPACK, stored values S, column indices J. Where `bases` are given, col_idxs are relative to the
/// base of their slice's column: bases[slice_ptrs[s] + j].
template <class S, class J>
struct SellView {
    using index_type = wide_index_t<J>;

    SellLayout<index_type> layout;
    const J* col_idxs = nullptr;  ///< no_column<J> in padding, whose values are not used
    const S* values = nullptr;
    const index_type* bases = nullptr;
};

/// Where the diagonals of a matrix lie: number d has the entries (i, i + offsets[d]) at d * stride + i; offsets
/// ascend. What lies outside of the matrix is not used.
template <class I>
struct DiaLayout {
    size_type rows = 0;
    size_type cols = 0;
    size_type num_diagonals = 0;
    size_type stride = 0;  ///< at least rows
    const I* offsets = nullptr;

    constexpr Dim size() const { return {rows, cols}; }
};

template <class V, class I>
struct DiaView {
    DiaLayout<I> layout;
    const V* values = nullptr;
};

/// Where the blocks of a block-compressed matrix lie: block row i has the blocks [row_ptrs[i], row_ptrs[i + 1]), in
/// ascending block columns. Rows and columns beyond the matrix, in the last blocks, are not used.
template <class I>
struct BsrLayout {
    size_type rows = 0;
    size_type cols = 0;
    size_type block_size = 2;
    size_type num_blocks = 0;
    const I* row_ptrs = nullptr;
    const I* col_idxs = nullptr;

    constexpr Dim size() const { return {rows, cols}; }
    constexpr size_type block_rows() const { return (rows + block_size - 1) / block_size; }
};

/// A matrix in dense blocks; each is column-major, so that neighbouring rows are neighbours in memory.
template <class V, class I>
struct BsrView {
    BsrLayout<I> layout;
    const V* values = nullptr;  ///< num_blocks * block_size^2
};

}  // namespace linden
