#pragma once

#include "core/kernels/ilu.hpp"

/// Exact factorizations whose factors have long rows, by supernodes: successive columns of L that have the same rows
/// below them are one dense panel, so that nearly all work is products of small dense matrices. [NgPeyton93]
namespace linden {

/// Columns of a supernode at most, on hosts: its panel's rows are read from the first cache, its columns from the
/// second.
inline constexpr int most_supernode_columns = 128;

/// On devices panels are cut into tiles that a block of threads has in registers: so many columns at most, ...
template <class V>
inline constexpr int supernode_tile_columns = sizeof(V) <= 8 ? 64 : 32;
/// ... and so many of the rows below those of the columns.
inline constexpr int supernode_tile_rows = 64;

constexpr size_type supernode_tiles(size_type rows_below)
{
    return (rows_below + supernode_tile_rows - 1) / supernode_tile_rows;
}
/// Subtrees of supernodes, of which each task has some. The last task has the supernodes above all others.
template <class I>
struct SupernodeTasks {
    const I* ptrs = nullptr;        ///< count + 1
    const I* supernodes = nullptr;  ///< those of task t, increasing: ptrs[t] to ptrs[t + 1]
    const I* row_ptrs = nullptr;    ///< count + 1
    const I* rows = nullptr;  ///< of each task: those of the last one in which its columns have entries, increasing
    size_type count = 0;
};

/// In which order blocks of threads take tasks on devices: none needs what comes later. Nothing on hosts.
template <class I>
struct SupernodeTurns {
    const I* tasks = nullptr;  ///< of a factorization, 2 for each: its supernode, and number q of those of a supernode
    size_type num_tasks = 0;   ///< of p parts of sources and t tiles, of L and then U: q < p t + p - 1 updates tile
                               ///< q mod (t + 1), or, if that is t, the rows of the columns, by part q / (t + 1); the
                               ///< next updates these by the last part and factorizes them; t more solve for the tiles
    const I* part_ptrs = nullptr;  ///< num_supernodes + 1: of its parts of sources, one after the other
    const I* parts = nullptr;      ///< part k is the sources parts[k] to parts[k + 1]
    const I* solves = nullptr;  ///< of a solve with L, for U the other way round, 2 for each: its supernode and a tile
    size_type num_solves = 0;   ///< of the rows below; the first, which is there if none is below, has the columns, too
    const I* tile_ptrs = nullptr;   ///< num_supernodes + 1: how many tiles those before have
    size_type num_tiles = 0;        ///< of all
    const I* child_ptrs = nullptr;  ///< supernode s is the parent of children child_ptrs[s] to child_ptrs[s + 1]:
    const I* children = nullptr;    ///< those whose first row below is one of its columns, increasing
    const I* places = nullptr;      ///< of rows below, one supernode's behind the other's: in the panel of the parent
};

/// The pattern of L, n x n, by supernodes. Those of their rows and columns where L has no entries hold zeros.
template <class I>
struct SupernodeView {
    size_type n = 0;
    size_type num_supernodes = 0;
    const I* first = nullptr;  ///< supernode s has the columns first[s] to first[s + 1]
    const I* row_ptrs =
        nullptr;              ///< and the rows rows[row_ptrs[s]] to rows[row_ptrs[s + 1]]: those, then others below,
    const I* rows = nullptr;  ///< increasing
    const size_type* value_ptrs = nullptr;  ///< its panel is in values value_ptrs[s] to value_ptrs[s + 1], by columns
    const I* source_ptrs = nullptr;  ///< it is updated by the supernodes of the sources source_ptrs[s] to the next, ...
    const I* sources =
        nullptr;  ///< 3 per source, by increasing supernodes k: k, and which of its rows are columns of s
    SupernodeTasks<I> tasks;
    SupernodeTurns<I> turns;
};

/// L by supernodes, and U^T if that is not D L^H.
template <class V>
struct SupernodeFactors {
    V* lower = nullptr;  ///< in the panels: L below the diagonal, D on it, zeros above it
    V* upper =
        nullptr;  ///< in panels of the same shapes: U^T below the diagonal, zeros elsewhere; nullptr: A is Hermitian
};

/// For each thread: the place of n rows and of a supernode's in another, and blocks of panels in another order.
template <class V>
constexpr size_type supernodes_workspace_bytes(size_type n, size_type threads)
{
    constexpr size_type most = most_supernode_columns + 8;
    return threads * (2 * (n + 8) * 8 + 3 * most * most * static_cast<size_type>(sizeof(V)));
}

/// On devices: what tasks of a factorization tell each other. num_tiles: of L.
constexpr size_type supernodes_device_bytes(size_type num_supernodes, size_type num_tiles)
{
    return 8 + 4 * (4 * num_supernodes + 2 * num_tiles);
}

/// Room for the solves of up to so many threads for so many right-hand sides at a time: for each of these what tasks
/// collect, for each thread a supernode's rows and the places of n rows.
template <class V>
constexpr size_type supernodes_solve_workspace_values(size_type n, size_type num_task_rows, size_type threads,
                                                      size_type columns)
{
    return columns * num_task_rows + threads * (n + (n * 8) / static_cast<size_type>(sizeof(V)) + 8);
}

/// The same on devices.
template <class V>
constexpr size_type supernodes_solve_device_values(size_type n, size_type num_tiles, size_type columns)
{
    return 16 / static_cast<size_type>(sizeof(real_t<V>)) + columns * 2 * (n + num_tiles * supernode_tile_rows);
}

/// A = L D L^H or L U with unit diagonals of L and D the diagonal of U, by panels that hold A's entries, zeros
/// elsewhere; of Hermitian A the lower triangle, of others upper holds the transpose of the upper one. Of supernode J
/// by those K that have entries in its columns, with their rows R from J's columns on:
///   L_RJ := L_RJ - L_RK (D_K L_JK^H),   U_JR := U_JR - L_JK U_KR;   then J is factorized as a dense panel.
/// Pivots and their report are as for ilu_factorize. D is real where A is Hermitian. Deterministic: the same bits with
/// any number of threads. Devices: supernodes of at most supernode_tile_columns<V> columns, in one launch, whose blocks
/// take tasks in turn and wait for those that they need. Workspace: supernodes_workspace_bytes(n, threads of the
/// executor), on devices supernodes_device_bytes; the reference needs none.
template <class V, class I>
inline constinit kernel<void(SupernodeView<I> f, PivotLimits<real_t<V>> limits, SupernodeFactors<V> values,
                             PivotReport* report, WorkspaceView workspace)>
    supernodes_factorize{"supernodes::factorize", types_of<V, I>, {.eps = 256}};

/// x := U^-1 L^-1 x with the factors that supernodes_factorize leaves; U is D L^H where values.upper is nullptr.
/// x: n x k. Deterministic, the same bits with any number of threads and columns. Solves for as many columns at a time
/// as the workspace has room for: supernodes_solve_workspace_values, on devices supernodes_solve_device_values, of at
/// least one; the reference needs none.
template <class V, class I>
inline constinit kernel<void(SupernodeView<I> f, SupernodeFactors<const V> values, DenseView<V> x,
                             WorkspaceView workspace)>
    supernodes_solve{"supernodes::solve", types_of<V, I>};

}  // namespace linden
