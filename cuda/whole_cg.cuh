#pragma once

#include "core/kernels/cg.hpp"
#include "core/kernels/stop.hpp"
#include "cuda/block_rows.cuh"
#include "cuda/cg_sums.cuh"
#include "cuda/grid_exchange.cuh"
#include "cuda/watched_stop.cuh"

/// CG of a system whose vectors fit on the chip, in one kernel: every multiprocessor holds its rows of r, x and q = A p
/// in shared memory, and all meet three times per iteration (grid_exchange.cuh). What passes through the L2 cache and
/// memory is A, p once out and once in, and nothing else: 2 words per row instead of 10.
///
/// With a diagonal preconditioner M^-1 is read, too, once per iteration: 3 words instead of 13. It would take a quarter
/// of the room for rows from them; z = M^-1 r takes the place of q, which nobody reads again.
namespace linden::cuda {
namespace whole_cg {

inline constexpr int num_whole_vectors = 3;  // r, x, q or z

/// q := A p; returns this thread's part of p^H q. q: the block's rows, p: all.
template <class Rows, class V>
__device__ inline V multiply(const Rows& matrix, const V* p, V* q)
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

/// r := r - alpha q, q := z = M^-1 r unless z is r; returns this thread's part of the sums. q, r: the block's rows,
/// `inverse`: all.
template <bool preconditioned, class Rows, class V>
__device__ inline CgSums<V, preconditioned> update_residual(const Rows& matrix, V alpha, const V* inverse, V* q, V* r)
{
    CgSums<V, preconditioned> sums;
    if constexpr (preconditioned) {
        const size_type first = matrix.first_row();
        matrix.for_loaded_rows([&](int i) { return inverse[first + i]; },
                               [&](int i, V factor) {
                                   r[i] = r[i] - alpha * q[i];
                                   q[i] = sums.add(r[i], factor);
                               });
    } else {
        matrix.for_rows([&](int i) {
            r[i] = r[i] - alpha * q[i];
            (void)sums.add(r[i], V{});
        });
    }
    return sums;
}

/// x := x + alpha p, p := z + beta p. All are the block's rows.
template <class Rows, class V>
__device__ inline void update_direction(const Rows& matrix, V alpha, V beta, const V* z, V* x, V* p)
{
    matrix.for_loaded_rows([&](int i) { return p[i]; },
                           [&](int i, V direction) {
                               x[i] += alpha * direction;
                               p[i] = z[i] + beta * direction;
                           });
}

/// `Rows` is made of a matrix `a`, the partition, the number of vectors and the workspace behind its header.
template <bool preconditioned, class Rows, class Matrix, class V>
__global__ void __launch_bounds__(persistent_threads, 1)
    run_kernel(Matrix a, const V* inverse, V* global_r, V* global_x, V* p, PersistentPartition partition,
               std::byte* workspace, StopView<device_real<V>> stop)
{
    using R = device_real<V>;
    LINDEN_SHARED(goes_on, bool);
    LINDEN_SHARED(local_stop, ColumnStop<R>);
    GridExchange exchange(workspace);
    const Rows matrix(a, partition, num_whole_vectors, workspace + persistent_header_bytes);
    const size_type first = matrix.first_row();
    V* const r = matrix.vector(0);
    V* const x = matrix.vector(1);
    V* const q = matrix.vector(2);
    const V* const z = preconditioned ? q : r;
    if (thread_id() == 0) {
        load_watched(stop, local_stop);
        goes_on = local_stop.header.running != 0;
    }
    // Every block forms the same sums in the same order, and comes to the same decisions.
    CgSums<V, preconditioned> sums;
    std::uint64_t now = 0;
    matrix.for_rows([&](int i) {
        x[i] = global_x[first + i];
        r[i] = global_r[first + i];
        p[first + i] = sums.add(r[i], preconditioned ? inverse[first + i] : V{});
    });
    exchange.sum<persistent_threads>(sums.values, now);
    exchange.barrier();  // p is there
    while (goes_on) {
        const V pq = exchange.sum<persistent_threads>(multiply(matrix, p, q));  // q := A p, p^H q
        V alpha{};
        SolveStatus status = SolveStatus::running;
        const V rho = sums.rho();
        const bool moves = cg_step_length(rho, pq, status, alpha);
        sums = {};
        if (moves) {  // r := r - alpha q, z := M^-1 r, r^H z, r^H r
            sums = update_residual<preconditioned>(matrix, alpha, inverse, q, r);
        }
        now = watched_time(stop, local_stop);
        exchange.sum<persistent_threads>(sums.values, now);
        if (thread_id() == 0) {
            local_stop.status = status;
            const R norm = moves ? static_cast<R>(sqrt(real(sums.squared_residual()))) : local_stop.residual;
            goes_on = local_stop.end_iteration(stop, 0, norm, static_cast<std::int64_t>(now)) != 0;
        }
        if (moves) {  // x := x + alpha p, p := z + beta p
            update_direction(matrix, alpha, sums.rho() / rho, z, x, p + first);
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

}  // namespace whole_cg
}  // namespace linden::cuda
