#include "core/kernels/bicgstab.hpp"

#include "gpu/vector/columns.cuh"

/// Scalars of a column are worked out by every thread that needs them, from values that no thread changes to anything
/// else before the end of the kernel: all that write them write the same.
namespace linden::LINDEN_GPU_NAMESPACE {
namespace {

template <class V>
BiCgStabScalars<device_type<V>> device_scalars(BiCgStabScalars<V> s)
{
    return {as_device(s.rho), as_device(s.rho_old), as_device(s.alpha), as_device(s.omega), as_device(s.sigma),
            as_device(s.vv),  as_device(s.st),      as_device(s.tt),    s.shadow_norm,      s.halfway};
}

/// rhat := r and the scalars of the first step.
template <class V>
struct Start {
    DenseView<const V> r;
    DenseView<V> shadow;
    BiCgStabScalars<V> s;
    StopView<device_real<V>> stop;

    __device__ bool prepare(size_type col) const
    {
        if (!stop.is_running(col)) {
            return false;
        }
        s.rho[col] = stop.residual[col] * stop.residual[col];
        s.rho_old[col] = V{};
        s.shadow_norm[col] = stop.residual[col];
        s.halfway[col] = 0;
        return true;
    }
    template <int N>
    __device__ void operator()(Place<N> at, bool running) const
    {
        if (running) {
            at.store(shadow, at.load(r));
        }
    }
};

/// p := r + beta (p - omega v)
template <class V>
struct UpdateDirection {
    static constexpr int blocks = 4;
    DenseView<const V> r, v;
    DenseView<V> p;
    BiCgStabScalars<V> s;
    StopView<device_real<V>> stop;

    struct Local {
        V beta{}, omega{};
        bool moves;
    };
    __device__ Local prepare(size_type col) const
    {
        Local local;
        local.moves = stop.is_running(col) && bicgstab_check_direction(s, col, stop);
        local.beta = local.moves ? bicgstab_beta(s, col) : V{};
        local.omega = s.omega[col];
        return local;
    }
    template <int N>
    __device__ void operator()(Place<N> at, const Local& local) const
    {
        if (!local.moves) {
            return;
        }
        const auto residual = at.load(r);
        at.store(p, local.beta == V{} ? residual : residual + local.beta * (at.load(p) - local.omega * at.load(v)));
    }
};

/// s := r - alpha v, ||s||
template <class V>
struct FirstHalf {
    using R = device_real<V>;
    static constexpr int blocks = 4;
    DenseView<const V> v;
    DenseView<V> r;
    BiCgStabScalars<V> s;
    StopView<R> stop;

    struct Local {
        V alpha{};
        bool moves;
    };
    __device__ Local prepare(size_type col) const
    {
        Local local;
        local.moves = stop.is_running(col) && bicgstab_alpha(s, col, stop);
        local.alpha = local.moves ? s.alpha[col] : V{};
        return local;
    }
    template <int N>
    __device__ void operator()(Place<N> at, const Local& local, R (&sums)[1]) const
    {
        if (local.moves) {
            const auto updated = at.load(r) - local.alpha * at.load(v);
            at.store(r, updated);
            sums[0] += squared_norm(updated);
        }
    }

    __device__ bool skip() const
    {
        if (stop.header->running != 0) {
            return false;
        }
        if (global_id() == 0) {
            for (size_type col = 0; col < stop.cols; ++col) {
                s.alpha[col] = V{};  // the second half must not move x again
            }
        }
        return true;
    }
    struct Ready {
        bool running;
        R tolerance;
    };
    __device__ Ready ready(size_type col) const { return {stop.is_running(col), stop.tolerance[col]}; }
    __device__ std::int32_t column(size_type col, const R (&sums)[1], const Ready& ready) const
    {
        const R norm = sqrt(sums[0]);
        if (!ready.running) {
            s.alpha[col] = V{};
            return 0;
        }
        if (norm > ready.tolerance && is_finite(norm)) {  // as almost always: nothing more needs to be read
            stop.residual[col] = norm;
            return 1;
        }
        bicgstab_check_halfway(s, col, norm, stop, time_of(stop));
        return stop.is_running(col);
    }
    __device__ void all(std::int32_t running) const { stop.header->running = running; }
};

/// x := x + alpha phat + omega shat, r := s - omega t, rhat^H r, ||r||
template <class V>
struct SecondHalf {
    using R = device_real<V>;
    static constexpr int blocks = 3;
    DenseView<const V> p_hat, s_hat, t, shadow;
    DenseView<V> x, r;
    BiCgStabScalars<V> s;
    StopView<R> stop;

    struct Local {
        V alpha{}, omega{};
        bool moves, whole;
    };
    __device__ Local prepare(size_type col) const
    {
        Local local;
        local.alpha = s.alpha[col];
        local.moves = local.alpha != V{};
        local.whole = local.moves && stop.is_running(col) && bicgstab_omega(s, col, stop);
        local.omega = local.whole ? s.omega[col] : V{};
        return local;
    }
    template <int N>
    __device__ void operator()(Place<N> at, const Local& local, V (&sums)[2]) const
    {
        if (!local.moves) {
            return;
        }
        const auto halfway = at.load(x) + local.alpha * at.load(p_hat);
        if (!local.whole) {
            at.store(x, halfway);
            return;
        }
        const auto old = at.load(r);
        at.store(x, halfway + local.omega * at.load(s_hat));
        const auto updated = old - local.omega * at.load(t);
        at.store(r, updated);
        sums[0] += dot(at.load(shadow), updated);
        sums[1] += V{squared_norm(updated)};
    }

    /// Whether all columns stood still already before this step.
    __device__ bool skip() const
    {
        if (stop.header->running != 0) {
            return false;
        }
        for (size_type col = 0; col < stop.cols; ++col) {
            if (s.alpha[col] != V{}) {
                return false;
            }
        }
        return true;
    }
    struct Ready {
        ColumnStop<R> stop;
        V alpha, rho;
    };
    __device__ Ready ready(size_type col) const
    {
        Ready values;
        values.stop.load(stop, col);
        values.alpha = s.alpha[col];
        values.rho = s.rho[col];
        return values;
    }
    __device__ std::int32_t column(size_type col, const V (&sums)[2], Ready& ready) const
    {
        std::int32_t running = 0;
        if (!ready.stop.is_running()) {
            if (ready.alpha != V{}) {
                s.omega[col] = V{};
            }
        } else if (ready.alpha == V{}) {
            running = ready.stop.end_iteration(stop, col, ready.stop.residual);
            ready.stop.store(stop, col);
        } else {
            s.rho_old[col] = ready.rho;
            s.rho[col] = sums[0];
            running = ready.stop.end_iteration(stop, col, sqrt(real(sums[1])));
            ready.stop.store(stop, col);
        }
        return running;
    }
    __device__ void all(std::int32_t running) const { stop.header->running = running; }
};

template <class V>
void start(const Executor& exec, DenseView<const V> r, DenseView<V> shadow, BiCgStabScalars<V> s,
           StopView<real_t<V>> stop)
{
    const Start<device_type<V>> body{as_device(r), as_device(shadow), device_scalars(s), stop};
    map_columns(exec, body, body.shadow, body.r);
}

template <class V>
void update_direction(const Executor& exec, DenseView<const V> r, DenseView<const V> v, DenseView<V> p,
                      BiCgStabScalars<V> s, StopView<real_t<V>> stop)
{
    const UpdateDirection<device_type<V>> body{as_device(r), as_device(v), as_device(p), device_scalars(s), stop};
    map_columns(exec, body, body.p, body.r, body.v);
}

template <class V>
void first_half(const Executor& exec, DenseView<const V> v, DenseView<V> r, BiCgStabScalars<V> s,
                StopView<real_t<V>> stop, WorkspaceView workspace)
{
    const FirstHalf<device_type<V>> body{as_device(v), as_device(r), device_scalars(s), stop};
    reduce_columns<real_t<V>, 1>(exec, workspace, body, body, body.r, body.v);
}

template <class V>
void second_half(const Executor& exec, BiCgStabVectors<V> vectors, BiCgStabScalars<V> s, StopView<real_t<V>> stop,
                 WorkspaceView workspace)
{
    const SecondHalf<device_type<V>> body{
        as_device(vectors.p_hat), as_device(vectors.s_hat), as_device(vectors.t), as_device(vectors.shadow),
        as_device(vectors.x),     as_device(vectors.r),     device_scalars(s),    stop};
    reduce_columns<device_type<V>, 2>(exec, workspace, body, body, body.x, body.p_hat, body.s_hat, body.t, body.shadow,
                                      body.r);
}

}  // namespace

void register_bicgstab()
{
    for_each_value([]<class V>() {
        bicgstab_start<V>.bind(this_backend, start<V>);
        bicgstab_update_direction<V>.bind(this_backend, update_direction<V>);
        bicgstab_first_half<V>.bind(this_backend, first_half<V>);
        bicgstab_second_half<V>.bind(this_backend, second_half<V>);
    });
}

}  // namespace linden::LINDEN_GPU_NAMESPACE
