#pragma once

#include "core/kernels/reduction.hpp"
#include "gpu/device/reduce.cuh"
#include "gpu/runtime/launch.hpp"

/// Places in vectors, and how the threads of a kernel go through those of one long contiguous column.
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

}  // namespace detail

}  // namespace linden::LINDEN_GPU_NAMESPACE
