#pragma once

#include "gpu/vector/flat_places.cuh"

/// Kernels that work on blocks of vectors element by element.
///
/// Both come in two shapes. One contiguous, aligned column: a thread works on packs of 16 bytes. Anything else: the
/// lanes of a block are spread over rows and columns so that neighbours lie together in memory. The body is written
/// once, for a `Place<N>` of N consecutive rows.
namespace linden::LINDEN_GPU_NAMESPACE {

/// The same block as kernels see it.
template <class V>
DenseView<device_type<V>> as_device(DenseView<V> x)
{
    return {x.rows, x.cols, x.stride, as_device(x.values)};
}
template <class V, class I>
CsrView<device_type<V>, I> as_device(CsrView<V, I> a)
{
    return {a.rows, a.cols, a.num_nonzeros, a.row_ptrs, a.col_idxs, as_device(a.values)};
}
template <class V>
Scalar<device_type<V>> as_device(Scalar<V> s)
{
    Scalar<device_type<V>> result;
    result.value = as_device(s.value);
    result.data = as_device(s.data);
    result.stride = s.stride;
    return result;
}

/// For bodies that need nothing per column.
struct NothingToPrepare {
    struct Nothing {};
    __device__ Nothing prepare(size_type) const { return {}; }
};

namespace detail {

template <class V>
bool is_flat(DenseView<V> x)
{
    return x.cols == 1 && x.is_contiguous() && reinterpret_cast<std::uintptr_t>(x.values) % 16 == 0;
}

/// How the threads of a block are spread over columns, and the blocks over rows.
struct ColumnShape {
    int column_lanes;
    Grid grid;
};

inline ColumnShape column_shape(const Executor& exec, size_type rows, size_type cols, int rows_per_thread)
{
    int lanes = 1;
    while (lanes < cols && lanes < max_column_lanes) {
        lanes *= 2;
    }
    const size_type wanted = blocks_for(rows * lanes, column_block_threads, rows_per_thread);
    const size_type most = std::min<size_type>(
        static_cast<size_type>(gpu(exec).num_multiprocessors()) * blocks_per_multiprocessor, max_reduction_partials);
    return {lanes, std::max<size_type>(std::min(wanted, most), 1)};
}

/// Calls `work(Place<1>)` for every row of column `col` that this thread has.
template <class Work>
__device__ inline void for_rows(size_type rows, size_type col, int column_lanes, Work work)
{
    const int rows_per_block = block_threads() / column_lanes;
    for (size_type row = static_cast<size_type>(block_id()) * rows_per_block + thread_id() / column_lanes; row < rows;
         row += static_cast<size_type>(num_blocks()) * rows_per_block) {
        work(Place<1>{row, col});
    }
}

template <int N, class Body>
__global__ void __launch_bounds__(column_block_threads, FlatBlocks<Body>::that_fit) map_flat(size_type rows, Body body)
{
    let_next_kernel_begin();
    wait_for_previous_kernel();
    const auto local = body.prepare(size_type{0});
    for_flat_places<N, course_of<Body>>(rows, [&](auto place) { body(place, local); });
}

template <class Body>
__global__ void __launch_bounds__(column_block_threads, column_blocks_per_multiprocessor)
    map_general(size_type rows, size_type cols, int column_lanes, Body body)
{
    let_next_kernel_begin();
    wait_for_previous_kernel();
    for (size_type col = thread_id() % column_lanes; col < cols; col += column_lanes) {
        const auto local = body.prepare(col);
        for_rows(rows, col, column_lanes, [&](auto place) { body(place, local); });
    }
}

}  // namespace detail

/// Calls `body(place, local)` for every element of a rows x cols block, one element at a time: for bodies that gather.
template <class Body>
void map_elements(const Executor& exec, size_type rows, size_type cols, Body body)
{
    if (cols != 0) {  // without rows, bodies still have scalars to prepare
        const auto shape = detail::column_shape(exec, rows, cols, 1);
        launch_overlapped_on(exec, detail::map_general<Body>, shape.grid, column_block_threads, 0, rows, cols,
                             shape.column_lanes, body);
    }
}

/// map_columns by packs of N rows.
template <int N, class Body, class First, class... Rest>
void map_packs(const Executor& exec, Body body, DenseView<First> first, DenseView<Rest>... rest)
{
    const size_type rows = first.rows;
    if (first.cols == 0) {
        return;
    }
    if (detail::is_flat(first) && (detail::is_flat(rest) && ...)) {
        launch_overlapped_on(exec, detail::map_flat<N, Body>, detail::num_flat_blocks<Body>(exec, rows, N),
                             column_block_threads, 0, rows, body);
    } else {
        map_elements(exec, rows, first.cols, body);
    }
}

/// Calls `body(place, local)` for every element of a rows x cols block, where `local` is what `body.prepare(col)` gave
/// the thread for the column. The views are what the body touches; they choose the shape.
template <class Body, class First, class... Rest>
void map_columns(const Executor& exec, Body body, DenseView<First> first, DenseView<Rest>... rest)
{
    map_packs<max_vec<std::remove_const_t<First>>>(exec, body, first, rest...);
}

}  // namespace linden::LINDEN_GPU_NAMESPACE
