#include "core/kernels/bicgstab.hpp"
#include "cuda/grid_exchange.cuh"
#include "cuda/resident_matrix.cuh"
#include "gpu/column_stop.cuh"

/// BiCGStab of a system whose vectors fit on the chip, in one kernel: every multiprocessor holds its rows of r, v = A p
/// and t = A s in shared memory. All meet six times per iteration (grid_exchange.cuh); what passes through the L2 cache
/// and memory is A twice and 10 words per row instead of 19.
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
/// all other blocks.
template <class V, class I>
struct Iteration {
    using R = device_real<V>;

    const ResidentMatrix<V, I, kept_eighths>& matrix;
    GridExchange& exchange;
    LocalScalars<V>& scalars;
    ColumnStop<R>& stop;
    StopView<R> stop_view;  // of `stop`
    V *x, *shadow, *p, *s;  // this block's rows, in global memory
    const V *whole_p, *whole_s;
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

    /// p := r + beta (p - omega v); false where the column breaks down
    __device__ bool update_direction() const
    {
        decide([&](const auto& c) { (void)bicgstab_check_direction(c, 0, stop_view); });
        if (!is_running()) {
            return false;
        }
        const V beta = bicgstab_beta(scalars.view(), 0);
        const V omega = scalars.omega;
        if (beta == V{}) {
            matrix.for_rows([&](int i) { p[i] = r[i]; });
        } else {
            matrix.for_loaded_rows([&](int i) { return p[i]; },
                                   [&](int i, V old) { p[i] = r[i] + beta * (old - omega * v[i]); });
        }
        exchange.barrier();
        return true;
    }

    /// v := A p, rhat^H v, v^H v;  r := r - alpha v, ||r||. Where the column ends here alpha or `halfway` say how.
    __device__ void first_half() const
    {
        V sums[2]{};
        matrix.multiply(
            whole_p, [&](int i) { return shadow[i]; },
            [&](int i, V product, V other) {
                v[i] = product;
                sums[0] += conj(other) * product;
                sums[1] += V{abs2(product)};
            });
        std::uint64_t now = 0;
        exchange.sum<resident_threads>(sums, now);
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
            r[i] = s[i] = updated;
            norm[0] += abs2(updated);
        });
        now = global_timer_ns();
        exchange.sum<resident_threads>(norm, now);
        decide([&](const auto& c) {
            bicgstab_check_halfway(c, 0, sqrt(norm[0]), stop_view, static_cast<std::int64_t>(now));
        });
    }

    /// t := A s, s^H t, t^H t, where s = r
    __device__ void form_t() const
    {
        exchange.barrier();  // s is there
        V sums[2]{};
        matrix.multiply(
            whole_s, [&](int i) { return r[i]; },
            [&](int i, V product, V own) {
                t[i] = product;
                sums[0] += conj(own) * product;
                sums[1] += V{abs2(product)};
            });
        std::uint64_t now = 0;
        exchange.sum<resident_threads>(sums, now);
        decide([&](const auto& c) {
            scalars.st = sums[0];
            scalars.tt = sums[1];
            (void)bicgstab_omega(c, 0, stop_view);
        });
    }

    /// x := x + alpha p, the end of a column that stopped halfway
    __device__ void move_halfway() const
    {
        const V alpha = scalars.alpha;
        if (alpha != V{}) {
            matrix.for_loaded_rows(
                [&](int i) {
                    return Pair{x[i], p[i]};
                },
                [&](int i, Pair old) { x[i] = old.first + alpha * old.second; });
        }
    }

    /// x := x + alpha p + omega s, r := s - omega t, rhat^H r, ||r||, stopping rule
    __device__ void second_half() const
    {
        const V alpha = scalars.alpha;
        const V omega = scalars.omega;
        V sums[2]{};
        matrix.for_loaded_rows(
            [&](int i) {
                return Triple{x[i], p[i], shadow[i]};
            },
            [&](int i, Triple old) {
                const V halfway = r[i];
                const V updated = halfway - omega * t[i];
                x[i] = old.first + alpha * old.second + omega * halfway;
                r[i] = updated;
                sums[0] += conj(old.third) * updated;
                sums[1] += V{abs2(updated)};
            });
        std::uint64_t now = global_timer_ns();
        exchange.sum<resident_threads>(sums, now);
        decide([&](const auto&) {
            scalars.rho_old = scalars.rho;
            scalars.rho = sums[0];
            (void)check_column(stop_view, 0, static_cast<R>(sqrt(real(sums[1]))), static_cast<std::int64_t>(now));
        });
    }

    struct Pair {
        V first, second;
    };
    struct Triple {
        V first, second, third;
    };
};

template <class V>
struct Vectors {
    V *r, *x, *shadow, *p, *s;
};

template <class V, class I>
__global__ void __launch_bounds__(resident_threads, 1)
    run_kernel(CsrView<V, I> a, Vectors<V> global, RowPartition partition, std::int32_t* halfway, std::byte* workspace,
               StopView<device_real<V>> stop)
{
    using R = device_real<V>;
    LINDEN_SHARED(scalars, LocalScalars<V>);
    LINDEN_SHARED(local_stop, ColumnStop<R>);
    GridExchange exchange(workspace);
    const ResidentMatrix<V, I, kept_eighths> matrix(a, partition, num_vectors, workspace + resident_header_bytes);
    const size_type first = matrix.first_row();
    if (thread_id() == 0) {
        local_stop.load(stop);
        if (block_id() != 0) {
            local_stop.header.history_capacity = 0;  // one block writes it
        }
        const R norm = local_stop.residual;
        scalars = {V{norm * norm}, V{}, V{}, V{}, V{}, V{}, V{}, V{}, norm, 0};
    }
    block_barrier();
    const Iteration<V, I> step{matrix,
                               exchange,
                               scalars,
                               local_stop,
                               local_stop.view(stop),
                               global.x + first,
                               global.shadow + first,
                               global.p + first,
                               global.s + first,
                               global.p,
                               global.s,
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
void run(const Executor& exec, CsrView<V, I> a, DenseView<V> r, DenseView<V> x, DenseView<V> shadow, DenseView<V> p,
         DenseView<V> s, RowPartition partition, std::int32_t* halfway, WorkspaceView workspace,
         StopView<real_t<V>> stop)
{
    using D = device_type<V>;
    const Vectors<D> vectors{as_device(r.values), as_device(x.values), as_device(shadow.values), as_device(p.values),
                             as_device(s.values)};
    launch_resident<V>(exec, run_kernel<D, I>, a.rows, partition, num_vectors, as_device(a), vectors, partition,
                       halfway, workspace.data, stop);
}

}  // namespace

void register_bicgstab_resident()
{
    for_each_value_index([]<class V, class I>() { bicgstab_run_resident<V, I>.bind(Backend::cuda, run<V, I>); });
}

}  // namespace linden::cuda
