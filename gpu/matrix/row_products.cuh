#pragma once

#include "gpu/vector/columns.cuh"
#include "gpu/vector/store_row.cuh"

/// Products whose rows are formed by one thread each. A type `Rows` of this file's functions says for a matrix:
///     size_type num_rows()
///     Found                               the result of `find`
///     Found find(position)                what is to be read first about the row at a position; nothing where none is
///     size_type row(found, position)      which row that is
///     V product<V>(found, position, gather)
///                                         (A b)(that row), where gather(col) is b at column `col`
namespace linden::LINDEN_GPU_NAMESPACE {

namespace detail {

template <int min_blocks, class V, class Rows>
__global__ void __launch_bounds__(column_block_threads, min_blocks)
    multiply_rows_kernel(Rows rows, const V* b, StoreRow<V> store)
{
    let_next_kernel_begin();
    wait_for_previous_kernel();
    const Factors<V> factors = store.prepare(0);
    auto next = rows.find(global_id());
    for (size_type position = global_id(); position < rows.num_rows(); position += grid_threads()) {
        const auto found = next;
        next = rows.find(position + grid_threads());  // on its way while this row is multiplied
        const V product = rows.template product<V>(found, position, [b](auto col) { return b[col]; });
        factors.store(product, store.x(rows.row(found, position), 0));
    }
}

/// x := alpha A b + beta x, one element per call.
template <class V, class Rows>
struct MultiplyColumns {
    Rows rows;
    DenseView<const V> b;
    StoreRow<V> store;

    __device__ Factors<V> prepare(size_type col) const { return store.prepare(col); }
    __device__ void operator()(Place<1> at, const Factors<V>& factors) const
    {
        const auto found = rows.find(at.row);
        const V product = rows.template product<V>(found, at.row, [&](size_type col) { return b(col, at.col); });
        factors.store(product, store.x(rows.row(found, at.row), at.col));
    }
};

/// x := A b with w^H x and x^H x, one element per call.
template <class V, class Rows>
struct MultiplyDot : NothingToPrepare, StoreDots<V> {
    Rows rows;
    DenseView<const V> b;
    DenseView<V> x;
    DenseView<const V> w;

    __device__ void operator()(Place<1> at, Nothing, V (&sums)[2]) const
    {
        const auto found = rows.find(at.row);
        const size_type row = rows.row(found, at.row);
        const V product = rows.template product<V>(found, at.row, [&](size_type col) { return b(col, at.col); });
        x(row, at.col) = product;
        sums[0] += conj(w(row, at.col)) * product;
        sums[1] += V{abs2(product)};
    }
};

}  // namespace detail

/// x := alpha A b + beta x by elements: neighbouring lanes take the columns of a row, and read its entries together.
template <class V, class Rows>
void multiply_columns(const Executor& exec, const Rows& rows, DenseView<const V> b, StoreRow<V> store)
{
    map_elements(exec, store.x.rows, store.x.cols, detail::MultiplyColumns<V, Rows>{rows, b, store});
}

/// x := alpha A b + beta x. Where there is something to find about a row, one contiguous column goes to a grid of at
/// most `min_blocks` blocks for each multiprocessor: a thread finds its next row while it multiplies one.
template <int min_blocks, class V, class Rows>
void multiply_rows(const Executor& exec, const Rows& rows, DenseView<const V> b, StoreRow<V> store)
{
    if (store.x.cols != 1 || !b.is_contiguous()) {
        multiply_columns(exec, rows, b, store);
        return;
    }
    const size_type multiprocessors = gpu(exec).num_multiprocessors();
    const size_type most =
        std::is_empty_v<typename Rows::Found> ? rows.num_rows() : multiprocessors * min_blocks * column_block_threads;
    const size_type rounds = std::max<size_type>(1, (rows.num_rows() + most - 1) / std::max<size_type>(1, most));
    const size_type threads = (rows.num_rows() + rounds - 1) / rounds;
    launch_overlapped_on(exec, detail::multiply_rows_kernel<min_blocks, V, Rows>,
                         blocks_for(threads, column_block_threads), column_block_threads, 0, rows, b.values, store);
}

/// x := A b;  wx := w^H x, xx := x^H x by columns.
template <class V, class Rows>
void multiply_rows_dot(const Executor& exec, const Rows& rows, DenseView<const V> b, DenseView<V> x,
                       DenseView<const V> w, V* wx, V* xx, WorkspaceView workspace)
{
    const detail::MultiplyDot<V, Rows> body{{}, {{}, wx, xx}, rows, b, x, w};
    reduce_elements<V, 2>(exec, workspace, x.rows, x.cols, body, body);
}

}  // namespace linden::LINDEN_GPU_NAMESPACE
