#include "core/kernels/cg.hpp"

#include "gpu/vector/peer_columns.cuh"

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
    static constexpr Course course = Course::from_last;  // behind the product
    static constexpr int blocks = 3;
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
    struct Ready {
        ColumnStop<R> stop;
        V rho, pq;
    };
    __device__ Ready ready(size_type col) const
    {
        Ready values;
        values.stop.load(stop, col);
        values.rho = s.rho[col];
        values.pq = s.pq[col];
        return values;
    }
    __device__ std::int32_t column(size_type col, const R (&sums)[1], Ready& ready) const
    {
        V alpha{};
        std::int32_t running = 0;
        if (ready.stop.is_running()) {
            if (cg_step_length(ready.rho, ready.pq, ready.stop.status, alpha)) {
                s.rho_old[col] = ready.rho;
                if (identity) {
                    s.rho[col] = sums[0];
                }
                running = ready.stop.end_iteration(stop, col, sqrt(sums[0]));
            }
            ready.stop.store(stop, col);
        }
        s.alpha[col] = alpha;
        return running;
    }
    __device__ void all(std::int32_t running) const { stop.header->running = running; }
};

/// x := x + alpha p, p := z + beta p
template <class V>
struct UpdateDirection {
    using R = device_real<V>;
    static constexpr Course course = Course::to_first;  // before the product
    static constexpr int blocks = 4;
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
        const bool moves = local.alpha != V{};
        if (!moves && !local.running) {
            return;
        }
        const auto direction = at.load(p);
        if (moves) {
            at.store(x, at.load(x) + local.alpha * direction);
        }
        if (local.running) {
            at.store(p, at.load(z) + local.beta * direction);
        }
    }
};

template <class V>
struct SingleScalars {
    V *gamma, *gamma_old, *delta, *alpha;
};

/// The factors of a step with all sums in one reduction.
template <class V>
struct SingleReductionFactors {
    using R = device_real<V>;
    SingleScalars<V> c;
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

    __device__ bool skip() const { return stop.header->running == 0; }
    struct Ready {
        ColumnStop<R> stop;
        Local step;
        SolveStatus status;  ///< after the step
        V gamma;
    };
    __device__ Ready ready(size_type col) const
    {
        Ready values;
        values.stop.load(stop, col);
        values.step.moves = coefficients(col, values.step.alpha, values.step.beta, values.status);
        values.gamma = c.gamma[col];
        return values;
    }
    /// Ends the step of a column: take() the sums that it takes. Returns whether it runs on.
    template <class Take>
    __device__ std::int32_t end(size_type col, R squared_residual, Ready& ready, const Take& take) const
    {
        std::int32_t running = 0;
        ready.stop.status = ready.status;
        if (ready.step.moves) {
            c.alpha[col] = ready.step.alpha;
            c.gamma_old[col] = ready.gamma;
            take();
            running = ready.stop.end_iteration(stop, col, sqrt(squared_residual));
        }
        ready.stop.store(stop, col);
        return running;
    }
    __device__ void all(std::int32_t running) const { stop.header->running = running; }
};

/// One step of single-reduction CG.
template <class V>
struct SingleReductionStep : SingleReductionFactors<V> {
    using R = device_real<V>;
    using typename SingleReductionFactors<V>::Local;
    using typename SingleReductionFactors<V>::Ready;
    DenseView<const V> z, w;
    DenseView<V> p, s, x, r;
    bool identity;

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

    __device__ std::int32_t column(size_type col, const R (&sums)[1], Ready& ready) const
    {
        return this->end(col, sums[0], ready, [&] {
            if (identity) {
                this->c.gamma[col] = sums[0];
            }
        });
    }
};

/// One step of pipelined CG.
template <class V>
struct PipelinedStep : SingleReductionFactors<V> {
    using typename SingleReductionFactors<V>::Local;
    using typename SingleReductionFactors<V>::Ready;
    DenseView<const V> m, n;
    DenseView<V> p, s, q, z, x, r, u, w;
    bool identity;

    /// y := next + beta y, which is returned
    template <int N, class Vector>
    __device__ static auto advance(Place<N> at, Vector next, V beta, const DenseView<V>& y)
    {
        if (beta != V{}) {
            next = next + beta * at.load(y);
        }
        at.store(y, next);
        return next;
    }

    template <int N>
    __device__ void operator()(Place<N> at, const Local& local, V (&sums)[3]) const
    {
        if (!local.moves) {
            return;
        }
        const auto old_w = at.load(w);
        const auto direction = advance(at, at.load(u), local.beta, p);
        const auto image = advance(at, old_w, local.beta, s);
        const auto product = old_w - local.alpha * advance(at, at.load(n), local.beta, z);
        const auto residual = at.load(r) - local.alpha * image;
        at.store(x, at.load(x) + local.alpha * direction);
        at.store(w, product);
        auto preconditioned = residual;
        if (!identity) {
            preconditioned = at.load(u) - local.alpha * advance(at, at.load(m), local.beta, q);
            at.store(u, preconditioned);
        }
        at.store(r, residual);
        sums[0] += dot(residual, preconditioned);
        sums[1] += dot(preconditioned, product);
        sums[2] += V{squared_norm(residual)};
    }

    __device__ std::int32_t column(size_type col, const V (&sums)[3], Ready& ready) const
    {
        return this->end(col, real(sums[2]), ready, [&] {
            this->c.gamma[col] = sums[0];
            this->c.delta[col] = sums[1];
        });
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
    reduce_columns_at_peers<real_t<V>, 1>(exec, workspace, step, step, step.r, step.q);
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
void single_reduction_step(const Executor& exec, CgSingleVectors<V> vectors, CgSingleScalars<V> c, bool identity,
                           StopView<real_t<V>> stop, WorkspaceView workspace)
{
    const SingleReductionStep<device_type<V>> step{
        {{as_device(c.gamma), as_device(c.gamma_old), as_device(c.delta), as_device(c.alpha)}, stop},
        as_device(vectors.z),
        as_device(vectors.w),
        as_device(vectors.p),
        as_device(vectors.s),
        as_device(vectors.x),
        as_device(vectors.r),
        identity};
    reduce_columns_at_peers<real_t<V>, 1>(exec, workspace, step, step, step.x, step.z, step.w, step.p, step.s, step.r);
}

template <class V>
void pipelined_step(const Executor& exec, CgPipelinedVectors<V> vectors, CgSingleScalars<V> c, bool identity,
                    StopView<real_t<V>> stop, WorkspaceView workspace)
{
    using D = device_type<V>;
    const PipelinedStep<D> step{
        {{as_device(c.gamma), as_device(c.gamma_old), as_device(c.delta), as_device(c.alpha)}, stop},
        as_device(vectors.m),
        as_device(vectors.n),
        as_device(vectors.p),
        as_device(vectors.s),
        as_device(vectors.q),
        as_device(vectors.z),
        as_device(vectors.x),
        as_device(vectors.r),
        as_device(vectors.u),
        as_device(vectors.w),
        identity};
    reduce_columns_at_peers<D, 3>(exec, workspace, step, step, step.x, step.m, step.n, step.p, step.s, step.q, step.z,
                                  step.r, step.u, step.w);
}

}  // namespace

void register_cg()
{
    for_each_value([]<class V>() {
        cg_update_residual<V>.bind(this_backend, update_residual<V>);
        cg_update_direction<V>.bind(this_backend, update_direction<V>);
        cg_single_reduction_step<V>.bind(this_backend, single_reduction_step<V>);
        cg_pipelined_step<V>.bind(this_backend, pipelined_step<V>);
    });
}

}  // namespace linden::LINDEN_GPU_NAMESPACE
