#pragma once

#include "core/kernels/persistent.hpp"
#include "core/kernels/stop.hpp"

namespace linden {

/// Fast memory that a block of a cluster needs for its rows of a small system, its part of four vectors and some
/// scalars.
template <class V>
constexpr size_type cg_cluster_block_bytes(PersistentPartition partition)
{
    constexpr auto value = static_cast<size_type>(sizeof(V));
    constexpr auto index = static_cast<size_type>(sizeof(std::uint32_t));
    return partition.max_nonzeros * (value + index) + partition.max_rows * (4 * value + index) + index;
}

/// Runs CG for one right-hand side to its end in one kernel: from the residual r, with the steps of cg_update_residual
/// and cg_update_direction, until the stopping rule holds. p and q are scratch, n x 1. On a device only where its
/// cluster memory has room for the partition. Reads and writes r and x once and A once, whatever the number of
/// iterations, and in an iteration the n words of d. Deterministic.
template <class V, class I>
inline constinit kernel<void(WholeSolve<V, I> solve, DenseView<V> p, DenseView<V> q, StopView<real_t<V>> stop)>
    cg_run_cluster{"cg::run_cluster", types_of<V, I>, {.eps = 32, .scratch = arguments(1, 2)}};

}  // namespace linden
