#include "core/kernels/cg_spread.hpp"

#include "core/portable/search.hpp"
#include "cuda/cg_loop.cuh"
#include "cuda/cooperative.cuh"
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

/// SpreadExchange as the loop wants it.
template <class V, class I>
class CgSpread : public SpreadExchange<V, I> {
public:
    using SpreadExchange<V, I>::SpreadExchange;

    /// Products of own columns while ghosts are on their way, then those of ghosts.
    template <class Rows, class Prefetch, class Consume, class Add>
    __device__ void multiply(const Rows& matrix, const V* p, Prefetch prefetch, Consume consume, Add add)
    {
        matrix.multiply(p, prefetch, consume);
        matrix.multiply_ghosts(typename SpreadExchange<V, I>::Ghosts{*this}, add);
    }
};

template <class Traits, class V, class I>
__global__ void __launch_bounds__(persistent_threads, 1)
    run_kernel(const __grid_constant__ SpreadSolve<V, I> solve, V* p, std::byte* workspace,
               StopView<device_real<V>> stop)
{
    using Rows = SpreadMatrix<V, I, kept_kib>;
    const SplitRows<V, I> rows{{solve.own.a}, solve.rim};
    const Rows matrix(rows, solve.own.partition, Traits::num_vectors, workspace + persistent_header_bytes);
    CgSpread<V, I> exchange(workspace, solve.grid, solve.halo, solve.send_rows, matrix.first_row(), matrix.num_rows());
    CgLoop<Traits, V, Rows, CgSpread<V, I>>(matrix, exchange, solve.own.d, p)
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
