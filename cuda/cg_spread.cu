#include "core/kernels/cg_spread.hpp"

#include "core/portable/search.hpp"
#include "cuda/cg_loop.cuh"
#include "cuda/spread_exchange.cuh"

/// CG on all multiprocessors of several devices.
namespace linden::cuda {
namespace {

/// As on one device.
constexpr int kept_kib = 184;

/// A rank's rows: those that need no ghosts, and the others, each of which is empty in the other part.
template <class V, class I>
struct SplitRows {
    WholeRows<V, I> inner;
    RimView<V, I> rim;

    __device__ size_type size() const { return inner.size(); }
    __device__ RowEntries<V, I> operator[](size_type row) const
    {
        const size_type at = first_from(rim.rows, 0, rim.num_rows, row);
        if (at == rim.num_rows || rim.rows[at] != row) {
            return inner[row];
        }
        const I begin = rim.row_ptrs[at];
        return {rim.cols + begin, rim.values + begin, rim.row_ptrs[at + 1] - begin};
    }
};

/// A direction with the ghosts, which are behind the own values.
template <class V, class I, int rim_batch>
struct GatherGhosts {
    static constexpr int batch = rim_batch;
    const V* p;
    unsigned num_own;
    const SpreadExchange<V, I>& exchange;

    /// The words of a ghost, or the bits of an own value in their place.
    __device__ GhostWords<V> load(unsigned col) const
    {
        GhostWords<V> loaded;
        if (col < num_own) {
            memcpy(loaded.words, &p[col], sizeof(V));
        } else {
            loaded.load(exchange.ghost(col - num_own));
        }
        return loaded;
    }
    __device__ V value(unsigned col, GhostWords<V>& loaded) const
    {
        if (col >= num_own) {
            return exchange.await_ghost(col - num_own, loaded);
        }
        V own;
        memcpy(static_cast<void*>(&own), loaded.words, sizeof own);
        return own;
    }
};

/// SpreadExchange as the loop wants it.
template <class V, class I, int rim_batch>
class CgSpread : public SpreadExchange<V, I> {
public:
    __device__ CgSpread(std::byte* workspace, const PeerGrid& grid, const PeerHalo& halo, const I* send_rows,
                        size_type first_row, int num_rows, size_type num_own)
        : SpreadExchange<V, I>(workspace, grid, halo, send_rows, first_row, num_rows),
          num_own_(static_cast<unsigned>(num_own))
    {
    }

    /// Inner rows while ghosts are on their way, then those at the rim.
    template <class Rows, class Prefetch, class Consume>
    __device__ void multiply(const Rows& matrix, const V* p, Prefetch prefetch, Consume consume)
    {
        matrix.multiply(Gather{p}, prefetch, consume);
        matrix.multiply_rim(GatherGhosts<V, I, rim_batch>{p, num_own_, *this}, prefetch, consume);
    }

private:
    unsigned num_own_;
};

template <class Traits, class V, class I>
__global__ void __launch_bounds__(persistent_threads, 1)
    run_kernel(const __grid_constant__ SpreadSolve<V, I> solve, V* p, std::byte* workspace,
               StopView<device_real<V>> stop)
{
    using Rows = SpreadMatrix<V, I, kept_kib>;
    const SplitRows<V, I> rows{{solve.own.a}, solve.rim};
    const Rows matrix(rows, solve.own.partition, Traits::num_vectors, workspace + persistent_header_bytes);
    // What registers allow; words of complex ghosts take twice as many.
    constexpr int rim_batch = sizeof(V) > sizeof(device_real<V>) ? 2 : Traits::keeps_direction ? 4 : 3;
    CgSpread<V, I, rim_batch> exchange(workspace, solve.grid, solve.halo, solve.send_rows, matrix.first_row(),
                                       matrix.num_rows(), rows.size());
    CgLoop<Traits, V, Rows, CgSpread<V, I, rim_batch>>(matrix, exchange, solve.own.d, p)
        .run(solve.own.r.values, solve.own.x.values, stop);
}

template <class V, class I>
SpreadSolve<device_type<V>, I> device_solve(const SpreadSolve<V, I>& solve)
{
    const auto& own = solve.own;
    const auto& rim = solve.rim;
    return {solve.is_preconditioned,
            {as_device(own.a), as_device(own.d), own.partition, as_device(own.r), as_device(own.x)},
            {rim.num_rows, rim.rows, rim.row_ptrs, rim.cols, as_device(rim.values)},
            solve.send_rows,
            solve.halo,
            solve.grid};
}

template <class V, class I>
void run(const Executor& exec, SpreadSolve<V, I> solve, DenseView<V> p, WorkspaceView workspace,
         StopView<real_t<V>> stop)
{
    const auto max_rows = solve.own.partition.max_rows;
    with_cg_traits(exec, solve.is_preconditioned, max_rows, spread_block_bytes<V>, [&]<class Traits>(Traits) {
        const auto& group = solve.grid.group;
        const int blocks = solve.grid.first_blocks[group.rank + 1] - solve.grid.first_blocks[group.rank];
        launch_cooperative(exec, run_kernel<Traits, device_type<V>, I>, blocks, persistent_threads,
                           spread_block_bytes<V>(max_rows, Traits::num_vectors), device_solve(solve),
                           as_device(p.values), workspace.data, stop);
    });
}

}  // namespace

void register_cg_spread()
{
    for_each_value_index([]<class V, class I>() { cg_run_spread<V, I>.bind(Backend::cuda, run<V, I>); });
}

}  // namespace linden::cuda
