#pragma once

#include <linden/types.hpp>

#include <type_traits>

/// Trivially copyable views, the arguments of kernels. A view owns nothing and has no executor.
namespace linden {

class DeviceSums;

/// A scalar for each column of a multivector: one host value for all columns, or values in the executor's memory, one
/// for all columns or one per column.
template <class V>
struct Scalar {
    V value{};
    const V* data = nullptr;  ///< null: `value` holds
    size_type stride = 0;     ///< 0: `data[0]` for all columns; 1: `data[col]`

    constexpr Scalar() = default;
    constexpr Scalar(V v) : value(v) {}
    /// Converts a real number for complex operators.
    template <class R>
    requires(!std::is_same_v<R, V> && std::is_convertible_v<R, real_t<V>>) constexpr Scalar(R v)
        : value(static_cast<real_t<V>>(v))
    {
    }
    /// `values[col]` of the executor's memory, for each column.
    static constexpr Scalar per_column(const V* values)
    {
        Scalar s;
        s.data = values;
        s.stride = 1;
        return s;
    }

    /// The value for column `col`, on the executor whose memory `data` is in.
    constexpr V operator[](size_type col) const { return data == nullptr ? value : data[col * stride]; }
};

/// A dense block of `rows` x `cols` values, row-major, `stride` values from row to row.
template <class V>
struct DenseView {
    size_type rows = 0;
    size_type cols = 0;
    size_type stride = 0;
    V* values = nullptr;

    constexpr V& operator()(size_type row, size_type col) const { return values[row * stride + col]; }
    constexpr Dim size() const { return {rows, cols}; }
    /// Whether the values are contiguous in memory.
    constexpr bool is_contiguous() const { return stride == cols || rows <= 1; }
    constexpr operator DenseView<const V>() const requires(!std::is_const_v<V>) { return {rows, cols, stride, values}; }
};

/// A matrix in compressed sparse rows: row i has the entries [row_ptrs[i], row_ptrs[i + 1]).
template <class V, class I>
struct CsrView {
    size_type rows = 0;
    size_type cols = 0;
    size_type num_nonzeros = 0;
    const I* row_ptrs = nullptr;
    const I* col_idxs = nullptr;
    const V* values = nullptr;

    constexpr Dim size() const { return {rows, cols}; }
};

/// The pattern of a matrix in compressed sparse rows, without values.
template <class I>
struct PatternView {
    size_type rows = 0;
    size_type cols = 0;
    size_type num_nonzeros = 0;
    const I* row_ptrs = nullptr;
    const I* col_idxs = nullptr;

    constexpr PatternView() = default;
    constexpr PatternView(size_type num_rows, size_type num_cols, size_type nnz, const I* ptrs, const I* idxs)
        : rows(num_rows),
          cols(num_cols),
          num_nonzeros(nnz),
          row_ptrs(ptrs),
          col_idxs(idxs)
    {
    }
    template <class V>
    constexpr PatternView(CsrView<V, I> a) : PatternView(a.rows, a.cols, a.num_nonzeros, a.row_ptrs, a.col_idxs)
    {
    }

    constexpr Dim size() const { return {rows, cols}; }
};

/// A matrix in coordinate format, sorted by rows and within rows by columns, each position once.
template <class V, class I>
struct CooView {
    size_type rows = 0;
    size_type cols = 0;
    size_type num_nonzeros = 0;
    const I* row_idxs = nullptr;
    const I* col_idxs = nullptr;
    const V* values = nullptr;

    constexpr Dim size() const { return {rows, cols}; }
};

/// Bytes; a workspace begins at a multiple of them.
inline constexpr size_type workspace_alignment = 16;

/// Temporary memory of a kernel; its contract states the size.
struct WorkspaceView {
    std::byte* data = nullptr;
    size_type bytes = 0;
    DeviceSums* ranks = nullptr;  ///< on devices: makes sums those of all ranks
};

}  // namespace linden
