#include "core/kernels/eisenstat.hpp"

#include "gpu/colouring/sweep_rows.cuh"

namespace linden::LINDEN_GPU_NAMESPACE {
namespace {

template <class V>
struct Scalars {
    V *rho, *rho_old, *pv;
    device_real<V>*ratio, *square;
    std::int32_t* is_due;
};

template <class V>
Scalars<device_type<V>> device_scalars(const EisenstatScalars<V>& s)
{
    return {as_device(s.rho), as_device(s.rho_old), as_device(s.pv), s.ratio, s.square, s.is_due};
}

/// The diagonal as a column.
template <class R>
DenseView<const R> column_of(const R* d, size_type rows)
{
    return {rows, 1, 1, d};
}

/// sum of d |r|^2
template <int N, class V>
__device__ inline device_real<V> weighted_square(const Pack<device_real<V>, N>& d, const Pack<V, N>& r)
{
    device_real<V> sum{};
    for (int i = 0; i < N; ++i) {
        sum += d.v[i] * abs2(r.v[i]);
    }
    return sum;
}

/// rho := <r, r>_D and what else begins.
template <class V>
struct Start : FinishNothing, NothingToPrepare {
    using R = device_real<V>;
    DenseView<const R> d;
    DenseView<const V> r;
    Scalars<V> s;
    StopView<R> stop;

    template <int N>
    __device__ void operator()(Place<N> at, Nothing, R (&sums)[1]) const
    {
        sums[0] += weighted_square(Place<N>{at.row, 0}.load(d), at.load(r));
    }
    __device__ std::int32_t column(size_type col, const R (&sums)[1], NothingRead) const
    {
        s.rho[col] = V{sums[0]};
        s.rho_old[col] = V{};
        s.ratio[col] = sums[0] == R{} ? R{1} : stop.residual[col] / sqrt(sums[0]);
        s.is_due[col] = 0;
        return 0;
    }
};

/// p := r + beta p, t := p - sum
template <class V>
struct BackwardStep {
    using value_type = V;
    DenseView<const V> r;
    DenseView<V> p;
    DenseView<V> gathered;  ///< t
    Scalars<V> s;
    StopView<device_real<V>> stop;

    struct Local {
        V beta;
        bool runs;
    };
    struct Nothing {};
    struct Loaded {
        V r, p;
    };
    __device__ Local prepare(size_type col) const
    {
        const V rho = s.rho[col];
        const V rho_old = s.rho_old[col];
        return {rho_old == V{} ? V{} : rho / rho_old, stop.is_running(col)};
    }
    __device__ Nothing find(size_type) const { return {}; }
    __device__ Loaded load(const Local& local, Nothing, size_type i, size_type col) const
    {
        return {r(i, col), local.beta == V{} ? V{} : p(i, col)};
    }
    __device__ void finish(const Local& local, Nothing, const Loaded& loaded, size_type i, size_type col, V sum) const
    {
        const V direction = loaded.r + local.beta * loaded.p;
        p(i, col) = direction;
        gathered(i, col) = direction - sum;
    }
};

/// w := p - (2 - omega) t - sum, pv := pv + <p, t + w>_D
template <class V>
struct ForwardStep : FinishNothing {
    using value_type = V;
    using R = device_real<V>;
    const R* d;
    DenseView<const V> p;
    DenseView<const V> t;
    DenseView<V> gathered;  ///< w
    R factor;               ///< 2 - omega
    bool is_first;
    Scalars<V> s;
    StopView<R> stop;

    struct Local {
        bool runs;
    };
    struct Loaded {
        V p, t;
    };
    __device__ Local prepare(size_type col) const { return {stop.is_running(col)}; }
    __device__ R find(size_type i) const { return d[i]; }
    __device__ Loaded load(Local, R, size_type i, size_type col) const { return {p(i, col), t(i, col)}; }
    __device__ void finish(Local, R weight, const Loaded& loaded, size_type i, size_type col, V sum, V (&sums)[1]) const
    {
        const V w = loaded.p - factor * loaded.t - sum;
        gathered(i, col) = w;
        sums[0] += weight * (conj(loaded.p) * (loaded.t + w));
    }

    __device__ bool skip() const { return stop.header->running == 0; }
    struct Ready {
        V pv;
        bool runs;
    };
    __device__ Ready ready(size_type col) const { return {is_first ? V{} : s.pv[col], stop.is_running(col)}; }
    __device__ std::int32_t column(size_type col, const V (&sums)[1], const Ready& ready) const
    {
        if (ready.runs) {
            s.pv[col] = ready.pv + sums[0];
        }
        return 0;
    }
};

/// x := x + alpha t, r := r - alpha (t + w), rho := <r, r>_D, then the stopping rule where no true residual is due.
template <class V>
struct Update {
    using R = device_real<V>;
    DenseView<const R> d;
    DenseView<const V> t, w;
    DenseView<V> x, r;
    std::int64_t period;
    Scalars<V> s;
    StopView<R> stop;

    struct Local {
        V alpha{};
        bool moves;
    };
    __device__ Local prepare(size_type col) const
    {
        Local local;
        SolveStatus status = stop.status[col];
        local.moves = status == SolveStatus::running && cg_step_length(s.rho[col], s.pv[col], status, local.alpha);
        return local;
    }
    template <int N>
    __device__ void operator()(Place<N> at, const Local& local, R (&sums)[1]) const
    {
        if (!local.moves) {
            return;
        }
        const auto direction = at.load(t);
        const auto residual = at.load(r) - local.alpha * (direction + at.load(w));
        at.store(x, at.load(x) + local.alpha * direction);
        at.store(r, residual);
        sums[0] += weighted_square(Place<N>{at.row, 0}.load(d), residual);
    }

    __device__ bool skip() const { return stop.header->running == 0; }
    struct Ready {
        ColumnStop<R> stop;
        V rho, pv;
        R ratio;
    };
    __device__ Ready ready(size_type col) const
    {
        Ready values;
        values.stop.load(stop, col);
        values.rho = s.rho[col];
        values.pv = s.pv[col];
        values.ratio = s.ratio[col];
        return values;
    }
    __device__ std::int32_t column(size_type col, const R (&sums)[1], Ready& ready) const
    {
        V alpha{};
        std::int32_t running = 0;
        bool is_due = false;
        if (ready.stop.is_running()) {
            if (cg_step_length(ready.rho, ready.pv, ready.stop.status, alpha)) {
                s.rho_old[col] = ready.rho;
                s.rho[col] = V{sums[0]};
                const R estimate = ready.ratio * sqrt(sums[0]);
                is_due = eisenstat_is_due(estimate, ready.stop.tolerance, ready.stop.iterations + 1, period);
                running = is_due ? 1 : ready.stop.end_iteration(stop, col, estimate);
            }
            ready.stop.store(stop, col);
        }
        s.is_due[col] = is_due ? 1 : 0;
        return running;
    }
    __device__ void all(std::int32_t running) const { stop.header->running = running; }
};

/// square := square + ||D (r + sum)||^2, at last the stopping rule with the true residual norm.
template <class V>
struct ResidualNorm {
    using value_type = V;
    using R = device_real<V>;
    const R* d;
    DenseView<const V> gathered;  ///< r
    R omega;
    bool is_first, is_last;
    Scalars<V> s;
    StopView<R> stop;

    struct Local {
        bool runs;
    };
    __device__ Local prepare(size_type col) const { return {s.is_due[col] != 0}; }
    __device__ R find(size_type i) const { return d[i]; }
    __device__ V load(Local, R, size_type i, size_type col) const { return gathered(i, col); }
    __device__ void finish(Local, R weight, V r, size_type, size_type, V sum, R (&sums)[1]) const
    {
        sums[0] += abs2(weight * (r + sum));
    }

    __device__ bool skip() const
    {
        for (size_type col = 0; col < stop.cols; ++col) {
            if (s.is_due[col] != 0) {
                return false;
            }
        }
        return true;
    }
    struct Ready {
        ColumnStop<R> stop;
        V rho;
        R square;
        bool is_due;
    };
    __device__ Ready ready(size_type col) const
    {
        Ready values;
        values.stop.load(stop, col);
        values.rho = s.rho[col];
        values.square = is_first ? R{} : s.square[col];
        values.is_due = s.is_due[col] != 0;
        return values;
    }
    __device__ std::int32_t column(size_type col, const R (&sums)[1], Ready& ready) const
    {
        if (!ready.is_due) {
            return ready.stop.is_running() ? 1 : 0;
        }
        const R square = ready.square + sums[0];
        s.square[col] = square;
        if (!is_last) {
            return 0;
        }
        const R norm = sqrt(square) / omega;
        if (ready.rho != V{}) {
            s.ratio[col] = norm / sqrt(real(ready.rho));
        }
        s.is_due[col] = 0;
        const std::int32_t running = ready.stop.end_iteration(stop, col, norm);
        ready.stop.store(stop, col);
        return running;
    }
    __device__ void all(std::int32_t running) const
    {
        if (is_last) {
            stop.header->running = running;
        }
    }
};

template <class V>
void start(const Executor& exec, const real_t<V>* d, DenseView<const V> r, EisenstatScalars<V> s,
           StopView<real_t<V>> stop, WorkspaceView workspace)
{
    const Start<device_type<V>> step{{}, {}, column_of(d, r.rows), as_device(r), device_scalars(s), stop};
    reduce_columns<real_t<V>, 1>(exec, workspace, step, step, step.r, step.d);
}

template <class V, class S, class J>
void backward(const Executor& exec, ColourView<S, J> colour, DenseView<const V> r, DenseView<V> p, DenseView<V> t,
              EisenstatScalars<V> s, StopView<real_t<V>> stop)
{
    sweep_colour<sell_min_blocks<V, J>, true>(
        exec, device_rows(colour),
        BackwardStep<device_type<V>>{as_device(r), as_device(p), as_device(t), device_scalars(s), stop});
}

template <class V, class S, class J>
void forward(const Executor& exec, ColourView<S, J> colour, EisenstatForwardStep<V> step, EisenstatScalars<V> s,
             StopView<real_t<V>> stop, WorkspaceView workspace)
{
    const ForwardStep<device_type<V>> body{{},
                                           step.d,
                                           as_device(step.p),
                                           as_device(step.t),
                                           as_device(step.w),
                                           2 - step.omega,
                                           step.is_first,
                                           device_scalars(s),
                                           stop};
    sweep_colour_sum<device_type<V>>(exec, device_rows(colour), body, workspace);
}

template <class V>
void update(const Executor& exec, EisenstatUpdateStep<V> step, EisenstatScalars<V> s, StopView<real_t<V>> stop,
            WorkspaceView workspace)
{
    const Update<device_type<V>> body{column_of(step.d, step.x.rows),
                                      as_device(step.t),
                                      as_device(step.w),
                                      as_device(step.x),
                                      as_device(step.r),
                                      step.period,
                                      device_scalars(s),
                                      stop};
    reduce_columns<real_t<V>, 1>(exec, workspace, body, body, body.x, body.t, body.w, body.r, body.d);
}

template <class V, class S, class J>
void residual_norm(const Executor& exec, ColourView<S, J> colour, EisenstatNormStep<V> step, EisenstatScalars<V> s,
                   StopView<real_t<V>> stop, WorkspaceView workspace)
{
    const ResidualNorm<device_type<V>> body{step.d,       as_device(step.r), step.omega, step.is_first,
                                            step.is_last, device_scalars(s), stop};
    sweep_colour_sum<real_t<V>>(exec, device_rows(colour), body, workspace);
}

}  // namespace

void register_eisenstat()
{
    for_each_value([]<class V>() {
        eisenstat_start<V>.bind(this_backend, start<V>);
        eisenstat_update<V>.bind(this_backend, update<V>);
    });
    for_each_sell_type([]<class V, class S, class J>() {
        eisenstat_backward<V, S, J>.bind(this_backend, backward<V, S, J>);
        eisenstat_forward<V, S, J>.bind(this_backend, forward<V, S, J>);
        eisenstat_residual_norm<V, S, J>.bind(this_backend, residual_norm<V, S, J>);
    });
}

}  // namespace linden::LINDEN_GPU_NAMESPACE
