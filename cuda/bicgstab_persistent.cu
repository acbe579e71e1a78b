#include "core/kernels/bicgstab_persistent.hpp"

#include "core/kernels/bicgstab.hpp"
#include "cuda/grid_exchange.cuh"
#include "cuda/persistent_matrix.cuh"
#include "cuda/watched_stop.cuh"

/// BiCGStab of a system whose vectors fit on the chip, in one kernel: every multiprocessor holds its rows of r, v = A p
/// and t = A s in shared memory. All meet six times per iteration (grid_exchange.cuh); what passes through the L2 cache
/// and memory is A twice and 10 words per row instead of 19.
///
/// With a diagonal preconditioner these are v = A phat and t = A shat with phat = M^-1 p and shat = M^-1 s, and 13
/// words: M^-1, phat beside p, and shat once more for x. M^-1 is read once, since it has the place of t until that is
/// formed.
namespace linden::cuda {
namespace {

constexpr int num_vectors = 3;  // r, v, t
/// The best of 1, 2 and 3 on an H200, with 84 MB of matrix and 32 MB of vectors in 60 MB of cache.
constexpr int kept_eighths = 1;

/// The scalars of the one column, on which thread 0 of every block works alike.
template <class V>
struct LocalScalars {
    V rho, rho_old, alpha, omega, sigma, vv, st, tt;
    device_real<V> shadow_norm;
    std::int32_t halfway;

    __device__ BiCgStabScalars<V> view()
    {
        return {&rho, &rho_old, &alpha, &omega, &sigma, &vv, &st, &tt, &shadow_norm, &halfway};
    }
};

/// The steps of BiCGStab on the rows of this block; `scalars` and `stop` are in shared memory, in step with those of
/// all other blocks. Without preconditioner phat is p and shat is s.
template <bool preconditioned, class V, class I>
struct Iteration {
    using R = device_real<V>;

    const PersistentMatrix<V, I, kept_eighths>& matrix;
    GridExchange& exchange;
    LocalScalars<V>& scalars;
    ColumnStop<R>& stop;
    StopView<R> stop_view;              // of `stop`
    StopView<R> global_stop;            // where the host sees it
    V *x, *shadow, *p, *p_hat, *s_hat;  // this block's rows, in global memory
    const V *inverse, *whole_p_hat, *whole_s_hat;
    V *r, *v, *t;  // this block's rows, in shared memory

    /// Has thread 0 work on the scalars, which all threads have done with; all see the result.
    template <class F>
    __device__ void decide(F f) const
    {
        block_barrier();
        if (thread_id() == 0) {
            f(scalars.view());
        }
        block_barrier();
    }
    __device__ bool is_running() const { return stop.is_running(); }

    __device__ V inverse_of(int i) const { return preconditioned ? inverse[matrix.first_row() + i] : V{}; }

    /// p := direction, phat := M^-1 p in row i, where M^-1 is `factor`, which t keeps
    __device__ void set_direction(int i, V direction, V factor) const
    {
        p[i] = direction;
        if constexpr (preconditioned) {
            p_hat[i] = factor * direction;
            t[i] = factor;
        }
    }

    /// p := r + beta (p - omega v), phat := M^-1 p; false where the column breaks down
    __device__ bool update_direction() const
    {
        decide([&](const auto& c) { (void)bicgstab_check_direction(c, 0, stop_view); });
        if (!is_running()) {
            return false;
        }
        const V beta = bicgstab_beta(scalars.view(), 0);
        const V omega = scalars.omega;
        if (beta == V{}) {
            matrix.for_rows([&](int i) { set_direction(i, r[i], inverse_of(i)); });
        } else {
            matrix.for_loaded_rows(
                [&](int i) {
                    return Pair{p[i], inverse_of(i)};
                },
                [&](int i, Pair old) { set_direction(i, r[i] + beta * (old.first - omega * v[i]), old.second); });
        }
        exchange.barrier();
        return true;
    }

    /// v := A phat, rhat^H v, v^H v;  r := r - alpha v, shat := M^-1 r, ||r||. Where the column ends here alpha or
    /// `halfway` say how.
    __device__ void first_half() const
    {
        V sums[2]{};
        matrix.multiply(
            whole_p_hat, [&](int i) { return shadow[i]; },
            [&](int i, V product, V other) {
                v[i] = product;
                sums[0] += conj(other) * product;
                sums[1] += V{abs2(product)};
            });
        std::uint64_t now = 0;
        exchange.sum<persistent_threads>(sums, now);
        decide([&](const auto& c) {
            scalars.sigma = sums[0];
            scalars.vv = sums[1];
            if (!bicgstab_alpha(c, 0, stop_view)) {
                scalars.alpha = V{};
            }
        });
        if (!is_running()) {
            return;
        }
        const V alpha = scalars.alpha;
        R norm[1]{};
        matrix.for_rows([&](int i) {
            const V updated = r[i] - alpha * v[i];
            r[i] = updated;
            s_hat[i] = preconditioned ? t[i] * updated : updated;
            norm[0] += abs2(updated);
        });
        now = global_timer_ns();
        exchange.sum<persistent_threads>(norm, now);
        decide([&](const auto& c) {
            bicgstab_check_halfway(c, 0, sqrt(norm[0]), stop_view, static_cast<std::int64_t>(now));
        });
    }

    /// t := A shat, s^H t, t^H t, where s = r
    __device__ void form_t() const
    {
        exchange.barrier();  // shat is there
        V sums[2]{};
        matrix.multiply(
            whole_s_hat, [&](int i) { return r[i]; },
            [&](int i, V product, V own) {
                t[i] = product;
                sums[0] += conj(own) * product;
                sums[1] += V{abs2(product)};
            });
        std::uint64_t now = 0;
        exchange.sum<persistent_threads>(sums, now);
        decide([&](const auto& c) {
            scalars.st = sums[0];
            scalars.tt = sums[1];
            (void)bicgstab_omega(c, 0, stop_view);
        });
    }

    /// x := x + alpha phat, the end of a column that stopped halfway
    __device__ void move_halfway() const
    {
        const V alpha = scalars.alpha;
        if (alpha != V{}) {
            matrix.for_loaded_rows(
                [&](int i) {
                    return Pair{x[i], p_hat[i]};
                },
                [&](int i, Pair old) { x[i] = old.first + alpha * old.second; });
        }
    }

    /// x := x + alpha phat + omega shat, r := s - omega t, rhat^H r, ||r||, stopping rule
    __device__ void second_half() const
    {
        const V alpha = scalars.alpha;
        const V omega = scalars.omega;
        V sums[2]{};
        matrix.for_loaded_rows(
            [&](int i) {
                return Row{x[i], p_hat[i], shadow[i], preconditioned ? s_hat[i] : V{}};
            },
            [&](int i, Row old) {
                const V halfway = r[i];
                const V updated = halfway - omega * t[i];
                x[i] = old.x + alpha * old.p_hat + omega * (preconditioned ? old.s_hat : halfway);
                r[i] = updated;
                sums[0] += conj(old.shadow) * updated;
                sums[1] += V{abs2(updated)};
            });
        std::uint64_t now = watched_time(global_stop, stop);
        exchange.sum<persistent_threads>(sums, now);
        decide([&](const auto&) {
            scalars.rho_old = scalars.rho;
            scalars.rho = sums[0];
            (void)check_column(stop_view, 0, static_cast<R>(sqrt(real(sums[1]))), static_cast<std::int64_t>(now));
        });
    }

    struct Pair {
        V first, second;
    };
    struct Row {
        V x, p_hat, shadow, s_hat;
    };
};

template <class V>
struct Vectors {
    const V* inverse;  // of M; null without preconditioner
    V *r, *x, *shadow, *p, *p_hat, *s_hat;
};

template <bool preconditioned, class V, class I>
__global__ void __launch_bounds__(persistent_threads, 1)
    run_kernel(CsrView<V, I> a, Vectors<V> global, PersistentPartition partition, std::int32_t* halfway,
               std::byte* workspace, StopView<device_real<V>> stop)
{
    using R = device_real<V>;
    LINDEN_SHARED(scalars, LocalScalars<V>);
    LINDEN_SHARED(local_stop, ColumnStop<R>);
    GridExchange exchange(workspace);
    const PersistentMatrix<V, I, kept_eighths> matrix(a, partition, num_vectors, workspace + persistent_header_bytes);
    const size_type first = matrix.first_row();
    if (thread_id() == 0) {
        load_watched(stop, local_stop);
        const R norm = local_stop.residual;
        scalars = {V{norm * norm}, V{}, V{}, V{}, V{}, V{}, V{}, V{}, norm, 0};
    }
    block_barrier();
    V* const p_hat = preconditioned ? global.p_hat : global.p;
    const Iteration<preconditioned, V, I> step{matrix,
                                               exchange,
                                               scalars,
                                               local_stop,
                                               local_stop.view(stop),
                                               stop,
                                               global.x + first,
                                               global.shadow + first,
                                               global.p + first,
                                               p_hat + first,
                                               global.s_hat + first,
                                               global.inverse,
                                               p_hat,
                                               global.s_hat,
                                               matrix.vector(0),
                                               matrix.vector(1),
                                               matrix.vector(2)};
    matrix.for_rows([&](int i) { step.r[i] = step.shadow[i] = global.r[first + i]; });
    block_barrier();
    const bool started = local_stop.is_running();
    while (step.is_running() && step.update_direction()) {
        step.first_half();
        if (step.is_running()) {
            step.form_t();
        }
        if (!step.is_running()) {
            step.move_halfway();
            break;
        }
        step.second_half();
    }
    matrix.for_rows([&](int i) { global.r[first + i] = step.r[i]; });
    exchange.barrier();
    exchange.finish();
    if (block_id() == 0 && thread_id() == 0) {
        local_stop.store(stop);
        stop.header->running = 0;
        if (started) {
            *halfway = scalars.halfway;
        }
    }
}

template <class V, class I>
void run(const Executor& exec, WholeSolve<V, I> solve, BiCgStabScratch<V> scratch, std::int32_t* halfway,
         WorkspaceView workspace, StopView<real_t<V>> stop)
{
    using D = device_type<V>;
    const Vectors<D> vectors{as_device(solve.d),
                             as_device(solve.r.values),
                             as_device(solve.x.values),
                             as_device(scratch.shadow.values),
                             as_device(scratch.p.values),
                             as_device(scratch.p_hat.values),
                             as_device(scratch.s_hat.values)};
    const auto kernel = solve.d == nullptr ? run_kernel<false, D, I> : run_kernel<true, D, I>;
    launch_persistent<V>(exec, kernel, solve.a.rows, solve.partition, num_vectors, as_device(solve.a), vectors,
                         solve.partition, halfway, workspace.data, stop);
}

}  // namespace

void register_bicgstab_persistent()
{
    for_each_value_index([]<class V, class I>() { bicgstab_run_persistent<V, I>.bind(Backend::cuda, run<V, I>); });
}

}  // namespace linden::cuda
