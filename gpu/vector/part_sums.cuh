#pragma once

#include "core/kernels/exchange.hpp"
#include "gpu/vector/columns.cuh"

/// Reproducible sums of a product, from parts that its kernel has formed.
namespace linden::LINDEN_GPU_NAMESPACE::detail {

static_assert(sum_part_rows == tree_lanes);

/// a b, rounded, whatever is done with it.
template <class R>
__device__ inline R rounded_product(R a, R b)
{
#if defined(__CUDACC__)
    if constexpr (sizeof(R) == sizeof(double)) {
        return __dmul_rn(a, b);
    } else {
        return __fmul_rn(a, b);
    }
#else
#if defined(__clang__)
#pragma clang fp contract(off)
#endif
    return a * b;
#endif
}

/// What a row adds to a part. Each of its roundings is said, so that all kernels have the same.
template <class R>
requires std::is_floating_point_v<R> __device__ inline void set_terms(R (&terms)[2], R w, R x)
{
    terms[0] = rounded_product(w, x);
    terms[1] = rounded_product(x, x);
}
template <class R>
__device__ inline void set_terms(Complex<R> (&terms)[2], Complex<R> w, Complex<R> x)
{
    using std::fma;
    terms[0] = {fma(w.re, x.re, rounded_product(w.im, x.im)), fma(w.re, x.im, -rounded_product(w.im, x.re))};
    terms[1] = {fma(x.re, x.re, rounded_product(x.im, x.im)), R{}};
}

/// By the subgroup whose lanes have the rows of a part.
template <class V>
__device__ inline void store_part(const V (&terms)[2], V* parts, size_type part)
{
    const V sum = sum_lanes<Sum>(terms);
    if (is_first_with_sum<2>()) {
        parts[2 * part + sum_of_lane<2>()] = sum;
    }
}

/// Blocks of rows from their parts: lane i has the i-th of 32 successive ones.
template <class T>
struct BlocksOfParts {
    static constexpr int level = 5;
    const T* parts;
    size_type num_parts;

    __device__ T operator()(std::int64_t leaf, const TreeNodes<T>& nodes, bool is_near) const
    {
        constexpr int parts_per_block = static_cast<int>(sum_block_rows / sum_part_rows);
        static_assert(1 << level == tree_lanes && parts_per_block == 4);
        const int lane = thread_id() % tree_lanes;
        const std::int64_t block = leaf + lane;
        const auto first = static_cast<size_type>(block - nodes.tree.first) * parts_per_block;
        T loaded[parts_per_block][2]{};
        LINDEN_UNROLL
        for (int i = 0; i < parts_per_block; ++i) {
            if (first >= 0 && first + i < num_parts) {
                loaded[i][0] = parts[2 * (first + i)];
                loaded[i][1] = parts[2 * (first + i) + 1];
            }
        }
        T sums[2];
        LINDEN_UNROLL
        for (int k = 0; k < 2; ++k) {
            sums[k] = (loaded[0][k] + loaded[1][k]) + (loaded[2][k] + loaded[3][k]);
        }
        LINDEN_UNROLL
        for (int up = 0; up < level; ++up) {
            LINDEN_UNROLL
            for (int k = 0; k < 2; ++k) {
                if (is_near && lane % (1 << up) == 0) {
                    nodes.leave(up, block >> up, 0, k, sums[k]);
                }
                sums[k] = sums[k] + Subgroup<tree_lanes>::shuffle_xor(sums[k], 1 << up);
            }
        }
        return sum_of_lane<2>() == 0 ? sums[0] : sums[1];
    }
};

template <class T, class Finish>
__global__ void __launch_bounds__(column_block_threads, tree_blocks_per_multiprocessor<T>)
    parts_kernel(const T* parts, size_type num_parts, Finish finish, TreeCut cut, TreeNodes<T> nodes,
                 Partials<T, 2> partials, std::int64_t* clock)
{
    let_next_kernel_begin();
    wait_for_previous_kernel();
    const bool is_last = leave_nodes<Sum>(
        1, cut, nodes, partials, [](size_type) { return 0; },
        [&](int, size_type) {
            return BlocksOfParts<T>{parts, num_parts};
        });
    if (is_last && clock != nullptr) {
        finish_totals<column_block_threads, T, 2>(1, add_own_nodes<Sum>(nodes, 2, clock), finish, finish.ready(0));
    }
}

/// The two sums of one column, of all ranks.
template <class T, class Finish>
void reduce_parts(const Executor& exec, WorkspaceView workspace, size_type rows, const T* parts, const Finish& finish)
{
    const auto s = tree_shape<T, 2>(exec, workspace, rows, 1, 2, BlocksOfParts<T>::level);
    launch_overlapped_on(exec, parts_kernel<T, Finish>, s.blocks, column_block_threads, 0, parts, num_sum_parts(rows),
                         finish, s.cut, s.nodes, s.partials, s.clock);
    finish_tree<T, 2, Sum>(exec, workspace, 1, finish);
}

}  // namespace linden::LINDEN_GPU_NAMESPACE::detail
