#pragma once

#include <linden/error.hpp>
#include <linden/half.hpp>
#include <linden/matrix/sell_storage.hpp>
#include <linden/storage_precision.hpp>

#include <algorithm>
#include <bit>
#include <string>

#include <complex>

#include "core/kernels/sell.hpp"
#include "core/matrix/formats.hpp"

/// Conversions of (sliced) ELLPACK from and to Csr.
namespace linden::detail {

/// @throws InvalidParameter if this precision is not supported with values V and indices I
template <class V, class I>
void check_storage(StoragePrecision storage)
{
    if (storage == StoragePrecision::half && is_complex<V>) {
        throw InvalidParameter("storage", "half", "same or single for complex values");
    }
    if (storage != StoragePrecision::same && sizeof(I) > 4) {
        throw InvalidParameter("storage", "lower precision", "same with 64-bit indices");
    }
}

/// Calls f.operator()<S>() for the type S that stored values of V have. Only matrices with 32-bit indices round them.
template <class V, class I, class F>
void with_stored_type(StoragePrecision storage, F&& f)
{
    if constexpr (sizeof(I) == 4) {
        if (storage == StoragePrecision::single) {
            f.template operator()<std::conditional_t<is_complex<V>, std::complex<float>, float>>();
            return;
        }
        if constexpr (!is_complex<V>) {
            if (storage == StoragePrecision::half) {
                f.template operator()<half>();
                return;
            }
        }
    }
    f.template operator()<V>();
}

/// Describes the parameters of slices.
inline void describe_slices(ParameterVisitor& v, size_type& slice_rows, size_type& sigma)
{
    v("slice_rows", slice_rows, "rows of a slice: 32, 64, 128 and so on up to 1024");
    v("sigma", sigma, "rows are sorted by length within windows of this many rows, 1 to 65536");
}

/// @throws InvalidParameter
inline void check_slices(size_type slice_rows, size_type sigma = 1)
{
    if (slice_rows < 32 || slice_rows > 1024 || !std::has_single_bit(static_cast<std::uint64_t>(slice_rows))) {
        throw InvalidParameter("slice_rows", std::to_string(slice_rows), "a power of two from 32 to 1024");
    }
    if (sigma < 1 || sigma > 65536) {
        throw InvalidParameter("sigma", std::to_string(sigma), "1 to 65536");
    }
}

/// The layout of slices of `slice_rows` rows, sorted by length in windows of `sigma`; col_idxs are not filled.
/// @throws InvalidParameter for slice_rows or sigma out of range
template <class I>
SellPattern<I> make_slices(const Executor& exec, PatternView<I> a, size_type slice_rows, size_type sigma)
{
    check_slices(slice_rows, sigma);
    SellPattern<I> result(exec);
    result.slice_rows = slice_rows;
    if (sigma > 1) {
        result.row_order = Array<I>(exec, a.rows);
        sell_sort_rows<I>(exec, a.rows, a.row_ptrs, sigma, result.row_order.data());
    }
    result.slice_ptrs = Array<I>(exec, (a.rows + slice_rows - 1) / slice_rows + 1);
    sell_count_slices<I>(exec, a.rows, a.row_ptrs, slice_rows, result.row_order.data(), result.slice_ptrs.data());
    result.num_columns = make_row_ptrs(result.slice_ptrs, "the slices");
    return result;
}

/// The layout of a single slice.
template <class I>
SellPattern<I> make_single_slice(const Executor& exec, size_type rows, size_type width)
{
    SellPattern<I> result(exec);
    result.slice_rows = aligned_stride(rows);
    result.num_columns = width;
    return result;
}

/// Fills the column indices, and `map` with the place of each entry's value in `a`.
template <class I>
void fill_sell(SellPattern<I>& pattern, PatternView<I> a, size_type* map)
{
    const auto& exec = pattern.col_idxs.executor();
    pattern.col_idxs.resize(pattern.num_entries());
    sell_fill<I>(exec, a, pattern.layout(a.size()), pattern.num_columns, pattern.col_idxs.data(), map);
}

/// Nonzeros of each row, with those of tails, in an array of rows + 1.
template <class I>
Array<I> count_sell(const Executor& exec, const SellLayout<I>& layout, const I* col_idxs, const I* tail_ptrs = nullptr)
{
    Array<I> counts(exec, layout.rows + 1);
    sell_count_rows<I>(exec, layout, col_idxs, tail_ptrs, counts.data());
    return counts;
}

/// Column indices as offsets from the least of their slices' columns.
struct ColumnOffsets {
    Array<std::int32_t> bases;
    Array<std::uint16_t> offsets;
    Array<std::int32_t> spans;  ///< the largest offset of each column
    size_type num_wide;         ///< columns whose offsets need more than 16 bits
};

/// Waits for the executor.
inline ColumnOffsets find_offsets(const SellPattern<std::int32_t>& pattern)
{
    const auto& exec = pattern.col_idxs.executor();
    const auto n = pattern.num_columns;
    ColumnOffsets found{Array<std::int32_t>(exec, n), Array<std::uint16_t>(exec, pattern.num_entries()),
                        Array<std::int32_t>(exec, n), 0};
    sell_compress(exec, pattern.slice_rows, n, pattern.col_idxs.data(), found.bases.data(), found.offsets.data(),
                  found.spans.data());
    Array<std::int32_t> marks(exec, n + 1);
    sell_mark_wide(exec, n, found.spans.data(), marks.data());
    found.num_wide = make_row_ptrs(marks, "the columns");
    return found;
}

/// Puts offsets, none of which is wide, in the place of column indices.
inline void take_offsets(SellPattern<std::int32_t>& pattern, ColumnOffsets found)
{
    pattern.has_offsets = true;
    pattern.bases = std::move(found.bases);
    pattern.offsets = std::move(found.offsets);
    pattern.col_idxs = Array<std::int32_t>(pattern.col_idxs.executor());
}

}  // namespace linden::detail
