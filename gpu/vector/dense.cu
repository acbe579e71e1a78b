#include "core/kernels/dense.hpp"

#include "gpu/device/load_order.cuh"
#include "gpu/vector/columns.cuh"
#include "gpu/vector/row_groups.cuh"
#include "gpu/vector/store_row.cuh"

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

/// The row of x := alpha A b + beta x, by the lanes of a group.
template <class V>
struct MultiplyRow {
    StoreRow<V> store;
    DenseView<const V> a;
    DenseView<const V> b;

    /// What a lane of so many adds to element (row, col) of A b; N entries are on their way at a time.
    template <int N>
    __device__ void add_part(size_type row, size_type col, int lane, int num_lanes, V& sum) const
    {
        for (size_type first = lane; first < a.cols; first += size_type{N} * num_lanes) {
            V values[N];
            LINDEN_UNROLL
            for (int i = 0; i < N; ++i) {
                const size_type k = first + size_type{i} * num_lanes;
                values[i] = a(row, k < a.cols ? k : first);
            }
            begin_loads();
            LINDEN_UNROLL
            for (int i = 0; i < N; ++i) {
                const size_type k = first + size_type{i} * num_lanes;
                sum += k < a.cols ? values[i] * b(k, col) : V{};
            }
        }
    }
    template <int N, class Group>
    __device__ void by_group(Group, size_type row) const
    {
        for (size_type col = 0; col < b.cols; ++col) {
            V part{};
            add_part<N>(row, col, Group::lane(), Group::size, part);
            const V sum = Group::sum(part);
            if (Group::lane() == 0) {
                store(row, col, sum);
            }
        }
    }
    template <class Group>
    __device__ void operator()(Group group, size_type row) const
    {
        by_group<4>(group, row);
    }
};

/// Long rows of A: a block of threads finds an element, or where they are many a wave finds the elements of a row.
inline constexpr size_type long_row = 256;
inline constexpr int long_row_threads = 256;
inline constexpr size_type max_long_blocks = 65536;
/// Entries that a lane has on their way at a time: all waves of many rows fit beside each other.
template <class V>
inline constexpr int long_row_entries = sizeof(V) > 8 ? 8 : 16;

template <class V>
__global__ void __launch_bounds__(long_row_threads) multiply_few_long_rows(MultiplyRow<V> body)
{
    const size_type cols = body.b.cols;
    let_next_kernel_begin();
    wait_for_previous_kernel();
    for (size_type element = block_id(); element < body.a.rows * cols; element += num_blocks()) {
        V sum[1] = {};
        body.template add_part<8>(element / cols, element % cols, thread_id(), long_row_threads, sum[0]);
        block_reduce<long_row_threads>(sum);
        if (thread_id() == 0) {
            body.store(element / cols, element % cols, sum[0]);
        }
    }
}

template <class V>
__global__ void __launch_bounds__(long_row_threads) multiply_many_long_rows(MultiplyRow<V> body)
{
    using Wave = Subgroup<32>;
    let_next_kernel_begin();
    wait_for_previous_kernel();
    for (size_type row = Wave::index(); row < body.a.rows; row += grid_threads() / Wave::size) {
        body.template by_group<long_row_entries<V>>(Wave{}, row);
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

/// Few columns, or few elements of long rows: lanes share an element, as many as its row has entries for, up to a
/// block. More: a thread forms an element.
template <class V>
void multiply(const Executor& exec, DenseView<const V> a, Scalar<V> alpha, DenseView<const V> b, Scalar<V> beta,
              DenseView<V> x)
{
    using D = device_type<V>;
    constexpr size_type most_columns = 4;
    const MultiplyRow<D> body{{as_device(alpha), as_device(beta), as_device(x)}, as_device(a), as_device(b)};
    const size_type elements = x.rows * x.cols;
    if (a.cols > long_row && elements > 0 && (x.cols <= most_columns || elements <= max_long_blocks)) {
        const size_type waves_per_block = long_row_threads / 32;
        if (x.cols <= most_columns && x.rows >= waves_per_block * gpu(exec).num_multiprocessors()) {
            launch_overlapped_on(exec, multiply_many_long_rows<D>, busy_blocks(exec, x.rows * 32), long_row_threads, 0,
                                 body);
        } else {
            launch_overlapped_on(exec, multiply_few_long_rows<D>, std::min(elements, max_long_blocks), long_row_threads,
                                 0, body);
        }
        return;
    }
    if (x.cols <= most_columns && a.cols > 1) {
        a.cols <= 8 ? map_rows_by<8>(exec, x.rows, body) : map_rows_by<32>(exec, x.rows, body);
        return;
    }
    map_elements(
        exec, x.rows, x.cols,
        Multiply<device_type<V>>{{as_device(alpha), as_device(beta)}, as_device(a), as_device(b), as_device(x)});
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
        dense_axpby<V>.bind(this_backend, combine<V>);
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
