#pragma once

#include "core/kernels/cg.hpp"
#include "cuda/cg_sums.cuh"
#include "cuda/spread_matrix.cuh"
#include "cuda/watched_stop.cuh"

/// CG of a system whose vectors fit on the chip, in one kernel: every multiprocessor holds its rows of r, x and q = A p
/// in shared memory, and p, too, where there is room. All blocks meet three times per iteration. What passes through
/// the L2 cache and memory is A, p once out and once in, and nothing else: 2 words per row instead of 10.
///
/// With a diagonal preconditioner M^-1 is read, too, once per iteration: 3 words instead of 13. It would take a quarter
/// of the room for rows from them; z = M^-1 r takes the place of q, which nobody reads again.
namespace linden::cuda {

/// Which vectors a kernel has: r, x, q or z; p.
inline constexpr int cg_vectors = 3, cg_vectors_with_direction = 4;

/// How a kernel works. `keeps`: the block's rows of p are in shared memory, too.
template <bool preconditioned, bool keeps>
struct CgTraits {
    static constexpr bool is_preconditioned = preconditioned;
    static constexpr bool keeps_direction = keeps;
    static constexpr int num_vectors = keeps ? cg_vectors_with_direction : cg_vectors;
};

/// Calls f(CgTraits) with what suits a system of which a block has so many rows. `block_bytes(rows, num_vectors)`: the
/// fast memory that it needs.
template <class F>
void with_cg_traits(const Executor& exec, bool is_preconditioned, size_type max_rows,
                    size_type (*block_bytes)(size_type, int), F&& f)
{
    const auto room = static_cast<size_type>(gpu(exec).grid_memory().bytes_per_block);
    const bool keeps_direction = block_bytes(max_rows, cg_vectors_with_direction) <= room;
    if (is_preconditioned && keeps_direction) {
        f(CgTraits<true, true>());
    } else if (is_preconditioned) {
        f(CgTraits<true, false>());
    } else if (keeps_direction) {
        f(CgTraits<false, true>());
    } else {
        f(CgTraits<false, false>());
    }
}

/// What the loop works on. r, x, q, own_p: the block's rows; p, inverse: all rows of the device.
template <class V>
struct CgBlock {
    V *r, *x, *q;
    V* own_p;  ///< null unless it is kept
    V* p;
    const V* inverse;
};

/// The loop. `Rows`: a SpreadMatrix. `Exchange` has the sums over all blocks, which every block gets in the same
/// order, and so comes to the same decisions; `publish_direction(p, goes_on)`, behind which products see p, of which
/// p(i) gives the block's rows; and `multiply(matrix, p, prefetch, consume, add)`, which may add to what is consumed.
template <class Traits, class V, class Rows, class Exchange>
class CgLoop {
public:
    using R = device_real<V>;
    using Sums = CgSums<V, Traits::is_preconditioned>;

    __device__ CgLoop(const Rows& matrix, Exchange& exchange, const V* inverse, V* p)
        : matrix_(matrix),
          exchange_(exchange),
          block_{matrix.vector(0), matrix.vector(1), matrix.vector(2), nullptr, p, inverse},
          first_(matrix.first_row())
    {
        if constexpr (Traits::keeps_direction) {
            block_.own_p = matrix.vector(cg_vectors);
        }
    }

    /// From the residual `global_r` to the end.
    __device__ void run(V* global_r, V* global_x, const StopView<R>& stop)
    {
        LINDEN_SHARED(goes_on, bool);
        LINDEN_SHARED(local_stop, ColumnStop<R>);
        if (thread_id() == 0) {
            load_watched(stop, local_stop);
            goes_on = local_stop.header.running != 0;
        }
        Sums sums;
        std::uint64_t now = 0;
        matrix_.for_rows([&](int i) {
            block_.x[i] = global_x[first_ + i];
            block_.r[i] = global_r[first_ + i];
            set_direction(i, sums.add(block_.r[i], Traits::is_preconditioned ? block_.inverse[first_ + i] : V{}));
        });
        exchange_.template sum<persistent_threads>(sums.values, now);
        exchange_.publish_direction([&](int i) { return direction(i); }, goes_on);
        while (goes_on) {
            V pq[1] = {multiply()};  // q := A p, p^H q
            exchange_.template sum<persistent_threads>(pq, now);
            V alpha{};
            SolveStatus status = SolveStatus::running;
            const V rho = sums.rho();
            const bool moves = cg_step_length(rho, pq[0], status, alpha);
            sums = {};
            if (moves) {  // r := r - alpha q, z := M^-1 r, r^H z, r^H r
                sums = update_residual(alpha);
            }
            now = watched_time(stop, local_stop);
            exchange_.template sum<persistent_threads>(sums.values, now);
            if (thread_id() == 0) {
                local_stop.status = status;
                const R norm = moves ? static_cast<R>(sqrt(real(sums.squared_residual()))) : local_stop.residual;
                goes_on = local_stop.end_iteration(stop, 0, norm, static_cast<std::int64_t>(now)) != 0;
            }
            if (moves) {  // x := x + alpha p, p := z + beta p
                update_direction(alpha, sums.rho() / rho);
            }
            exchange_.publish_direction([&](int i) { return direction(i); }, goes_on);
        }
        matrix_.for_rows([&](int i) {
            global_x[first_ + i] = block_.x[i];
            global_r[first_ + i] = block_.r[i];
        });
        exchange_.finish();
        if (block_id() == 0 && thread_id() == 0) {
            local_stop.store(stop);
            stop.header->running = goes_on ? 1 : 0;
        }
    }

private:
    __device__ V direction(int i) const
    {
        if constexpr (Traits::keeps_direction) {
            return block_.own_p[i];
        } else {
            return block_.p[first_ + i];
        }
    }
    __device__ void set_direction(int i, V value)
    {
        if constexpr (Traits::keeps_direction) {
            block_.own_p[i] = value;
        }
        block_.p[first_ + i] = value;
    }

    /// q := A p; returns this thread's part of p^H q.
    __device__ V multiply()
    {
        V pq{};
        exchange_.multiply(
            matrix_, block_.p, [&](int i) { return direction(i); },
            [&](int i, V product, V own) {
                block_.q[i] = product;
                pq += conj(own) * product;
            },
            [&](int i, V term) {
                block_.q[i] += term;
                pq += conj(direction(i)) * term;
            });
        return pq;
    }

    /// r := r - alpha q, q := z = M^-1 r unless z is r; returns this thread's part of the sums.
    __device__ Sums update_residual(V alpha)
    {
        Sums sums;
        V* const r = block_.r;
        V* const q = block_.q;
        if constexpr (Traits::is_preconditioned) {
            matrix_.for_loaded_rows([&](int i) { return block_.inverse[first_ + i]; },
                                    [&](int i, V factor) {
                                        r[i] = r[i] - alpha * q[i];
                                        q[i] = sums.add(r[i], factor);
                                    });
        } else {
            matrix_.for_rows([&](int i) {
                r[i] = r[i] - alpha * q[i];
                (void)sums.add(r[i], V{});
            });
        }
        return sums;
    }

    /// x := x + alpha p, p := z + beta p.
    __device__ void update_direction(V alpha, V beta)
    {
        const V* const z = Traits::is_preconditioned ? block_.q : block_.r;
        matrix_.for_loaded_rows([&](int i) { return direction(i); },
                                [&](int i, V old) {
                                    block_.x[i] += alpha * old;
                                    set_direction(i, z[i] + beta * old);
                                });
    }

    const Rows& matrix_;
    Exchange& exchange_;
    CgBlock<V> block_;
    size_type first_;
};

}  // namespace linden::cuda
