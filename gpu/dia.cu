#include "core/kernels/dia.hpp"

#include "gpu/columns.cuh"

/// A thread for each row: neighbouring threads read neighbouring entries of a diagonal and of b. With several
/// right-hand sides neighbouring lanes take the columns of a row.
namespace linden::LINDEN_GPU_NAMESPACE {
namespace {

/// So many entries of a row are on their way at a time; complex values take twice the registers.
template <class V>
inline constexpr int in_flight = sizeof(V) > sizeof(device_real<V>) ? 4 : 8;

template <class V, class I, class Gather>
__device__ inline V row_product(const DiaView<V, I>& a, size_type row, Gather gather)
{
    constexpr int N = in_flight<V>;
    const auto& layout = a.layout;
    V sum{};
    for (size_type d = 0; d < layout.num_diagonals; d += N) {
        size_type cols[N];
        V values[N];
        V gathered[N];
        LINDEN_UNROLL
        for (int i = 0; i < N; ++i) {
            const size_type col = d + i < layout.num_diagonals ? row + layout.offsets[d + i] : -1;
            cols[i] = col < layout.cols ? col : -1;
        }
        LINDEN_UNROLL
        for (int i = 0; i < N; ++i) {
            values[i] = cols[i] >= 0 ? load_streaming(a.values + (d + i) * layout.stride + row) : V{};
            gathered[i] = cols[i] >= 0 ? gather(cols[i]) : V{};
        }
        LINDEN_UNROLL
        for (int i = 0; i < N; ++i) {
            sum += values[i] * gathered[i];
        }
    }
    return sum;
}

template <class V>
struct Coefficients {
    Scalar<V> alpha, beta;
};

template <class V, class I>
__global__ void __launch_bounds__(column_block_threads, column_blocks_per_multiprocessor)
    spmv_kernel(DiaView<V, I> a, Coefficients<V> c, const V* b, V* x, size_type x_stride)
{
    let_next_kernel_begin();
    wait_for_previous_kernel();
    const size_type row = global_id();
    if (row >= a.layout.rows) {
        return;
    }
    const V alpha = c.alpha[0];
    const V beta = c.beta[0];
    const V product = alpha * row_product(a, row, [&](size_type col) { return b[col]; });
    V& target = x[row * x_stride];
    target = beta == V{} ? product : product + beta * target;
}

template <class V, class I>
struct MultiplyColumns {
    DiaView<V, I> a;
    Coefficients<V> c;
    DenseView<const V> b;
    DenseView<V> x;

    struct Local {
        V alpha, beta;
    };
    __device__ Local prepare(size_type col) const { return {c.alpha[col], c.beta[col]}; }
    __device__ void operator()(Place<1> at, const Local& local) const
    {
        const V product =
            local.alpha * row_product(a, at.row, [&](size_type col) { return b.values[col * b.stride + at.col]; });
        V& target = x(at.row, at.col);
        target = local.beta == V{} ? product : product + local.beta * target;
    }
};

/// x := A b with w^H x and x^H x, one element per call.
template <class V, class I>
struct MultiplyDot : NothingToPrepare, StoreDots<V> {
    DiaView<V, I> a;
    DenseView<const V> b;
    DenseView<V> x;
    DenseView<const V> w;

    __device__ void operator()(Place<1> at, Nothing, V (&sums)[2]) const
    {
        const size_type row = at.row;
        const V product = row_product(a, at.row, [&](size_type col) { return b.values[col * b.stride + at.col]; });
        x(row, at.col) = product;
        sums[0] += conj(w(row, at.col)) * product;
        sums[1] += V{abs2(product)};
    }
};

template <class V, class I>
void spmv(const Executor& exec, DiaView<V, I> a, Scalar<V> alpha, DenseView<const V> b, Scalar<V> beta, DenseView<V> x)
{
    using D = device_type<V>;
    const DiaView<D, I> matrix{a.layout, as_device(a.values)};
    const Coefficients<D> c{as_device(alpha), as_device(beta)};
    if (x.cols == 1 && b.is_contiguous()) {
        launch_overlapped_on(exec, spmv_kernel<D, I>, blocks_for(x.rows, column_block_threads), column_block_threads, 0,
                             matrix, c, as_device(b.values), as_device(x.values), x.stride);
    } else {
        map_elements(exec, x.rows, x.cols, MultiplyColumns<D, I>{matrix, c, as_device(b), as_device(x)});
    }
}

template <class V, class I>
void spmv_dot(const Executor& exec, DiaView<V, I> a, DenseView<const V> b, DenseView<V> x, DenseView<const V> w, V* wx,
              V* xx, WorkspaceView workspace)
{
    using D = device_type<V>;
    const DiaView<D, I> matrix{a.layout, as_device(a.values)};
    const MultiplyDot<D, I> body{{},          {{}, as_device(wx), as_device(xx)}, matrix, as_device(b), as_device(x),
                                 as_device(w)};
    reduce_elements<D, 2>(exec, workspace, x.rows, x.cols, body, body);
}

}  // namespace

void register_dia()
{
    for_each_value_index([]<class V, class I>() {
        dia_spmv<V, I>.bind(this_backend, spmv<V, I>);
        dia_spmv_dot<V, I>.bind(this_backend, spmv_dot<V, I>);
    });
}

}  // namespace linden::LINDEN_GPU_NAMESPACE
