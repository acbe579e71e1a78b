#include "core/kernels/supernodes.hpp"

#include "gpu/factorization/supernode_pivots.cuh"
#include "gpu/factorization/supernode_rows_below.cuh"
#include "gpu/factorization/supernode_solve.cuh"

/// Blocks of threads take tasks of supernodes in turn: tiles are updated by the supernodes that have entries in their
/// columns, then the block on the diagonal is factorized, and the tiles are solved with it. A block waits for what it
/// needs, which earlier ones do; while the pivots of one supernode are found, the next ones are updated.
namespace linden::LINDEN_GPU_NAMESPACE {
namespace {

/// Subtracts from a tile, or the rows of the columns, what a part of the sources does.
template <class V, class I>
__device__ void subtract_part(const Factorization<V, I>& a, Shared<V, I>& shared, const UpdatedRows<V, I>& to, int part,
                              Tile<V>& tile)
{
    for (int r = thread_id(); r < to.rows.count; r += block_size) {
        shared.rows[r] = to.panel.rows[to.rows.begin + r];
    }
    const V* const right = a.has_half() || to.is_upper ? a.values.lower : a.values.upper;
    subtract_sources(a, shared, a.f.turns.part_ptrs[to.s] + part, {to.values(a), right, to.panel.begin}, to.rows.count,
                     tile);
    await<typename Tile<V>::Lanes>(a.updated(to.s, to.tile), part);
}

/// See SupernodeTurns. Complex numbers leave registers for two blocks.
template <class V, class I>
__global__ void __launch_bounds__(block_size, blocks_on_cuda(std::is_same_v<V, device_real<V>> ? 3 : 2))
    factorize_kernel(Factorization<V, I> a)
{
    LINDEN_SHARED(shared, Shared<V, I>);
    const I* const task = a.f.turns.tasks + 2 * next_in_turn<block_size, block_size>(a.progress.tickets);
    const size_type s = task[0];
    const int number = static_cast<int>(task[1]), num_tiles = a.num_sides() * Panel<I>(a.f, s).num_tiles();
    const int num_parts = a.num_parts(s), num_updates = num_parts > 0 ? num_parts * (num_tiles + 1) - 1 : 0;
    if (number > num_updates) {
        solve_tile(a, shared, s, number - num_updates - 1);
        return;
    }
    const UpdatedRows<V, I> to(a, s, num_parts > 0 ? number % (num_tiles + 1) : num_tiles);
    Tile<V> tile;
    if (num_parts > 0) {
        subtract_part(a, shared, to, number / (num_tiles + 1), tile);
    }
    if (number == num_updates) {
        factorize_block(a, shared, s, tile);
    } else {
        to.add(a, tile);
        count_task(a.updated(s, to.tile));
    }
}

template <class V, class I>
void factorize(const Executor& exec, SupernodeView<I> f, PivotLimits<real_t<V>> limits, SupernodeFactors<V> values,
               PivotReport* report, WorkspaceView workspace)
{
    using W = device_type<V>;
    clear_report(exec, report);
    const Progress progress(exec, f.num_supernodes, workspace);
    launch_on(exec, factorize_kernel<W, I>, f.turns.num_tasks, block_size, 0,
              Factorization<W, I>{f, limits, {as_device(values.lower), as_device(values.upper)}, report, progress});
}

/// For the columns of a.x, C for each block.
template <int C, class V, class I>
void solve_columns(const Executor& exec, const SupernodeSolve<V, I>& a)
{
    const size_type room = a.x.cols * a.room_of_column();
    const size_type blocks = a.f.turns.num_solves * blocks_for(a.x.cols, C);
    launch_on(exec, clear_room_kernel<V>, blocks_for(room, block_size), block_size, 0, a.room, room);
    launch_on(exec, lower_kernel<C, V, I>, blocks, block_size, 0, a);
    launch_on(exec, upper_kernel<C, V, I>, blocks, block_size, 0, a);
}

/// As many columns at a time as the workspace has room for: while blocks of some wait, others work.
template <class V, class I>
void solve(const Executor& exec, SupernodeView<I> f, SupernodeFactors<const V> values, DenseView<V> x,
           WorkspaceView workspace)
{
    using W = device_type<V>;
    SupernodeSolve<W, I> a{
        f, {as_device(values.lower), as_device(values.upper)}, as_device(x), SolveRoom<W>(workspace)};
    const size_type room = (workspace.bytes - 16) / (a.room_of_column() * static_cast<size_type>(sizeof(V)));
    for (size_type first = 0; first < x.cols; first += a.x.cols) {
        a.x.cols = std::min(x.cols - first, std::max<size_type>(room, 1));
        a.x.values = as_device(x.values) + first;
        if (a.x.cols == 1) {
            solve_columns<1>(exec, a);
        } else {
            solve_columns<2>(exec, a);
        }
    }
}

}  // namespace

void register_supernodes()
{
    for_each_value_index([]<class V, class I>() {
        supernodes_factorize<V, I>.bind(this_backend, factorize<V, I>);
        supernodes_solve<V, I>.bind(this_backend, solve<V, I>);
    });
}

}  // namespace linden::LINDEN_GPU_NAMESPACE
