#pragma once

#include <linden/matrix/sell_storage.hpp>

#include <algorithm>

#include "core/matrix/formats.hpp"

/// Conversions of (sliced) ELLPACK from and to Csr.
namespace linden::detail {

/// The layout of slices of `slice_rows` rows, sorted by length in windows of `sigma`; col_idxs are not filled.
template <class I>
SellPattern<I> make_slices(const Executor& exec, PatternView<I> a, size_type slice_rows, size_type sigma)
{
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

/// The layout of a single slice; its stride aligns every column to 128 bytes.
template <class I>
SellPattern<I> make_single_slice(const Executor& exec, size_type rows, size_type width)
{
    SellPattern<I> result(exec);
    result.slice_rows = std::max<size_type>((rows + 31) / 32 * 32, 32);
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

/// Fills the column indices and the values.
template <class V, class I, class S>
void fill_sell(SellPattern<I>& pattern, const Csr<V, I>& a, S* values)
{
    Array<size_type> map(pattern.col_idxs.executor(), pattern.num_entries());
    fill_sell<I>(pattern, a.view(), map.data());
    gather_values<V, S>(map, a.values(), values);
}

/// Nonzeros of each row, including tails, in an array of rows + 1.
template <class I>
Array<I> count_sell(Dim size, const SellPattern<I>& pattern, const I* tail_ptrs = nullptr)
{
    const auto& exec = pattern.col_idxs.executor();
    Array<I> counts(exec, size.rows + 1);
    sell_count_rows<I>(exec, pattern.layout(size), pattern.col_idxs.data(), tail_ptrs, counts.data());
    return counts;
}

template <class I>
size_type count_nonzeros(Dim size, const SellPattern<I>& pattern)
{
    auto counts = count_sell(size, pattern);
    return make_row_ptrs(counts, "the matrix");
}

/// The Csr matrix with these values, converted to V.
template <class V, class I, class S>
Csr<V, I> sell_to_csr(Dim size, const SellPattern<I>& pattern, const S* values)
{
    return assemble_csr<V, I>(size, count_sell<I>(size, pattern), values,
                              [&](const I* row_ptrs, I* col_idxs, size_type* map) {
                                  sell_extract<I>(pattern.col_idxs.executor(), pattern.layout(size),
                                                  pattern.col_idxs.data(), row_ptrs, col_idxs, map);
                              });
}

}  // namespace linden::detail
