#pragma once

#include "gpu/colouring/colour_rows.cuh"
#include "gpu/vector/columns.cuh"

/// Sweeps over colours of fewer rows than a device has threads that hide each other's waits: two threads share a row,
/// with the steps of sweep_rows.cuh.
namespace linden::LINDEN_GPU_NAMESPACE {

/// Rows of a colour up to which two threads each pay, and entries of a row from which on. On an H100 an application of
/// multi-elimination to lap2d:1000, with levels of 40,000 to 130,000 rows of 8 to 30 entries, takes 199 us with them
/// and 206 without; four threads take 202 and, if levels of more than 70,000 rows have them, 213.
inline constexpr size_type most_parted_rows = 131072;
inline constexpr size_type least_parted_entries = 8;

/// Whether a colour's rows are such ones.
template <class S, class J>
bool has_parted_rows(const ColourRows<S, J>& colour)
{
    const auto& layout = colour.rows.a.layout;
    return !colour.has_blocks() && layout.slice_rows > 1 && layout.rows <= most_parted_rows &&
           layout.width * layout.slice_rows >= least_parted_entries * layout.rows;
}

namespace detail {

inline constexpr int row_parts = 2;
inline constexpr int parted_rows_per_block = column_block_threads / row_parts;

/// One contiguous column. Neighbouring threads have neighbouring rows; those of the first half of a block have the
/// first half of their row's entries, and finish the row.
template <int min_blocks, class V, class S, class J, class Step>
__global__ void __launch_bounds__(column_block_threads, min_blocks)
    sweep_parts_kernel(ColourRows<S, J> colour, Step step)
{
    using I = wide_index_t<J>;
    LINDEN_SHARED(others, V[parted_rows_per_block]);
    let_next_kernel_begin();
    wait_for_previous_kernel();
    const V* const b = step.gathered.values;
    const auto gather = [b](auto row) { return b[row]; };
    const int slot = thread_id() % parted_rows_per_block;
    const bool is_second = thread_id() >= parted_rows_per_block;
    const size_type row = static_cast<size_type>(block_id()) * parted_rows_per_block + slot;
    const size_type p = colour.first + row;
    const bool finishes = !is_second && row < colour.rows.num_rows();
    const auto local = step.prepare(0);
    auto found = colour.rows.find(row);
    decltype(step.find(p)) early{};
    if (finishes) {
        early = step.find(p);
    }
    const I middle = found.first_column + (found.last_column - found.first_column + 1) / row_parts;
    (is_second ? found.first_column : found.last_column) = middle;
    decltype(step.load(local, early, p, 0)) loaded{};
    if (finishes) {
        loaded = step.load(local, early, p, 0);
    }
    const V sum = colour.rows.template product<V>(found, row, gather);
    if (is_second) {
        others[slot] = sum;
    }
    block_barrier();
    if (finishes) {
        step.finish(local, early, loaded, p, 0, sum + others[slot]);
    }
}

}  // namespace detail

/// Calls step.finish for all rows of such a colour.
template <int min_blocks, class S, class J, class Step>
void sweep_in_parts(const Executor& exec, const ColourRows<S, J>& colour, const Step& step)
{
    using V = typename Step::value_type;
    launch_overlapped_on(exec, detail::sweep_parts_kernel<min_blocks, V, S, J, Step>,
                         blocks_for(colour.rows.num_rows(), detail::parted_rows_per_block), column_block_threads, 0,
                         colour, step);
}

}  // namespace linden::LINDEN_GPU_NAMESPACE
