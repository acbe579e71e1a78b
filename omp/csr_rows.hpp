#pragma once

#include <linden/views.hpp>

#include <array>

#include "core/base/math.hpp"

/// Rows of a compressed matrix times one vector. Where rows next to each other mostly have one length, as in stencils,
/// they need no loop of their own, whose end the processor would have to foretell.
namespace linden::omp {

/// How long before their turn values of A are asked for, and column indices as many entries: the processor's own
/// prefetching ends with the page of 4 KiB, if not before.
inline constexpr int prefetch_bytes = 2048;

/// Asks for the cache lines of `Length` entries that come `prefetch_bytes` of values after these. Beyond the last entry
/// it does no harm.
template <int Length, class V, class I>
void prefetch_entries(const V* values, const I* col_idxs)
{
    constexpr int distance = prefetch_bytes / sizeof(V);
    constexpr int values_per_line = 64 / sizeof(V);
    for (int k = 0; k < Length; k += values_per_line) {
        __builtin_prefetch(values + distance + k);
    }
    __builtin_prefetch(col_idxs + distance);
}

/// A row of any length, by several sums, so that additions wait less for each other.
template <class V, class I>
V row_product(const V* values, const I* col_idxs, size_type length, const V* b)
{
    constexpr int num_sums = 4;
    std::array<V, num_sums> sums{};
    size_type k = 0;
    for (; k + num_sums <= length; k += num_sums) {
        prefetch_entries<num_sums>(values + k, col_idxs + k);
        for (int i = 0; i < num_sums; ++i) {
            sums[i] += multiply(values[k + i], b[col_idxs[k + i]]);
        }
    }
    V sum = (sums[0] + sums[2]) + (sums[1] + sums[3]);
    for (; k < length; ++k) {
        sum += multiply(values[k], b[col_idxs[k]]);
    }
    return sum;
}

/// As long as rows have `Length` nonzeros, as `row` has: use(row, A(row, :) b).  Returns the row after them.
template <int Length, class V, class I, class Use>
size_type for_each_row_of_length(CsrView<V, I> a, size_type row, size_type last, const V* b, const Use& use)
{
    I begin = a.row_ptrs[row];
    do {
        const V* const values = a.values + begin;
        const I* const col_idxs = a.col_idxs + begin;
        prefetch_entries<Length>(values, col_idxs);
        V sum{};
        for (int k = 0; k < Length; ++k) {
            sum += multiply(values[k], b[col_idxs[k]]);
        }
        use(row, sum);
        begin += Length;
        ++row;
    } while (row < last && a.row_ptrs[row + 1] - begin == Length);
    return row;
}

/// Rows up to this length are added from first to last, longer ones by `row_product`: the bits of a row's product
/// depend on the row alone, and not on the rows beside it, so that any number of ranks gets the same.
inline constexpr int longest_short_row = 8;

/// for_each_row_of_length if `row` has `Shortest` to 8 nonzeros. Otherwise does nothing and returns `row`.
template <int Shortest, class V, class I, class Use>
size_type for_each_row_of_run(CsrView<V, I> a, size_type row, size_type last, const V* b, const Use& use)
{
    if constexpr (Shortest > longest_short_row) {
        return row;
    } else if (a.row_ptrs[row + 1] - a.row_ptrs[row] == Shortest) {
        return for_each_row_of_length<Shortest>(a, row, last, b, use);
    } else {
        return for_each_row_of_run<Shortest + 1>(a, row, last, b, use);
    }
}

/// use(row, A(row, :) b) for rows from `first` on, with code for their length, as long as runs of short rows have 8
/// rows and more on the average, after some runs to begin with. Returns the row after them.
template <class V, class I, class Use>
size_type for_each_row_in_runs(CsrView<V, I> a, size_type first, size_type last, const V* b, const Use& use)
{
    size_type row = first;
    for (size_type num_runs = 0; row < last && 8 * num_runs <= row - first + 32;) {
        const size_type next = for_each_row_of_run<1>(a, row, last, b, use);
        if (next != row) {
            row = next;
            ++num_runs;
        } else {
            const I begin = a.row_ptrs[row];
            use(row, row_product(a.values + begin, a.col_idxs + begin, a.row_ptrs[row + 1] - begin, b));
            ++row;
        }
    }
    return row;
}

/// use(row, A(row, :) b) for the rows [first, last), a tile; b is contiguous. Where rows are uneven, a loop is as good
/// as code that has to be chosen for each row.
template <class V, class I, class Use>
void for_each_row_product(CsrView<V, I> a, size_type first, size_type last, const V* b, const Use& use)
{
    size_type row = for_each_row_in_runs(a, first, last, b, use);
    I begin = a.row_ptrs[row];
    for (; row < last; ++row) {
        prefetch_entries<1>(a.values + begin, a.col_idxs + begin);
        const I end = a.row_ptrs[row + 1];
        if (end - begin > longest_short_row) {
            use(row, row_product(a.values + begin, a.col_idxs + begin, end - begin, b));
            begin = end;
            continue;
        }
        V sum{};
        for (I k = begin; k < end; ++k) {
            sum += multiply(a.values[k], b[a.col_idxs[k]]);
        }
        use(row, sum);
        begin = end;
    }
}

}  // namespace linden::omp
