#pragma once

#include "core/kernels/sweep.hpp"
#include "gpu/columns.cuh"
#include "gpu/sell_rows.cuh"

/// Sweeps over one colour: a thread for each row or, where rows have blocks, for each block. A type `Step` of this
/// file's functions says what happens with a row's sum, for a row at position p and a column of the vectors:
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

/// A colour as threads see it.
template <class S, class J>
struct ColourRows {
    using I = wide_index_t<J>;

    SellRows<S, J> rows;
    I first;
    I block_rows;
    I num_blocks;
    I last_block_rows;

    __host__ __device__ bool has_blocks() const { return block_rows > 1; }
    /// Rows that threads may begin with.
    size_type num_items() const { return has_blocks() ? num_blocks : rows.num_rows(); }
};

template <class S, class J>
ColourRows<device_type<S>, J> device_rows(const ColourView<S, J>& colour)
{
    using I = wide_index_t<J>;
    return {device_rows(colour.entries), static_cast<I>(colour.first), static_cast<I>(colour.block_rows),
            static_cast<I>(colour.num_blocks()), static_cast<I>(colour.last_block_rows())};
}

enum class RowsOf { grid, block, block_reversed };

namespace detail {

/// The rows that a thread finds one after the other: every so many of the colour's.
template <class I, RowsOf order>
struct ThreadRows {
    size_type row, end, step;

    template <class S, class J>
    __device__ ThreadRows(const ColourRows<S, J>& colour, size_type item, size_type num_items)
        : row(item),
          end(colour.rows.num_rows()),
          step(num_items)
    {
    }
    __device__ bool is_done() const { return row >= end; }
    __device__ void advance() { row += step; }
};

/// The rows of block `item`, row j at colour.row(j, item).
template <class I, RowsOf order>
requires(order != RowsOf::grid) struct ThreadRows<I, order> {
    size_type row;
    I j, count, num_blocks, last_block_rows;

    template <class S, class J>
    __device__ ThreadRows(const ColourRows<S, J>& colour, size_type item, size_type)
        : num_blocks(colour.num_blocks),
          last_block_rows(colour.last_block_rows)
    {
        count = item >= num_blocks ? 0 : item == num_blocks - 1 ? last_block_rows : colour.block_rows;
        j = order == RowsOf::block ? 0 : count - 1;
        const I beyond_last = j - last_block_rows;
        row = static_cast<size_type>(j) * num_blocks + item - (beyond_last > 0 ? beyond_last : 0);
    }
    __device__ bool is_done() const
    {
        return static_cast<std::make_unsigned_t<I>>(j) >= static_cast<std::make_unsigned_t<I>>(count);
    }
    __device__ void advance()
    {
        // Row j of all blocks but the last, which may have less, is followed by row j + 1 of the first.
        if constexpr (order == RowsOf::block) {
            row += num_blocks - (j >= last_block_rows ? 1 : 0);
            ++j;
        } else {
            --j;
            row -= num_blocks - (j >= last_block_rows ? 1 : 0);
        }
    }
};

/// Finds the rows of a thread in one column. What must be known before a row's entries is on its way while the row
/// before is found.
template <RowsOf order, class V, class S, class J, class Step, class Gather, class... Sums>
__device__ inline void sweep_rows(const ColourRows<S, J>& colour, size_type item, size_type num_items, size_type col,
                                  const Step& step, const Gather& gather, Sums&... sums)
{
    using I = wide_index_t<J>;
    const auto local = step.prepare(col);
    if constexpr (requires { local.runs; }) {
        if (!local.runs) {
            return;
        }
    }
    ThreadRows<I, order> at(colour, item, num_items);
    if (at.is_done()) {
        return;
    }
    auto next = colour.rows.find(at.row);
    auto next_early = step.find(colour.first + at.row);
    while (!at.is_done()) {
        const size_type row = at.row;
        const size_type p = colour.first + row;
        const auto found = next;
        const auto early = next_early;
        at.advance();
        if (!at.is_done()) {
            next = colour.rows.find(at.row);
            next_early = step.find(colour.first + at.row);
        }
        const auto loaded = step.load(local, early, p, col);
        const V sum = colour.rows.template product<V>(found, row, gather);
        step.finish(local, early, loaded, p, col, sum, sums...);
    }
}

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

/// The same, one row or block of one column per call.
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

template <int min_blocks, RowsOf order, class V, class S, class J, class Step>
void sweep_in_order(const Executor& exec, const ColourRows<S, J>& colour, const Step& step)
{
    if (is_one_column(step.gathered)) {
        launch_overlapped_on(exec, sweep_kernel<min_blocks, order, V, S, J, Step>,
                             sweep_blocks<min_blocks>(exec, colour.num_items()), column_block_threads, 0, colour, step);
    } else {
        map_elements(exec, colour.num_items(), step.gathered.cols,
                     SweepColumns<order, V, S, J, Step>{{}, colour, step});
    }
}

template <int min_blocks, RowsOf order, class V, class T, class S, class J, class Step>
void sweep_sum_in_order(const Executor& exec, const ColourRows<S, J>& colour, const Step& step, WorkspaceView workspace)
{
    if (is_one_column(step.gathered)) {
        const auto shape = fitted<T, 1>({1, sweep_blocks<min_blocks>(exec, colour.num_items())}, 1, workspace);
        launch_overlapped_on(exec, sweep_sum_kernel<min_blocks, order, V, T, S, J, Step>, shape.grid,
                             column_block_threads, 0, colour, step, partials_in<T, 1>(workspace));
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
    if (colour.has_blocks()) {
        constexpr auto order = reversed ? RowsOf::block_reversed : RowsOf::block;
        detail::sweep_in_order<std::min(min_blocks, sweep_min_blocks<V, J>), order, V>(exec, colour, step);
    } else {
        detail::sweep_in_order<min_blocks, RowsOf::grid, V>(exec, colour, step);
    }
}

/// The same in the order of the blocks, with a sum per column: `step` is also what happens with it, see FinishNothing.
/// Colours without rows have one, too.
template <class T, class S, class J, class Step>
void sweep_colour_sum(const Executor& exec, const ColourRows<S, J>& colour, const Step& step, WorkspaceView workspace)
{
    using V = typename Step::value_type;
    constexpr int min_blocks = sweep_min_blocks<V, J>;
    if (colour.has_blocks()) {
        detail::sweep_sum_in_order<min_blocks, RowsOf::block, V, T>(exec, colour, step, workspace);
    } else {
        detail::sweep_sum_in_order<min_blocks, RowsOf::grid, V, T>(exec, colour, step, workspace);
    }
}

}  // namespace linden::LINDEN_GPU_NAMESPACE
