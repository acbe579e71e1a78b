#pragma once

#include "core/kernels/reduction.hpp"
#include "gpu/device/reduce.cuh"
#include "gpu/runtime/launch.hpp"

/// Kernels that work on blocks of vectors element by element.
///
/// Both come in two shapes. One contiguous, aligned column: a thread works on packs of 16 bytes. Anything else: the
/// lanes of a block are spread over rows and columns so that neighbours lie together in memory. The body is written
/// once, for a `Place<N>` of N consecutive rows.
namespace linden::LINDEN_GPU_NAMESPACE {

#if defined(LINDEN_HIP_PLATFORM_HOST)
inline constexpr int column_block_threads = 128;  // several waves, and no more work-items to run one by one
#else
inline constexpr int column_block_threads = 256;
#endif
/// Blocks that must fit beside each other: leaves a thread registers enough.
inline constexpr int column_blocks_per_multiprocessor = 2;
inline constexpr int max_column_lanes = 32;
inline constexpr int blocks_per_multiprocessor = 8;

/// N values, added and multiplied one by one.
template <class V, int N>
struct Pack {
    V v[N];

    friend __device__ Pack operator+(Pack a, Pack b)
    {
        return zip(a, b, [](V s, V t) { return s + t; });
    }
    friend __device__ Pack operator-(Pack a, Pack b)
    {
        return zip(a, b, [](V s, V t) { return s - t; });
    }
    friend __device__ Pack operator*(Pack a, Pack b)
    {
        return zip(a, b, [](V s, V t) { return s * t; });
    }
    friend __device__ Pack operator*(V a, Pack b)
    {
        return zip(b, b, [a](V s, V) { return a * s; });
    }

    template <class F>
    __device__ static Pack zip(const Pack& a, const Pack& b, F f)
    {
        Pack result;
        for (int i = 0; i < N; ++i) {
            result.v[i] = f(a.v[i], b.v[i]);
        }
        return result;
    }
};

/// sum_i conj(a_i) b_i
template <class V, int N>
__device__ inline V dot(Pack<V, N> a, Pack<V, N> b)
{
    V sum{};
    for (int i = 0; i < N; ++i) {
        sum += conj(a.v[i]) * b.v[i];
    }
    return sum;
}

/// sum_i |a_i|^2
template <class V, int N>
__device__ inline device_real<V> squared_norm(Pack<V, N> a)
{
    device_real<V> sum{};
    for (int i = 0; i < N; ++i) {
        sum += abs2(a.v[i]);
    }
    return sum;
}

/// Rows [row, row + N) of column `col`. N > 1 only in contiguous columns.
template <int N>
struct Place {
    size_type row;
    size_type col;

    template <class V>
    __device__ Pack<std::remove_const_t<V>, N> load(DenseView<V> x) const
    {
        using T = std::remove_const_t<V>;
        if constexpr (N > max_vec<T>) {
            Pack<T, N> values;
#pragma unroll
            for (int i = 0; i < N; i += max_vec<T>) {
                const auto part = load_vec<max_vec<T>>(x.values + row + i);
#pragma unroll
                for (int k = 0; k < max_vec<T>; ++k) {
                    values.v[i + k] = part[k];
                }
            }
            return values;
        } else if constexpr (N > 1) {
            return bits_to<Pack<T, N>>(load_vec<N>(x.values + row));
        } else {
            return {x(row, col)};
        }
    }
    template <class V>
    __device__ void store(DenseView<V> x, Pack<V, N> values) const
    {
        if constexpr (N > max_vec<V>) {
#pragma unroll
            for (int i = 0; i < N; i += max_vec<V>) {
                Vec<V, max_vec<V>> part;
#pragma unroll
                for (int k = 0; k < max_vec<V>; ++k) {
                    part[k] = values.v[i + k];
                }
                store_vec<max_vec<V>>(x.values + row + i, part);
            }
        } else if constexpr (N > 1) {
            store_vec<N>(x.values + row, bits_to<Vec<V, N>>(values));
        } else {
            x(row, col) = values.v[0];
        }
    }
};

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

/// The way of a kernel through a long contiguous column. A kernel that begins where the one before it has ended finds
/// there, in the second cache, what that one touched last.
enum class Course {
    up,         ///< from the first row to the last
    from_last,  ///< behind `up`: down from the last row to 5/8, then from the first row up to 5/8
    to_first,   ///< between `from_last` and `up`: down from 5/8 to 2/8, from 5/8 up to the last, from 2/8 to the first
};

/// That of a body, which says it as Body::course where it is not `up`.
template <class Body>
inline constexpr Course course_of = [] {
    if constexpr (requires { Body::course; }) {
        return Body::course;
    } else {
        return Course::up;
    }
}();

/// How many blocks of a kernel of one contiguous column fit beside each other, and how many there are, on each
/// multiprocessor. On CUDA a body may say it as Body::blocks: these are all on the device at the same time. Of more,
/// the later ones would begin and end one by one, which costs a vector kernel of CG a tenth of its time
/// (benchmark/results/2026-11-28-h200x2-ranks.md).
template <class Body>
struct FlatBlocks {
    static constexpr int that_fit = column_blocks_per_multiprocessor;
    static constexpr int all = blocks_per_multiprocessor;
};
#if !defined(LINDEN_GPU_HIP)
template <class Body>
requires(Body::blocks > 0) struct FlatBlocks<Body> {
    static constexpr int that_fit = Body::blocks;
    static constexpr int all = Body::blocks;
};
#endif

namespace detail {

/// The pack that is number i of `packs` on a course.
template <Course course>
__device__ inline size_type pack_on(size_type i, size_type packs)
{
    const size_type middle = packs / 8 * 5, low = packs / 8 * 2;
    if constexpr (course == Course::from_last) {
        return i < packs - middle ? packs - 1 - i : i - (packs - middle);
    } else if constexpr (course == Course::to_first) {
        return i < middle - low ? middle - 1 - i : i < packs - low ? low + i : packs - 1 - i;
    } else {
        return i;
    }
}

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

/// The blocks of a kernel of one contiguous column, by packs of N rows.
template <class Body>
size_type num_flat_blocks(const Executor& exec, size_type rows, int N)
{
    const size_type most =
        std::min<size_type>(size_type{gpu(exec).num_multiprocessors()} * FlatBlocks<Body>::all, max_reduction_partials);
    return std::clamp<size_type>(blocks_for(rows, column_block_threads, N), 1, most);
}

/// Calls `work(Place<N>)` for every place of this thread in one contiguous column, along `course`.
template <int N, Course course = Course::up, class Work>
__device__ inline void for_flat_places(size_type rows, Work work)
{
    const size_type packs = rows / N;
    for (size_type i = global_id(); i < packs; i += grid_threads()) {
        work(Place<N>{pack_on<course>(i, packs) * N, 0});
    }
    if constexpr (N > 1) {
        if (global_id() < rows % N) {
            work(Place<1>{packs * N + global_id(), 0});
        }
    }
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
