#pragma once

#include "core/base/peer_group.hpp"
#include "core/kernels/exchange.hpp"
#include "core/kernels/persistent.hpp"
#include "core/kernels/stop.hpp"

/// CG of a system that is spread over the devices of several ranks, in one kernel on each.
namespace linden {

/// Words of 64 bits that a block publishes for a sum: values of up to 32 bytes, and the time.
inline constexpr int peer_grid_words = 5;

/// The blocks of the kernels of all ranks, which form sums together.
///
/// Each rank has a window with slots for two sums in turn, [2][peer_grid_words][blocks of all ranks], into which every
/// block writes. A slot is two words of 64 bits, each with 32 bits of what is published beside 32 bits of the number of
/// the sum, so that a word that has come says so itself.
struct PeerGrid {
    PeerGroup group;
    int first_blocks[max_peers + 1] = {};  ///< of each rank, where blocks are numbered through; then their number
    std::uint64_t* slots[max_peers] = {};  ///< in the window of each rank
    std::uint32_t* number = nullptr;       ///< of the last sum, in own memory
};
template <>
inline constexpr bool holds_no_pointers<PeerGrid> = true;

/// A rank's part of a system A x = b for one right-hand side, n of its rows.
template <class V, class I>
struct SpreadSolve {
    bool is_preconditioned = false;  ///< by own.d, which is null, too, where a rank has no rows
    WholeSolve<V, I> own;            ///< its A has the entries of the rows that need no ghosts
    RimView<V, I> rim;               ///< the other rows, which are empty in own.a
    const I* send_rows = nullptr;    ///< own rows that others need, by receiver, in ascending order
    PeerHalo halo;                   ///< to and from whom
    PeerGrid grid;
};

/// cg_run_persistent on all ranks together, whose devices run their kernels at the same time. p: n x 1, scratch. Every
/// rank gets the same sums with the same bits, and so the same number of iterations. Sums are counted as the group's,
/// products as those of the halo. Ends, with residuals that are not numbers, if another rank fails. Deterministic.
/// Workspace: persistent_workspace_bytes<V>(n, solve.own.partition).
template <class V, class I>
inline constinit kernel<void(SpreadSolve<V, I> solve, DenseView<V> p, WorkspaceView workspace,
                             StopView<real_t<V>> stop)>
    cg_run_spread{"cg::run_spread", types_of<V, I>, {.eps = 128, .scratch = arguments(1)}};

/// Fast memory of a block: as persistent_block_bytes, and a third number per slice, where its ghosts end.
template <class V>
constexpr size_type spread_block_bytes(size_type max_rows, int num_vectors)
{
    return persistent_block_bytes<V>(max_rows, num_vectors) +
           max_rows / persistent_slice * static_cast<size_type>(sizeof(std::uint32_t));
}

}  // namespace linden
