#pragma once

#include "gpu/colouring/colour_rows.cuh"
#include "gpu/colouring/sweep_long.cuh"
#include "gpu/vector/columns.cuh"

/// Sweeps over one colour: a thread for each row or, where rows have blocks, for each block; a block of threads for
/// each long row. A type `Step` of this file's functions says what happens with a row's sum, for a row at position p
/// and a column of the vectors:
///     DenseView<V> gathered               what the rows' entries are multiplied by, which chooses the shape
///     Local prepare(col)                  what is to be read about the column; without `runs`, where it has such a
///                                         member, its rows are left alone
///     Early find(p)                       what is to be read about the row with its slice, before the columns
///     Loaded load(local, early, p, col)   what is to be read before the row's entries
///     void finish(local, early, loaded, p, col, sum, sums...)
namespace linden::LINDEN_GPU_NAMESPACE {

/// So many blocks fit beside each other where registers also hold the place in a block of rows, or sums.
template <class V, class J>
inline constexpr int sweep_min_blocks = sizeof(V) > 8 && sizeof(J) > 4 ? 2 : 3;

namespace detail {

/// The same for all rows of a thread in one contiguous column.
template <RowsOf order, class V, class S, class J, class Step, class... Sums>
__device__ inline void sweep_column(const ColourRows<S, J>& colour, const Step& step, Sums&... sums)
{
    const V* const b = step.gathered.values;
    const auto gather = [b](auto row) { return b[row]; };
    if constexpr (order == RowsOf::grid) {
        sweep_rows<order, V>(colour, global_id(), grid_threads(), 0, step, gather, sums...);
    } else {
        for (size_type block = global_id(); block < colour.num_blocks; block += grid_threads()) {
            sweep_rows<order, V>(colour, block, 0, 0, step, gather, sums...);
        }
    }
}

template <int min_blocks, RowsOf order, class V, class S, class J, class Step>
__global__ void __launch_bounds__(column_block_threads, min_blocks) sweep_kernel(ColourRows<S, J> colour, Step step)
{
    let_next_kernel_begin();
    wait_for_previous_kernel();
    sweep_column<order, V>(colour, step);
}

template <int min_blocks, RowsOf order, class V, class T, class S, class J, class Step>
__global__ void __launch_bounds__(column_block_threads, min_blocks)
    sweep_sum_kernel(ColourRows<S, J> colour, Step step, Partials<T, 1> partials)
{
    wait_for_previous_kernel();
    if (step.skip()) {
        return;
    }
    T sums[1]{};
    sweep_column<order, V>(colour, step, sums);
    let_next_kernel_begin();
    finish_reduction<column_block_threads, Sum>(sums, partials, step);
}

/// All columns, those of a value of type T by one of `column_lanes` neighbouring threads, which read the row's entries
/// together.
template <int min_blocks, RowsOf order, class T, class S, class J, class Step>
__global__ void __launch_bounds__(column_block_threads, min_blocks)
    sweep_columns_kernel(ColourRows<S, J> colour, Step step, int column_lanes)
{
    constexpr int width = num_columns_of<T>;
    let_next_kernel_begin();
    wait_for_previous_kernel();
    const int rows_per_block = column_block_threads / column_lanes;
    const size_type first = static_cast<size_type>(block_id()) * rows_per_block + thread_id() / column_lanes;
    const size_type stride = static_cast<size_type>(num_blocks()) * rows_per_block;
    for (size_type col = thread_id() % column_lanes * width; col < step.gathered.cols; col += column_lanes * width) {
        const auto gather = [&](size_type row) { return load_columns<T>(step.gathered, row, col); };
        if constexpr (order == RowsOf::grid) {
            sweep_rows<order, T>(colour, first, stride, col, step, gather);
        } else {
            for (size_type block = first; block < colour.num_blocks; block += stride) {
                sweep_rows<order, T>(colour, block, 0, col, step, gather);
            }
        }
    }
}

/// One row or block of one column per call.
template <RowsOf order, class V, class S, class J, class Step>
struct SweepColumns : NothingToPrepare {
    ColourRows<S, J> colour;
    Step step;

    template <class... Sums>
    __device__ void operator()(Place<1> at, Nothing, Sums&... sums) const
    {
        const auto gather = [&](size_type row) { return step.gathered(row, at.col); };
        sweep_rows<order, V>(colour, at.row, colour.rows.num_rows(), at.col, step, gather, sums...);
    }
};

/// Blocks of threads for one contiguous column: at most `min_blocks` for each multiprocessor, so that a thread finds
/// its next row while it sums one.
template <int min_blocks>
size_type sweep_blocks(const Executor& exec, size_type num_items)
{
    const size_type most = size_type{gpu(exec).num_multiprocessors()} * min_blocks * column_block_threads;
    const size_type rounds = std::max<size_type>(1, (num_items + most - 1) / most);
    return blocks_for((num_items + rounds - 1) / rounds, column_block_threads);
}

template <class V>
bool is_one_column(DenseView<V> x)
{
    return x.cols == 1 && x.is_contiguous();
}

template <int min_blocks, RowsOf order, class T, class S, class J, class Step>
void sweep_columns(const Executor& exec, const ColourRows<S, J>& colour, const Step& step)
{
    const int lanes = column_shape(exec, colour.num_items(), step.gathered.cols / num_columns_of<T>, 1).column_lanes;
    launch_overlapped_on(exec, sweep_columns_kernel<min_blocks, order, T, S, J, Step>,
                         sweep_blocks<min_blocks>(exec, colour.num_items() * lanes), column_block_threads, 0, colour,
                         step, lanes);
}

template <int min_blocks, RowsOf order, class V, class S, class J, class Step>
void sweep_in_order(const Executor& exec, const ColourRows<S, J>& colour, const Step& step)
{
    if (is_one_column(step.gathered)) {
        launch_overlapped_on(exec, sweep_kernel<min_blocks, order, V, S, J, Step>,
                             sweep_blocks<min_blocks>(exec, colour.num_items()), column_block_threads, 0, colour, step);
    } else if (step.gathered.cols != 0) {
        constexpr int fitting = sizeof(V) > 8 ? 2 : std::min(min_blocks, sweep_min_blocks<V, J>);
        sweep_columns<fitting, order, V>(exec, colour, step);
    }
}

template <int min_blocks, RowsOf order, class V, class T, class S, class J, class Step>
void sweep_sum_in_order(const Executor& exec, const ColourRows<S, J>& colour, const Step& step, WorkspaceView workspace)
{
    if (is_one_column(step.gathered)) {
        const auto shape = fitted<T, 1>({1, sweep_blocks<min_blocks>(exec, colour.num_items())}, 1, workspace);
        launch_overlapped_on(exec, sweep_sum_kernel<min_blocks, order, V, T, S, J, Step>, shape.grid,
                             column_block_threads, 0, colour, step, partials_in<T, 1>(workspace));
        finish_over_ranks<Sum, T, 1>(exec, workspace, 1, step);
    } else {
        reduce_elements<T, 1>(exec, workspace, colour.num_items(), step.gathered.cols,
                              SweepColumns<order, V, S, J, Step>{{}, colour, step}, step);
    }
}

}  // namespace detail

/// Calls step.finish for all rows of a colour in the order of their blocks, or from the last to the first.
template <int min_blocks, bool reversed, class S, class J, class Step>
void sweep_colour(const Executor& exec, const ColourRows<S, J>& colour, const Step& step)
{
    using V = typename Step::value_type;
    if (colour.rows.num_rows() == 0) {
        return;
    }
    if (has_long_rows(colour)) {
        sweep_long(exec, colour, step);
    } else if (colour.has_blocks()) {
        constexpr auto order = reversed ? RowsOf::block_reversed : RowsOf::block;
        detail::sweep_in_order<std::min(min_blocks, sweep_min_blocks<V, J>), order, V>(exec, colour, step);
    } else {
        detail::sweep_in_order<min_blocks, RowsOf::grid, V>(exec, colour, step);
    }
}

/// The same for a step whose values are packs of columns, and rows that are not long.
template <bool reversed, class S, class J, class Step>
void sweep_colour_packs(const Executor& exec, const ColourRows<S, J>& colour, const Step& step)
{
    using T = typename Step::value_type;
    constexpr int min_blocks = 2;  // registers hold a pack for the sum and for each entry on its way
    if (colour.rows.num_rows() == 0 || step.gathered.cols == 0) {
        return;
    }
    if (colour.has_blocks()) {
        constexpr auto order = reversed ? RowsOf::block_reversed : RowsOf::block;
        detail::sweep_columns<min_blocks, order, T>(exec, colour, step);
    } else {
        detail::sweep_columns<min_blocks, RowsOf::grid, T>(exec, colour, step);
    }
}

/// The same in the order of the blocks, with a sum per column: `step` is also what happens with it, see FinishNothing.
/// Colours without rows have one, too.
template <class T, class S, class J, class Step>
void sweep_colour_sum(const Executor& exec, const ColourRows<S, J>& colour, const Step& step, WorkspaceView workspace)
{
    using V = typename Step::value_type;
    constexpr int min_blocks = sweep_min_blocks<V, J>;
    if (has_long_rows(colour)) {
        sweep_long_sum<T>(exec, colour, step, workspace);
    } else if (colour.has_blocks()) {
        detail::sweep_sum_in_order<min_blocks, RowsOf::block, V, T>(exec, colour, step, workspace);
    } else {
        detail::sweep_sum_in_order<min_blocks, RowsOf::grid, V, T>(exec, colour, step, workspace);
    }
}

}  // namespace linden::LINDEN_GPU_NAMESPACE
