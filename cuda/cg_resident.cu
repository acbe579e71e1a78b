#include "core/kernels/cg.hpp"
#include "cuda/grid_exchange.cuh"
#include "cuda/resident_matrix.cuh"
#include "gpu/column_stop.cuh"

/// CG of a system whose vectors fit on the chip, in one kernel: every multiprocessor holds its rows of r, x and q = A p
/// in shared memory, and all meet three times per iteration (grid_exchange.cuh). What passes through the L2 cache and
/// memory is A, p once out and once in, and nothing else: 2 words per row instead of 10.
namespace linden::cuda {
namespace {

constexpr int num_vectors = 3;  // r, x, q
/// Of 2, 3, 4, 6 and 8 the best on an H200, with 64 MB of matrix and 8 MB of p in 60 MB of cache.
constexpr int kept_eighths = 3;

template <class V, class I>
using Rows = ResidentMatrix<V, I, kept_eighths>;

/// q := A p; returns this thread's part of p^H q. q: the block's rows, p: all.
template <class V, class I>
__device__ inline V multiply(const Rows<V, I>& matrix, const V* p, V* q)
{
    const size_type first = matrix.first_row();
    V pq{};
    matrix.multiply(
        p, [&](int i) { return p[first + i]; },
        [&](int i, V product, V own) {
            q[i] = product;
            pq += conj(own) * product;
        });
    return pq;
}

/// r := r - alpha q; returns this thread's part of r^H r.
template <class V, class I>
__device__ inline V update_residual(const Rows<V, I>& matrix, V alpha, const V* q, V* r)
{
    V rr{};
    matrix.for_rows([&](int i) {
        r[i] = r[i] - alpha * q[i];
        rr += V{abs2(r[i])};
    });
    return rr;
}

/// x := x + alpha p, p := r + beta p. All are the block's rows.
template <class V, class I>
__device__ inline void update_direction(const Rows<V, I>& matrix, V alpha, V beta, const V* r, V* x, V* p)
{
    matrix.for_loaded_rows([&](int i) { return p[i]; },
                           [&](int i, V direction) {
                               x[i] += alpha * direction;
                               p[i] = r[i] + beta * direction;
                           });
}

template <class V, class I>
__global__ void __launch_bounds__(resident_threads, 1)
    run_kernel(CsrView<V, I> a, V* global_r, V* global_x, V* p, RowPartition partition, std::byte* workspace,
               StopView<device_real<V>> stop)
{
    using R = device_real<V>;
    LINDEN_SHARED(goes_on, bool);
    LINDEN_SHARED(local_stop, ColumnStop<R>);
    GridExchange exchange(workspace);
    const Rows<V, I> matrix(a, partition, num_vectors, workspace + resident_header_bytes);
    const size_type first = matrix.first_row();
    V* const r = matrix.vector(0);
    V* const x = matrix.vector(1);
    V* const q = matrix.vector(2);
    if (thread_id() == 0) {
        local_stop.load(stop);
        goes_on = local_stop.header.running != 0;
        if (block_id() != 0) {
            local_stop.header.history_capacity = 0;  // one block writes it
        }
    }
    // Every block forms the same sums in the same order, and comes to the same decisions.
    V rr{};
    matrix.for_rows([&](int i) {
        x[i] = global_x[first + i];
        r[i] = p[first + i] = global_r[first + i];
        rr += V{abs2(r[i])};
    });
    V rho = exchange.sum<resident_threads>(rr);
    exchange.barrier();  // p is there
    while (goes_on) {
        const V pq = exchange.sum<resident_threads>(multiply<V, I>(matrix, p, q));  // q := A p, p^H q
        V alpha{};
        SolveStatus status = SolveStatus::running;
        const bool moves = cg_step_length(rho, pq, status, alpha);
        V sums[1] = {moves ? update_residual<V, I>(matrix, alpha, q, r) : V{}};  // r := r - alpha q, r^H r
        std::uint64_t now = global_timer_ns();  // all blocks decide by the clock of one
        exchange.sum<resident_threads>(sums, now);
        const V rho_old = rho;
        rho = sums[0];
        if (thread_id() == 0) {
            local_stop.status = status;
            goes_on = local_stop.end_iteration(stop, 0, moves ? static_cast<R>(sqrt(real(rho))) : local_stop.residual,
                                               static_cast<std::int64_t>(now)) != 0;
        }
        if (moves) {
            update_direction<V, I>(matrix, alpha, rho / rho_old, r, x, p + first);  // x := x + alpha p, p := r + beta p
        }
        exchange.barrier();
    }
    matrix.for_rows([&](int i) {
        global_x[first + i] = x[i];
        global_r[first + i] = r[i];
    });
    exchange.finish();
    if (block_id() == 0 && thread_id() == 0) {
        local_stop.store(stop);
        stop.header->running = goes_on ? 1 : 0;
    }
}

template <class V, class I>
void run(const Executor& exec, CsrView<V, I> a, DenseView<V> r, DenseView<V> x, DenseView<V> p, RowPartition partition,
         WorkspaceView workspace, StopView<real_t<V>> stop)
{
    launch_resident<V>(exec, run_kernel<device_type<V>, I>, a.rows, partition, num_vectors, as_device(a),
                       as_device(r.values), as_device(x.values), as_device(p.values), partition, workspace.data, stop);
}

}  // namespace

void register_cg_resident()
{
    for_each_value_index([]<class V, class I>() { cg_run_resident<V, I>.bind(Backend::cuda, run<V, I>); });
}

}  // namespace linden::cuda
