#include "core/kernels/cg_persistent.hpp"

#include "cuda/cg_loop.cuh"
#include "cuda/grid_exchange.cuh"

/// CG on all multiprocessors of a device.
namespace linden::cuda {
namespace {

/// 3 eighths of 64 MB of matrix, beside 8 MB of p in 60 MB of cache: the best of 2, 3, 4, 6 and 8 on an H200.
constexpr int kept_kib = 184;

/// GridExchange as the loop wants it.
class CgGrid : public GridExchange {
public:
    using GridExchange::GridExchange;

    template <class F>
    __device__ void publish_direction(F, const bool&)
    {
        barrier();
    }
    template <class Rows, class V, class Prefetch, class Consume>
    __device__ void multiply(const Rows& matrix, const V* p, Prefetch prefetch, Consume consume)
    {
        matrix.multiply(Gather{p}, prefetch, consume);
    }
};

template <class Traits, class V, class I>
__global__ void __launch_bounds__(persistent_threads, 1)
    run_kernel(CsrView<V, I> a, const V* inverse, V* r, V* x, V* p, PersistentPartition partition, std::byte* workspace,
               StopView<device_real<V>> stop)
{
    using Rows = PersistentMatrix<V, I, kept_kib>;
    CgGrid exchange(workspace);
    const Rows matrix(WholeRows<V, I>{a}, partition, Traits::num_vectors, workspace + persistent_header_bytes);
    CgLoop<Traits, V, Rows, CgGrid>(matrix, exchange, inverse, p).run(r, x, stop);
}

template <class V, class I>
void run(const Executor& exec, WholeSolve<V, I> solve, DenseView<V> p, WorkspaceView workspace,
         StopView<real_t<V>> stop)
{
    with_cg_traits(
        exec, solve.d != nullptr, solve.partition.max_rows, persistent_block_bytes<V>, [&]<class Traits>(Traits) {
            using D = device_type<V>;
            launch_persistent<V>(exec, run_kernel<Traits, D, I>, solve.a.rows, solve.partition, Traits::num_vectors,
                                 as_device(solve.a), as_device(solve.d), as_device(solve.r.values),
                                 as_device(solve.x.values), as_device(p.values), solve.partition, workspace.data, stop);
        });
}

}  // namespace

void register_cg_persistent()
{
    for_each_value_index([]<class V, class I>() { cg_run_persistent<V, I>.bind(Backend::cuda, run<V, I>); });
}

}  // namespace linden::cuda
