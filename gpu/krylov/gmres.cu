#include "core/kernels/gmres.hpp"

#include "gpu/krylov/basis.cuh"
#include "gpu/vector/columns.cuh"

namespace linden::LINDEN_GPU_NAMESPACE {
namespace {

/// Basis vectors whose products with w one launch forms: w is read once for so many of them.
constexpr int products_per_launch = 8;

/// v := r / ||r||
template <class V>
struct Start {
    using R = device_real<V>;
    DenseView<const V> r;
    DenseView<V> v;
    GmresScalars<V> s;
    StopView<R> stop;

    struct Local {
        R scale;
        bool running;
    };
    __device__ Local prepare(size_type col) const
    {
        s.used[col] = 0;
        s.g[col] = stop.residual[col];
        return {R{1} / stop.residual[col], stop.is_running(col)};
    }
    template <int N>
    __device__ void operator()(Place<N> at, const Local& local) const
    {
        at.store(v, local.running ? V{local.scale} * at.load(r) : Pack<V, N>{});
    }
};

/// h_i := v_i^H w for products_per_launch blocks from `first` on; with `squares` also w^H w.
template <class V, bool squares>
struct MultiDot : FinishNothing {
    static constexpr int num_sums = products_per_launch + squares;
    using R = device_real<V>;
    BasisView<const V> basis;
    DenseView<const V> w;
    size_type first;
    V* h;
    R* ww;
    StopView<R> stop;

    __device__ bool prepare(size_type col) const { return stop.is_running(col); }
    template <int N>
    __device__ void operator()(Place<N> at, bool running, V (&sums)[num_sums]) const
    {
        if (!running) {
            return;
        }
        const auto values = at.load(w);
#pragma unroll
        for (int i = 0; i < products_per_launch; ++i) {
            if (first + i < basis.count) {
                sums[i] += dot(at.load(block(basis, first + i)), values);
            }
        }
        if constexpr (squares) {
            sums[products_per_launch] += V{squared_norm(values)};
        }
    }

    __device__ bool skip() const { return stop.header->running == 0; }
    __device__ bool ready(size_type col) const { return stop.is_running(col); }
    __device__ std::int32_t column(size_type col, const V (&sums)[num_sums], bool running) const
    {
        if (!running) {
            return 0;
        }
        for (int i = 0; i < products_per_launch && first + i < basis.count; ++i) {
            h[(first + i) * basis.cols + col] = sums[i];
        }
        if constexpr (squares) {
            ww[col] = real(sums[products_per_launch]);
        }
        return 1;
    }
};

/// w := w - V h
template <class V>
struct Subtract {
    BasisView<const V> basis;
    DenseView<V> w;
    const V* h;
    StopView<device_real<V>> stop;

    __device__ bool prepare(size_type col) const { return stop.is_running(col); }
    template <int N>
    __device__ void operator()(Place<N> at, bool running) const
    {
        if (running) {
            at.store(w, minus_combination(at, at.load(w), basis, basis.count, h));
        }
    }
};

/// w := (w - V c) / ||w||, without c where one pass was enough
template <class V>
struct Normalize {
    using R = device_real<V>;
    BasisView<const V> basis;
    DenseView<V> w;
    GmresScalars<V> s;
    StopView<R> stop;

    struct Local {
        R scale;
        bool running, again;
    };
    __device__ Local prepare(size_type col) const
    {
        const bool running = stop.is_running(col);
        return {s.scale[col], running, running && s.again[col] != 0};
    }
    template <int N>
    __device__ void operator()(Place<N> at, const Local& local) const
    {
        if (!local.running) {
            at.store(w, Pack<V, N>{});
            return;
        }
        auto values = at.load(w);
        if (local.again) {
            values = minus_combination(at, values, basis, basis.count, s.c);
        }
        at.store(w, V{local.scale} * values);
    }
};

/// x := x + V y, or V y
template <class V, class S>
struct CombineBasis {
    BasisView<const S> basis;
    const V* y;
    const std::int32_t* used;
    bool overwrite;
    DenseView<V> x;

    __device__ size_type prepare(size_type col) const { return used[col] < basis.count ? used[col] : basis.count; }
    template <int N>
    __device__ void operator()(Place<N> at, size_type count) const
    {
        if (count == 0 && !overwrite) {
            return;
        }
        const auto minus_sum = minus_combination(at, Pack<V, N>{}, basis, count, y);
        at.store(x, (overwrite ? Pack<V, N>{} : at.load(x)) - minus_sum);
    }
};

/// v := b - v and its norm
template <class V>
struct Residual {
    using R = device_real<V>;
    DenseView<const V> b;
    DenseView<V> v;
    StopView<R> stop;

    struct Nothing {};
    __device__ Nothing prepare(size_type) const { return {}; }
    template <int N>
    __device__ void operator()(Place<N> at, Nothing, R (&sums)[1]) const
    {
        const auto residual = at.load(b) - at.load(v);
        at.store(v, residual);
        sums[0] += squared_norm(residual);
    }

    __device__ bool skip() const { return stop.header->running == 0; }
    __device__ bool ready(size_type col) const { return stop.is_running(col); }
    __device__ std::int32_t column(size_type col, const R (&sums)[1], bool running) const
    {
        if (running) {
            gmres_check_restart(stop, col, sqrt(sums[0]));
            running = stop.is_running(col);
        }
        return running;
    }
    __device__ void all(std::int32_t running) const { stop.header->running = running; }
};

/// One right-hand side: the chain of rotations runs on values in shared memory, since each step waits for the last.
template <class V>
__global__ void __launch_bounds__(scalar_threads, 1)
    rotate_one_kernel(GmresScalars<V> s, size_type j, StopView<device_real<V>> stop)
{
    if (stop.header->running == 0) {
        return;
    }
    auto shared = dynamic_shared<std::byte>();
    auto staged = s;
    staged.h = stage(s.h, j + 1, shared);
    staged.c = stage(s.c, j + 1, shared);
    staged.cosine = stage(s.cosine, j + 1, shared);
    staged.sine = stage(s.sine, j + 1, shared);
    block_barrier();
    if (thread_id() == 0) {
        gmres_rotate_column(staged, j, 0, stop);
        // What the next steps will read.
        s.cosine[j] = staged.cosine[j];
        s.sine[j] = staged.sine[j];
        end_iteration(stop, time_of(stop), [&](size_type col) { return stop.residual[col]; });
    }
    block_barrier();
    for (size_type i = thread_id(); i <= j; i += scalar_threads) {
        s.h[i] = staged.h[i];
    }
}

template <class V>
__global__ void __launch_bounds__(scalar_threads, 1)
    rotate_kernel(GmresScalars<V> s, size_type j, StopView<device_real<V>> stop)
{
    if (stop.header->running == 0) {
        return;
    }
    for (size_type col = thread_id(); col < stop.cols; col += scalar_threads) {
        if (stop.is_running(col)) {
            gmres_rotate_column(s, j, col, stop);
        }
    }
    thread_fence();
    block_barrier();
    if (thread_id() == 0) {
        end_iteration(stop, time_of(stop), [&](size_type col) { return stop.residual[col]; });
    }
}

template <class V>
__global__ void __launch_bounds__(scalar_threads, 1) solve_one_kernel(GmresScalars<V> s)
{
    const size_type m = s.krylov_dim;
    auto shared = dynamic_shared<std::byte>();
    auto staged = s;
    staged.upper = stage(s.upper, m * m, shared);
    staged.g = stage(s.g, m, shared);
    staged.y = stage(s.y, m, shared);
    block_barrier();
    if (thread_id() == 0) {
        gmres_solve_column(staged, 0, 1);
    }
    block_barrier();
    for (size_type i = thread_id(); i < m; i += scalar_threads) {
        s.y[i] = staged.y[i];
    }
}

template <class V>
__global__ void __launch_bounds__(scalar_threads, 1) solve_kernel(GmresScalars<V> s, size_type cols)
{
    for (size_type col = thread_id(); col < cols; col += scalar_threads) {
        gmres_solve_column(s, col, cols);
    }
}

template <class V>
void start(const Executor& exec, DenseView<const V> r, DenseView<V> v, GmresScalars<V> s, StopView<real_t<V>> stop)
{
    const Start<device_type<V>> body{as_device(r), as_device(v), device_scalars(s), stop};
    map_columns(exec, body, body.v, body.r);
}

/// h := V^H w, some basis vectors per launch; the last launch forms w^H w where `ww` is given.
template <class V>
void form_products(const Executor& exec, BasisView<const V> basis, DenseView<const V> w, V* h, real_t<V>* ww,
                   StopView<real_t<V>> stop, WorkspaceView workspace)
{
    using D = device_type<V>;
    const auto blocks = device_basis(basis);
    for (size_type first = 0; first < basis.count; first += products_per_launch) {
        if (ww != nullptr && first + products_per_launch >= basis.count) {
            const MultiDot<D, true> body{{}, blocks, as_device(w), first, as_device(h), ww, stop};
            reduce_columns<D, MultiDot<D, true>::num_sums>(exec, workspace, body, body, body.w, shape_of(blocks));
        } else {
            const MultiDot<D, false> body{{}, blocks, as_device(w), first, as_device(h), nullptr, stop};
            reduce_columns<D, MultiDot<D, false>::num_sums>(exec, workspace, body, body, body.w, shape_of(blocks));
        }
    }
}

template <class V>
void multi_dot(const Executor& exec, BasisView<const V> basis, DenseView<const V> w, V* h, StopView<real_t<V>> stop,
               WorkspaceView workspace)
{
    form_products<V>(exec, basis, w, h, nullptr, stop, workspace);
}

/// The products need all of w's new values of a row, so the basis is read twice here: keeping a row of it in shared
/// memory would save the second reading.
template <class V>
void multi_subtract(const Executor& exec, BasisView<const V> basis, DenseView<V> w, GmresScalars<V> s,
                    StopView<real_t<V>> stop, WorkspaceView workspace)
{
    const Subtract<device_type<V>> body{device_basis(basis), as_device(w), as_device(s.h), stop};
    map_columns(exec, body, body.w, shape_of(body.basis));
    form_products<V>(exec, basis, w, s.c, s.ww, stop, workspace);
}

template <class V>
void rotate(const Executor& exec, GmresScalars<V> s, size_type j, StopView<real_t<V>> stop)
{
    using D = device_type<V>;
    const size_type bytes = (j + 2) * static_cast<size_type>(3 * sizeof(V) + sizeof(real_t<V>)) + 64;
    if (stop.cols == 1 && bytes <= max_staged_bytes) {
        launch_on(exec, rotate_one_kernel<D>, 1, scalar_threads, bytes, device_scalars(s), j, stop);
    } else {
        launch_on(exec, rotate_kernel<D>, 1, scalar_threads, 0, device_scalars(s), j, stop);
    }
}

template <class V>
void normalize(const Executor& exec, BasisView<const V> basis, DenseView<V> w, GmresScalars<V> s,
               StopView<real_t<V>> stop)
{
    const Normalize<device_type<V>> body{device_basis(basis), as_device(w), device_scalars(s), stop};
    map_columns(exec, body, body.w, shape_of(body.basis));
}

template <class V>
void solve(const Executor& exec, GmresScalars<V> s, size_type cols)
{
    using D = device_type<V>;
    const size_type bytes = s.krylov_dim * (s.krylov_dim + 2) * static_cast<size_type>(sizeof(V)) + 64;
    if (cols == 1 && bytes <= max_staged_bytes) {
        launch_on(exec, solve_one_kernel<D>, 1, scalar_threads, bytes, device_scalars(s));
    } else {
        launch_on(exec, solve_kernel<D>, 1, scalar_threads, 0, device_scalars(s), cols);
    }
}

template <class V, class S>
void combine(const Executor& exec, BasisView<const S> basis, const V* y, const std::int32_t* used, bool overwrite,
             DenseView<V> x)
{
    const CombineBasis<device_type<V>, device_type<S>> body{device_basis(basis), as_device(y), used, overwrite,
                                                            as_device(x)};
    map_packs<rows_of_pack<device_type<V>, device_type<S>>>(exec, body, body.x, shape_of(body.basis));
}

template <class V>
void residual(const Executor& exec, DenseView<const V> b, DenseView<V> v, StopView<real_t<V>> stop,
              WorkspaceView workspace)
{
    const Residual<device_type<V>> body{as_device(b), as_device(v), stop};
    reduce_columns<real_t<V>, 1>(exec, workspace, body, body, body.v, body.b);
}

}  // namespace

void register_gmres()
{
    for_each_value([]<class V>() {
        gmres_start<V>.bind(this_backend, start<V>);
        gmres_multi_dot<V>.bind(this_backend, multi_dot<V>);
        gmres_multi_subtract<V>.bind(this_backend, multi_subtract<V>);
        gmres_rotate<V>.bind(this_backend, rotate<V>);
        gmres_normalize<V>.bind(this_backend, normalize<V>);
        gmres_solve<V>.bind(this_backend, solve<V>);
        gmres_residual<V>.bind(this_backend, residual<V>);
    });
    for_each_basis_storage([]<class V, class S>() { gmres_combine<V, S>.bind(this_backend, combine<V, S>); });
}

}  // namespace linden::LINDEN_GPU_NAMESPACE
