#pragma once

#include <linden/array.hpp>
#include <linden/error.hpp>
#include <linden/matrix/csr.hpp>
#include <linden/parameters.hpp>

#include <algorithm>
#include <string>
#include <string_view>

#include "core/kernels/array.hpp"
#include "core/kernels/hybrid.hpp"
#include "core/matrix/check_array.hpp"
#include "core/matrix/row_pointers.hpp"

/// Conversions of sparse formats from and to Csr.
namespace linden::detail {

/// target := the values that the map names, see `array_gather`.
template <class V, class W>
void gather_values(const Array<size_type>& map, const V* source, W* target)
{
    array_gather<V, W, size_type>(map.executor(), map.size(), map.data(), source, target, Conjugate::no);
}

/// The stride of columns or diagonals of so many rows, so that each begins at a multiple of 128 bytes.
inline size_type aligned_stride(size_type rows) { return std::max<size_type>((rows + 31) / 32 * 32, 32); }

/// @throws InvalidParameter
inline void check_stride(Dim size, size_type stride)
{
    if (size.rows < 0 || size.cols < 0 || stride < std::max<size_type>(size.rows, 1)) {
        throw InvalidParameter("stride", std::to_string(stride), "at least the number of rows and 1; no size below 0");
    }
}

/// Describes the parameter of formats that pad.
inline void describe_max_fill(ParameterVisitor& v, double& max_fill)
{
    v("max_fill", max_fill, "limit of padding: at most max_fill * nnz + rows + 4096 stored entries");
}

/// Padding up to this number of entries is always allowed.
inline constexpr double free_entries = 4096;

/// @throws InvalidParameter if `entries`, padding included, are more than max_fill nnz + rows + free_entries
inline void check_fill(std::string_view format, size_type entries, size_type nnz, size_type rows, double max_fill)
{
    if (static_cast<double>(entries) > max_fill * static_cast<double>(nnz) + static_cast<double>(rows) + free_entries) {
        throw InvalidParameter("max_fill", std::to_string(max_fill),
                               "more: as " + std::string(format) + " the " + std::to_string(nnz) + " nonzeros in " +
                                   std::to_string(rows) + " rows would take " + std::to_string(entries) +
                                   " entries; or another format");
    }
}

/// The matrix with counts[i] entries in row i: extract(row_ptrs, col_idxs, map) gives their columns and the places of
/// their values.
template <class V, class I, class S, class Extract>
Csr<V, I> assemble_csr(Dim size, Array<I> counts, const S* values, const Extract& extract)
{
    const Executor exec = counts.executor();
    const auto nnz = make_row_ptrs(counts, "the matrix");
    Array<I> col_idxs(exec, nnz);
    Array<V> csr_values(exec, nnz);
    Array<size_type> map(exec, nnz);
    extract(static_cast<const I*>(counts.data()), col_idxs.data(), map.data());
    gather_values<S, V>(map, values, csr_values.data());
    return Csr<V, I>(exec, size, std::move(counts), std::move(col_idxs), std::move(csr_values));
}

/// 1 for nonzero values, else 0.
template <class V>
Array<std::uint8_t> nonzero_marks(const Array<V>& values)
{
    Array<std::uint8_t> marks(values.executor(), values.size());
    array_mark_nonzeros<V>(values.executor(), values.size(), values.data(), marks.data());
    return marks;
}

/// The smallest w such that at most `most_longer` rows have more than w entries; 1 and the length of the longest row
/// are tried by doubling and halving, so that it takes 2 log2(w) passes over the row pointers.
template <class I>
size_type smallest_width(const Executor& exec, PatternView<I> a, size_type most_longer)
{
    Array<I> marks(exec, a.rows + 1);
    const auto fits = [&](size_type width) {
        hybrid_mark_longer<I>(exec, a.rows, a.row_ptrs, width, marks.data());
        return make_row_ptrs(marks, "the rows") <= most_longer;
    };
    if (a.num_nonzeros == 0 || fits(0)) {
        return 0;
    }
    size_type high = 1;
    while (!fits(high)) {
        high *= 2;
    }
    size_type low = high / 2;  // does not fit
    while (high - low > 1) {
        const auto middle = (low + high) / 2;
        (fits(middle) ? high : low) = middle;
    }
    return high;
}

}  // namespace linden::detail
