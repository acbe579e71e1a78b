#pragma once

#include "gpu/spgemm/spgemm_lists.cuh"
#include "gpu/spgemm/spgemm_merge.cuh"
#include "gpu/spgemm/spgemm_values.cuh"

/// Short rows of C: a thread merges rows of B, for their pattern or for it and the values.
namespace linden::LINDEN_GPU_NAMESPACE::spgemm {

/// A row of A, from its first entry on.
template <class I>
struct RowOfA {
    I begin = 0;
    I length = 0;

    __device__ bool is_few() const { return length <= short_row_entries; }
};

template <class I>
__device__ inline RowOfA<I> row_of(PatternView<I> a, size_type row)
{
    return row < a.rows ? RowOfA<I>{a.row_ptrs[row], a.row_ptrs[row + 1] - a.row_ptrs[row]} : RowOfA<I>{};
}

/// Columns of short rows are counted; the others go to their lists.
template <class I>
__global__ void __launch_bounds__(short_threads)
    count_short_rows(PatternView<I> a, PatternView<I> b, SymbolicLists<I> lists, I* counts)
{
    let_next_kernel_begin();
    wait_for_previous_kernel();
    for (size_type first = static_cast<size_type>(block_id()) * short_threads; first < a.rows;
         first += grid_threads()) {
        const size_type row = first + thread_id();
        const auto entries = row_of(a, row);
        int list = -1;
        int count = 0;
        if (entries.is_few()) {
            Merge<I> merge(a, b, entries.begin, static_cast<int>(entries.length));
            if (merge.num_products() > short_products) {
                list = list_for(merge.num_products());
            } else {
                count = merge.run(b, [](I) {});
            }
        } else {
            const auto products = products_of_row(a, b, entries.begin, entries.length);
            list = products == 0 ? -1 : list_for(products);
        }
        const Places<short_threads, I> places(lists.counters, list < 0 ? Tally{0} : one_in(list));
        if (list >= 0) {
            lists.first(list)[places.at[list]] = static_cast<I>(row);
        } else if (row < a.rows) {
            counts[row] = static_cast<I>(count);
        }
    }
}

/// Columns of short rows.
template <class I>
__global__ void __launch_bounds__(short_threads)
    write_short_rows(PatternView<I> a, PatternView<I> b, const I* row_ptrs, I* col_idxs)
{
    let_next_kernel_begin();
    wait_for_previous_kernel();
    StagedRows<I, I, short_threads> staged;
    for (size_type first = Warp::index() * 32; first < a.rows; first += grid_threads()) {
        const size_type row = first + Warp::lane();
        const auto entries = row_of(a, row);
        Merge<I> merge(a, b, entries.begin, entries.is_few() ? static_cast<int>(entries.length) : 0);
        const bool is_short = entries.is_few() && merge.num_products() <= short_products;
        I* target = staged.start(a.rows, row, row_ptrs, is_short, col_idxs);
        if (is_short) {
            merge.run(b, [&](I col) { *target++ = col; });
        }
        staged.finish(col_idxs);
    }
}

/// Columns and values of short rows, whose sums begin with zero as those of other kernels do; the others go to the
/// lists of values.
template <class V, class I>
__global__ void __launch_bounds__(value_threads) form_short_rows(Operands<V, I> op, I* col_idxs, ValueLists<I> lists)
{
    let_next_kernel_begin();
    wait_for_previous_kernel();
    StagedRows<I, I, value_threads> staged_cols;
    StagedRows<V, I, value_threads> staged_values;
    const I* const row_ptrs = op.c.row_ptrs;
    for (size_type first = static_cast<size_type>(block_id()) * value_threads; first < op.a.rows;
         first += grid_threads()) {
        const size_type row = first + thread_id();
        const auto entries = row_of<I>(op.a, row);
        const int num_factors = entries.is_few() ? static_cast<int>(entries.length) : 0;
        Merge<I> merge(op.a, op.b, entries.begin, num_factors);
        const bool is_short = entries.is_few() && merge.num_products() <= short_products;
        I* cols = staged_cols.start(op.a.rows, row, row_ptrs, is_short, col_idxs);
        V* values = staged_values.start(op.a.rows, row, row_ptrs, is_short, op.c_values);
        Listed listed;
        if (is_short) {
            V factors[short_row_entries], others[short_row_entries];  // `others` are read before sums wait for them
            LINDEN_UNROLL
            for (int e = 0; e < short_row_entries; ++e) {
                factors[e] = e < num_factors ? op.a.values[entries.begin + e] : V{};
            }
            const auto come = [&](int e, I j) { others[e] = op.b.values[j]; };
            merge.start(op.b, come);
            for (I col = merge.least(); col != no_column<I>; col = merge.least()) {
                V sum{};
                merge.take(
                    op.b, col, [&](int e) { sum += factors[e] * others[e]; }, come);
                *cols++ = col;
                *values++ = sum;
            }
        } else if (row < op.a.rows) {
            listed = Listed(row_ptrs[row + 1] - row_ptrs[row], entries.length, 0);
        }
        staged_cols.finish(col_idxs);
        staged_values.finish(op.c_values);
        put<value_threads>(lists, static_cast<I>(row), listed);
    }
}

}  // namespace linden::LINDEN_GPU_NAMESPACE::spgemm
