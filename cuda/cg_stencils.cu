#include "core/kernels/cg_stencils.hpp"

#include "cuda/cooperative.cuh"
#include "cuda/stencil_block.cuh"
#include "cuda/whole_cg.cuh"

/// CG of a system whose vectors fit on the chip, see whole_cg.cuh, with a matrix of a few stencils.
namespace linden::cuda {
namespace {

template <int N, class V, class I>
void launch(const Executor& exec, WholeStencilSolve<V, I> solve, DenseView<V> p, WorkspaceView workspace,
            StopView<real_t<V>> stop)
{
    using D = device_type<V>;
    using whole_cg::run_kernel;
    using Rows = StencilBlock<N, D, I>;
    using Matrix = StencilView<D, I>;
    const auto kernel = solve.d == nullptr ? run_kernel<false, Rows, Matrix, D> : run_kernel<true, Rows, Matrix, D>;
    const size_type max_rows = solve.partition.max_rows;
    launch_cooperative(exec, kernel, (solve.a.rows + max_rows - 1) / max_rows, persistent_threads,
                       stencil_block_bytes<V>(max_rows), as_device(solve.a), as_device(solve.d),
                       as_device(solve.r.values), as_device(solve.x.values), as_device(p.values), solve.partition,
                       workspace.data, stop);
}

template <class V, class I>
void run(const Executor& exec, WholeStencilSolve<V, I> solve, DenseView<V> p, WorkspaceView workspace,
         StopView<real_t<V>> stop)
{
    with_held_entries(solve.a.longest, [&]<int N>() {
        constexpr bool has_registers = N <= 7 || sizeof(V) <= 8;
        launch<has_registers ? N : 0>(exec, solve, p, workspace, stop);
    });
}

}  // namespace

void register_cg_stencils()
{
    for_each_value_index([]<class V, class I>() { cg_run_stencils<V, I>.bind(Backend::cuda, run<V, I>); });
}

}  // namespace linden::cuda
