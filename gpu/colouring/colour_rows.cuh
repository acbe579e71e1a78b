#pragma once

#include "core/kernels/sweep.hpp"
#include "gpu/matrix/sell_rows.cuh"

/// The rows of one colour, as the threads of a sweep take them.
namespace linden::LINDEN_GPU_NAMESPACE {

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

}  // namespace detail

}  // namespace linden::LINDEN_GPU_NAMESPACE
