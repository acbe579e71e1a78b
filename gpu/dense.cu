#include "core/kernels/dense.hpp"

#include "gpu/columns.cuh"

namespace linden::LINDEN_GPU_NAMESPACE {
namespace {

template <class V>
struct Fill : NothingToPrepare {
    V value;
    DenseView<V> x;

    template <int N>
    __device__ void operator()(Place<N> at, Nothing) const
    {
        Pack<V, N> values;
        for (int i = 0; i < N; ++i) {
            values.v[i] = value;
        }
        at.store(x, values);
    }
};

template <class V>
struct Copy : NothingToPrepare {
    DenseView<const V> b;
    DenseView<V> x;

    template <int N>
    __device__ void operator()(Place<N> at, Nothing) const
    {
        at.store(x, at.load(b));
    }
};

template <class V>
struct Scale {
    Scalar<V> alpha;
    DenseView<V> x;

    __device__ V prepare(size_type col) const { return alpha[col]; }
    template <int N>
    __device__ void operator()(Place<N> at, V a) const
    {
        at.store(x, a == V{} ? Pack<V, N>{} : a * at.load(x));
    }
};

/// What x := alpha t + beta x needs per column.
template <class V>
struct Combination {
    Scalar<V> alpha, beta;
    struct Local {
        V alpha, beta;
    };
    __device__ Local prepare(size_type col) const { return {alpha[col], beta[col]}; }
    template <int N>
    __device__ static void store(Place<N> at, DenseView<V> x, const Local& local, Pack<V, N> t)
    {
        const auto scaled = local.alpha * t;
        at.store(x, local.beta == V{} ? scaled : scaled + local.beta * at.load(x));
    }
};

template <class V>
struct Combine : Combination<V> {
    DenseView<const V> b;
    DenseView<V> x;

    template <int N>
    __device__ void operator()(Place<N> at, const typename Combination<V>::Local& local) const
    {
        this->store(at, x, local, at.load(b));
    }
};

/// x := alpha A b + beta x, one element per call.
template <class V>
struct Multiply : Combination<V> {
    DenseView<const V> a;
    DenseView<const V> b;
    DenseView<V> x;

    __device__ void operator()(Place<1> at, const typename Combination<V>::Local& local) const
    {
        V sum{};
        for (size_type k = 0; k < a.cols; ++k) {
            sum += a(at.row, k) * b(k, at.col);
        }
        this->store(at, x, local, Pack<V, 1>{sum});
    }
};

#if defined(LINDEN_HIP_PLATFORM_HOST)
constexpr int long_sum_threads = 128;
#else
constexpr int long_sum_threads = 1024;
#endif

/// The same for few elements that are long sums, each by a block of threads.
template <class V>
__global__ void __launch_bounds__(long_sum_threads)
    multiply_by_blocks(Combination<V> factors, DenseView<const V> a, DenseView<const V> b, DenseView<V> x)
{
    for (size_type element = block_id(); element < x.rows * x.cols; element += num_blocks()) {
        const Place<1> at{element / x.cols, element % x.cols};
        V sum[1] = {V{}};
#pragma unroll 4
        for (size_type k = thread_id(); k < a.cols; k += long_sum_threads) {
            sum[0] += a(at.row, k) * b(k, at.col);
        }
        block_reduce<long_sum_threads>(sum);
        if (thread_id() == 0) {
            Combination<V>::store(at, x, factors.prepare(at.col), Pack<V, 1>{sum[0]});
        }
    }
}

template <class V>
struct ScaleRows : Combination<V> {
    DenseView<const V> d;
    DenseView<const V> b;
    DenseView<V> x;

    template <int N>
    __device__ void operator()(Place<N> at, const typename Combination<V>::Local& local) const
    {
        this->store(at, x, local, Place<N>{at.row, 0}.load(d) * at.load(b));
    }
};

template <class V, class I>
struct GatherRows : NothingToPrepare {
    const I* rows;
    DenseView<const V> b;
    DenseView<V> x;

    __device__ void operator()(Place<1> at, Nothing) const { x(at.row, at.col) = b(rows[at.row], at.col); }
};

template <class V, class I>
struct ScatterRows : NothingToPrepare {
    const I* rows;
    DenseView<const V> b;
    DenseView<V> x;

    __device__ void operator()(Place<1> at, Nothing) const { x(rows[at.row], at.col) = b(at.row, at.col); }
};

template <class V>
struct Dot : NothingToPrepare, FinishNothing {
    DenseView<const V> a;
    DenseView<const V> b;
    V* result;

    template <int N>
    __device__ void operator()(Place<N> at, Nothing, V (&sums)[1]) const
    {
        sums[0] += dot(at.load(a), at.load(b));
    }
    __device__ std::int32_t column(size_type col, const V (&sums)[1], NothingRead) const
    {
        result[col] = sums[0];
        return 0;
    }
};

enum class Norm { one, two, inf };

template <class V, Norm norm>
struct ColumnNorm : NothingToPrepare, FinishNothing {
    using R = device_real<V>;
    DenseView<const V> x;
    R* result;

    template <int N>
    __device__ void operator()(Place<N> at, Nothing, R (&sums)[1]) const
    {
        const auto values = at.load(x);
        if constexpr (norm == Norm::two) {
            sums[0] += squared_norm(values);
        } else {
            for (int i = 0; i < N; ++i) {
                const R size = abs(values.v[i]);
                sums[0] = norm == Norm::one ? sums[0] + size : Max{}(sums[0], size);
            }
        }
    }
    __device__ std::int32_t column(size_type col, const R (&sums)[1], NothingRead) const
    {
        if constexpr (norm == Norm::two) {
            result[col] = sqrt(sums[0]);
        } else {
            result[col] = norm == Norm::inf && x.rows == 0 ? R{} : sums[0];
        }
        return 0;
    }
};

template <class V>
void fill(const Executor& exec, V value, DenseView<V> x)
{
    const Fill<device_type<V>> body{{}, as_device(value), as_device(x)};
    map_columns(exec, body, body.x);
}

template <class V>
void copy(const Executor& exec, DenseView<const V> b, DenseView<V> x)
{
    const Copy<device_type<V>> body{{}, as_device(b), as_device(x)};
    map_columns(exec, body, body.x, body.b);
}

template <class V>
void scale(const Executor& exec, Scalar<V> alpha, DenseView<V> x)
{
    const Scale<device_type<V>> body{as_device(alpha), as_device(x)};
    map_columns(exec, body, body.x);
}

template <class V>
void combine(const Executor& exec, Scalar<V> alpha, DenseView<const V> b, Scalar<V> beta, DenseView<V> x)
{
    const Combine<device_type<V>> body{{as_device(alpha), as_device(beta)}, as_device(b), as_device(x)};
    map_columns(exec, body, body.x, body.b);
}

template <class V>
void multiply(const Executor& exec, DenseView<const V> a, Scalar<V> alpha, DenseView<const V> b, Scalar<V> beta,
              DenseView<V> x)
{
    using D = device_type<V>;
    const Combination<D> factors{as_device(alpha), as_device(beta)};
    const size_type num_elements = x.rows * x.cols;
    // A thread for each would leave most of the device idle.
    if (num_elements != 0 && num_elements < a.cols && a.cols >= long_sum_threads) {
        constexpr size_type max_grid = 65536;
        launch_on(exec, multiply_by_blocks<D>, std::min(num_elements, max_grid), long_sum_threads, 0, factors,
                  as_device(a), as_device(b), as_device(x));
        return;
    }
    map_elements(exec, x.rows, x.cols, Multiply<D>{factors, as_device(a), as_device(b), as_device(x)});
}

template <class V>
void scale_rows(const Executor& exec, DenseView<const V> d, Scalar<V> alpha, DenseView<const V> b, Scalar<V> beta,
                DenseView<V> x)
{
    const ScaleRows<device_type<V>> body{{as_device(alpha), as_device(beta)}, as_device(d), as_device(b), as_device(x)};
    map_columns(exec, body, body.x, body.b, body.d);
}

template <class V, class I>
void gather_rows(const Executor& exec, const I* rows, DenseView<const V> b, DenseView<V> x)
{
    map_elements(exec, x.rows, x.cols, GatherRows<device_type<V>, I>{{}, rows, as_device(b), as_device(x)});
}

template <class V, class I>
void scatter_rows(const Executor& exec, const I* rows, DenseView<const V> b, DenseView<V> x)
{
    map_elements(exec, b.rows, b.cols, ScatterRows<device_type<V>, I>{{}, rows, as_device(b), as_device(x)});
}

template <class V>
void column_dots(const Executor& exec, DenseView<const V> a, DenseView<const V> b, V* result, WorkspaceView workspace)
{
    const Dot<device_type<V>> body{{}, {}, as_device(a), as_device(b), as_device(result)};
    reduce_columns<device_type<V>, 1>(exec, workspace, body, body, body.a, body.b);
}

template <class V, Norm norm>
void column_norms(const Executor& exec, DenseView<const V> x, real_t<V>* result, WorkspaceView workspace)
{
    using Op = std::conditional_t<norm == Norm::inf, Max, Sum>;
    const ColumnNorm<device_type<V>, norm> body{{}, {}, as_device(x), result};
    reduce_columns<real_t<V>, 1, Op>(exec, workspace, body, body, body.x);
}

}  // namespace

void register_dense()
{
    for_each_value([]<class V>() {
        dense_fill<V>.bind(this_backend, fill<V>);
        dense_copy<V>.bind(this_backend, copy<V>);
        dense_scale<V>.bind(this_backend, scale<V>);
        dense_combine<V>.bind(this_backend, combine<V>);
        dense_dot<V>.bind(this_backend, column_dots<V>);
        dense_norm1<V>.bind(this_backend, column_norms<V, Norm::one>);
        dense_norm2<V>.bind(this_backend, column_norms<V, Norm::two>);
        dense_norm_inf<V>.bind(this_backend, column_norms<V, Norm::inf>);
        dense_multiply<V>.bind(this_backend, multiply<V>);
        dense_scale_rows<V>.bind(this_backend, scale_rows<V>);
    });
    for_each_value_index([]<class V, class I>() {
        dense_gather_rows<V, I>.bind(this_backend, gather_rows<V, I>);
        dense_scatter_rows<V, I>.bind(this_backend, scatter_rows<V, I>);
    });
}

}  // namespace linden::LINDEN_GPU_NAMESPACE
