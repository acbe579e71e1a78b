#include "core/kernels/cg_persistent.hpp"

#include "cuda/persistent_matrix.cuh"
#include "cuda/whole_cg.cuh"

/// CG of a system whose vectors fit on the chip, see whole_cg.cuh; the matrix passes through the L2 cache.
namespace linden::cuda {
namespace {

/// Of 2, 3, 4, 6 and 8 the best on an H200, with 64 MB of matrix and 8 MB of p in 60 MB of cache.
constexpr int kept_eighths = 3;

template <class V, class I>
using Rows = PersistentMatrix<V, I, kept_eighths>;

template <class V, class I>
void run(const Executor& exec, WholeSolve<V, I> solve, DenseView<V> p, WorkspaceView workspace,
         StopView<real_t<V>> stop)
{
    using D = device_type<V>;
    using whole_cg::run_kernel;
    const auto kernel = solve.d == nullptr ? run_kernel<false, Rows<D, I>, CsrView<D, I>, D>
                                           : run_kernel<true, Rows<D, I>, CsrView<D, I>, D>;
    launch_persistent<V>(exec, kernel, solve.a.rows, solve.partition, whole_cg::num_whole_vectors, as_device(solve.a),
                         as_device(solve.d), as_device(solve.r.values), as_device(solve.x.values), as_device(p.values),
                         solve.partition, workspace.data, stop);
}

}  // namespace

void register_cg_persistent()
{
    for_each_value_index([]<class V, class I>() { cg_run_persistent<V, I>.bind(Backend::cuda, run<V, I>); });
}

}  // namespace linden::cuda
