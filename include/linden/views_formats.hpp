#pragma once

#include <linden/views.hpp>

#include <type_traits>

/// Views of the sparse formats other than Csr and Coo.
namespace linden {

/// The type of row indices and bases of a matrix whose column indices are stored as J.
template <class J>
using wide_index_t = std::conditional_t<sizeof(J) == 2, std::int32_t, J>;

/// The column index of padding: -1, or 0xFFFF.
template <class J>
inline constexpr J no_column = static_cast<J>(-1);

/// The layout of a matrix in sliced ELLPACK (SELL-C-sigma). Each row has a position 0, 1, ...; a slice consists of
/// C = `slice_rows` consecutive positions. Slice s has the columns [slice_ptrs[s], slice_ptrs[s + 1]) of C entries
/// each: entry j of the row at position s C + p is at index (slice_ptrs[s] + j) C + p. Without slice pointers there is
/// a single slice with C = stride >= rows, which is ELLPACK.
template <class I>
struct SellLayout {
    size_type rows = 0;
    size_type cols = 0;
    size_type slice_rows = 1;
    size_type width = 0;            ///< columns of the single slice; with slice pointers those of all, 0 if unknown
    const I* slice_ptrs = nullptr;  ///< number of slices + 1
    const I* row_order = nullptr;   ///< the row at each position; null: natural order

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

/// A matrix in sliced ELLPACK with stored values of type S and column indices of type J. If `bases` is not null,
/// col_idxs are relative to the base of their column of the slice: bases[slice_ptrs[s] + j].
template <class S, class J>
struct SellView {
    using index_type = wide_index_t<J>;

    SellLayout<index_type> layout;
    const J* col_idxs = nullptr;  ///< no_column<J> in padding; values there are unused
    const S* values = nullptr;
    const index_type* bases = nullptr;
};

/// The layout of a matrix in diagonal format: entry (i, i + offsets[d]) is at index d * stride + i; offsets ascend.
/// Positions outside of the matrix are unused.
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

/// The layout of a matrix in block compressed rows: block row i has the blocks [row_ptrs[i], row_ptrs[i + 1]), in
/// ascending block columns. Rows and columns of the last blocks beyond the matrix are unused.
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

/// A matrix in block compressed rows. Each block is column-major, so that neighbouring rows are contiguous.
template <class V, class I>
struct BsrView {
    BsrLayout<I> layout;
    const V* values = nullptr;  ///< num_blocks * block_size^2
};

/// A matrix whose rows are copies of a few stencils. Row i has the stencil s = stencils[i], whose entries are those of
/// ptrs[s] <= k < ptrs[s + 1]: values[k] in column i + offsets[k], in ascending order.
template <class V, class I>
struct StencilView {
    size_type rows = 0;
    size_type cols = 0;
    size_type num_nonzeros = 0;  ///< of all rows
    size_type num_stencils = 0;
    size_type longest = 0;  ///< entries of a stencil
    const std::uint16_t* stencils = nullptr;
    const I* ptrs = nullptr;  ///< num_stencils + 1
    const I* offsets = nullptr;
    const V* values = nullptr;

    constexpr Dim size() const { return {rows, cols}; }
};

}  // namespace linden
