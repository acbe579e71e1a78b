#include "core/kernels/cg.hpp"

#include "gpu/columns.cuh"

namespace linden::LINDEN_GPU_NAMESPACE {
namespace {

template <class V>
struct Scalars {
    V *rho, *rho_old, *pq, *alpha;
};

/// r := r - alpha q and its norm, then the stopping rule.
template <class V>
struct UpdateResidual {
    using R = device_real<V>;
    DenseView<const V> q;
    DenseView<V> r;
    Scalars<V> s;
    bool identity;
    StopView<R> stop;

    /// The step length of a column, 0 where it does not move; `status` is what the column's becomes.
    __device__ V step_length(size_type col, SolveStatus& status) const
    {
        V alpha{};
        status = stop.status[col];
        if (status == SolveStatus::running) {
            cg_step_length(s.rho[col], s.pq[col], status, alpha);
        }
        return alpha;
    }

    struct Local {
        V alpha;
        SolveStatus status;
    };
    __device__ Local prepare(size_type col) const
    {
        Local local;
        local.alpha = step_length(col, local.status);
        return local;
    }

    template <int N>
    __device__ void operator()(Place<N> at, const Local& local, R (&sums)[1]) const
    {
        if (local.status != SolveStatus::running) {
            return;
        }
        const auto updated = at.load(r) - local.alpha * at.load(q);
        at.store(r, updated);
        sums[0] += squared_norm(updated);
    }

    __device__ bool skip() const
    {
        if (stop.header->running != 0) {
            return false;
        }
        if (global_id() == 0) {
            for (size_type col = 0; col < stop.cols; ++col) {
                s.alpha[col] = V{};  // the direction's kernel must not move x again
            }
        }
        return true;
    }
    __device__ void column(size_type col, const R (&sums)[1]) const
    {
        SolveStatus status;
        const bool was_running = stop.is_running(col);
        s.alpha[col] = step_length(col, status);
        stop.status[col] = status;
        if (was_running && status == SolveStatus::running) {
            stop.residual[col] = sqrt(sums[0]);
            s.rho_old[col] = s.rho[col];
            if (identity) {
                s.rho[col] = sums[0];
            }
        }
    }
    __device__ void all() const
    {
        end_iteration(stop, global_timer_ns(), [&](size_type col) { return stop.residual[col]; });
    }
};

/// x := x + alpha p, p := z + beta p
template <class V>
struct UpdateDirection {
    using R = device_real<V>;
    DenseView<const V> z;
    DenseView<V> p;
    DenseView<V> x;
    Scalars<V> s;
    StopView<R> stop;

    struct Local {
        V alpha, beta;
        bool running;
    };
    __device__ Local prepare(size_type col) const
    {
        const bool running = stop.is_running(col);
        return {s.alpha[col], running ? s.rho[col] / s.rho_old[col] : V{}, running};
    }

    template <int N>
    __device__ void operator()(Place<N> at, const Local& local) const
    {
        if (local.alpha == V{}) {
            return;
        }
        const auto direction = at.load(p);
        at.store(x, at.load(x) + local.alpha * direction);
        if (local.running) {
            at.store(p, at.load(z) + local.beta * direction);
        }
    }
};

template <class V>
struct SingleScalars {
    V *gamma, *gamma_old, *delta, *alpha;
};

/// One step of single-reduction CG.
template <class V>
struct SingleReductionStep {
    using R = device_real<V>;
    DenseView<const V> z, w;
    DenseView<V> p, s, x, r;
    SingleScalars<V> c;
    bool identity;
    StopView<R> stop;

    __device__ bool coefficients(size_type col, V& alpha, V& beta, SolveStatus& status) const
    {
        status = stop.status[col];
        if (status != SolveStatus::running) {
            return false;
        }
        beta = c.gamma_old[col] == V{} ? V{} : c.gamma[col] / c.gamma_old[col];
        const V correction = beta == V{} ? V{} : beta * c.gamma[col] / c.alpha[col];
        return cg_step_length(c.gamma[col], c.delta[col] - correction, status, alpha);
    }

    struct Local {
        V alpha{}, beta{};
        bool moves;
    };
    __device__ Local prepare(size_type col) const
    {
        Local local;
        SolveStatus status;
        local.moves = coefficients(col, local.alpha, local.beta, status);
        return local;
    }

    template <int N>
    __device__ void operator()(Place<N> at, const Local& local, R (&sums)[1]) const
    {
        if (!local.moves) {
            return;
        }
        auto direction = at.load(z);
        auto product = at.load(w);
        if (local.beta != V{}) {
            direction = direction + local.beta * at.load(p);
            product = product + local.beta * at.load(s);
        }
        const auto residual = at.load(r) - local.alpha * product;
        at.store(p, direction);
        at.store(s, product);
        at.store(x, at.load(x) + local.alpha * direction);
        at.store(r, residual);
        sums[0] += squared_norm(residual);
    }

    __device__ bool skip() const { return stop.header->running == 0; }
    __device__ void column(size_type col, const R (&sums)[1]) const
    {
        V alpha{}, beta{};
        SolveStatus status;
        const bool moved = coefficients(col, alpha, beta, status);
        stop.status[col] = status;
        if (moved) {
            stop.residual[col] = sqrt(sums[0]);
            c.alpha[col] = alpha;
            c.gamma_old[col] = c.gamma[col];
            if (identity) {
                c.gamma[col] = sums[0];
            }
        }
    }
    __device__ void all() const
    {
        end_iteration(stop, global_timer_ns(), [&](size_type col) { return stop.residual[col]; });
    }
};

template <class V>
void update_residual(const Executor& exec, DenseView<const V> q, DenseView<V> r, CgScalars<V> s, bool identity,
                     StopView<real_t<V>> stop, WorkspaceView workspace)
{
    const UpdateResidual<device_type<V>> step{
        as_device(q),
        as_device(r),
        {as_device(s.rho), as_device(s.rho_old), as_device(s.pq), as_device(s.alpha)},
        identity,
        stop};
    reduce_columns<real_t<V>, 1>(exec, workspace, step, step, step.r, step.q);
}

template <class V>
void update_direction(const Executor& exec, DenseView<const V> z, DenseView<V> p, DenseView<V> x, CgScalars<V> s,
                      StopView<real_t<V>> stop)
{
    const UpdateDirection<device_type<V>> step{
        as_device(z),
        as_device(p),
        as_device(x),
        {as_device(s.rho), as_device(s.rho_old), as_device(s.pq), as_device(s.alpha)},
        stop};
    map_columns(exec, step, step.x, step.p, step.z);
}

template <class V>
void single_reduction_step(const Executor& exec, DenseView<const V> z, DenseView<const V> w, DenseView<V> p,
                           DenseView<V> s, DenseView<V> x, DenseView<V> r, CgSingleScalars<V> c, bool identity,
                           StopView<real_t<V>> stop, WorkspaceView workspace)
{
    const SingleReductionStep<device_type<V>> step{
        as_device(z),
        as_device(w),
        as_device(p),
        as_device(s),
        as_device(x),
        as_device(r),
        {as_device(c.gamma), as_device(c.gamma_old), as_device(c.delta), as_device(c.alpha)},
        identity,
        stop};
    reduce_columns<real_t<V>, 1>(exec, workspace, step, step, step.x, step.z, step.w, step.p, step.s, step.r);
}

}  // namespace

void register_cg()
{
    for_each_value([]<class V>() {
        cg_update_residual<V>.bind(this_backend, update_residual<V>);
        cg_update_direction<V>.bind(this_backend, update_direction<V>);
        cg_single_reduction_step<V>.bind(this_backend, single_reduction_step<V>);
    });
}

}  // namespace linden::LINDEN_GPU_NAMESPACE
