#pragma once

#include "gpu/vector/tree_nodes.cuh"

/// The leaves of the tree of reproducible sums: blocks of rows, by one subgroup each.
namespace linden::LINDEN_GPU_NAMESPACE::detail {

/// K sums of a subgroup are those of so many groups of lanes.
template <int K>
inline constexpr int padded_sums = K <= 1 ? 1 : 2 * padded_sums<(K + 1) / 2>;
/// Which of K sums this lane has.
template <int K>
__device__ inline int sum_of_lane()
{
    return thread_id() % tree_lanes / (tree_lanes / padded_sums<K>);
}
/// Whether this lane is the first that has its sum.
template <int K>
__device__ inline bool is_first_with_sum()
{
    return thread_id() % (tree_lanes / padded_sums<K>) == 0 && sum_of_lane<K>() < K;
}

template <class Op, int distance = tree_lanes / 2, class T, int P>
__device__ inline T sum_halves(const T (&values)[P])
{
    if constexpr (P == 1) {
        return Subgroup<2 * distance>::reduce(values[0], Op{});
    } else {
        constexpr int half = P / 2;
        const bool is_upper = (thread_id() & distance) != 0;
        T kept[half];
        LINDEN_UNROLL
        for (int k = 0; k < half; ++k) {
            const T sent = is_upper ? values[k] : values[k + half];
            const T own = is_upper ? values[k + half] : values[k];
            kept[k] = Op{}(own, Subgroup<tree_lanes>::shuffle_xor(sent, distance));
        }
        return sum_halves<Op, distance / 2>(kept);
    }
}
/// The sums over all lanes of each of K values: lanes exchange halves of the values until each has one, and returns its
/// sum, that of value sum_of_lane<K>().
template <class Op, class T, int K>
__device__ inline T sum_lanes(const T (&sums)[K])
{
    T values[padded_sums<K>];
    LINDEN_UNROLL
    for (int k = 0; k < padded_sums<K>; ++k) {
        values[k] = k < K ? sums[k < K ? k : 0] : Op::template identity<T>();
    }
    return sum_halves<Op>(values);
}

/// Blocks of rows whose elements a body adds up.
template <int N, class Op, class T, int K, class Body>
struct BlocksOfRows {
    static constexpr int level = 0;
    const Body& body;
    const decltype(std::declval<const Body&>().prepare(size_type{}))& local;
    size_type rows, col;

    /// The sum of block `leaf` as sum_lanes has it; the identity without rows.
    __device__ T operator()(std::int64_t leaf, const TreeNodes<T>& nodes, bool) const
    {
        T sums[K];
        LINDEN_UNROLL
        for (int k = 0; k < K; ++k) {
            sums[k] = Op::template identity<T>();
        }
        const size_type begin = static_cast<size_type>(leaf - nodes.tree.first) * sum_block_rows;
        const size_type first = begin + thread_id() % tree_lanes * N;
        if (begin < 0 || begin >= rows) {
            return sums[0];
        }
        if (begin + sum_block_rows <= rows) {
#pragma unroll
            for (int i = 0; i < sum_block_rows; i += tree_lanes * N) {
                body(Place<N>{first + i, col}, local, sums);
            }
        } else {
            for (size_type row = first; row < rows; row += tree_lanes * N) {
                if (row + N <= rows) {
                    body(Place<N>{row, col}, local, sums);
                } else if constexpr (N > 1) {
                    for (size_type last = row; last < rows; ++last) {
                        body(Place<1>{last, col}, local, sums);
                    }
                }
            }
        }
        return sum_lanes<Op>(sums);
    }
};

}  // namespace linden::LINDEN_GPU_NAMESPACE::detail
