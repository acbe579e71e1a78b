#include "core/kernels/sell.hpp"

#include "gpu/columns.cuh"
#include "gpu/stored.cuh"

/// A thread for each row: the entries of neighbouring rows lie side by side. With several right-hand sides neighbouring
/// lanes take the columns of a row, and read its entries together.
namespace linden::LINDEN_GPU_NAMESPACE {
namespace {

/// So many entries of a row are on their way at a time; complex values take twice the registers.
template <class V>
inline constexpr int in_flight = sizeof(V) > sizeof(device_real<V>) ? 4 : 8;

/// (A b)(row at `position`), where gather(col) is b at column `col`.
template <class V, class S, class J, class Gather>
__device__ inline V row_product(const SellView<S, J>& a, size_type position, Gather gather)
{
    constexpr int N = in_flight<V>;
    const auto& layout = a.layout;
    const size_type slice = layout.slice_of(position);
    const size_type place = position - slice * layout.slice_rows;
    const size_type last = layout.last_column(slice);
    V sum{};
    for (size_type c = layout.first_column(slice); c < last; c += N) {
        size_type cols[N];
        S values[N];
        LINDEN_UNROLL
        for (int i = 0; i < N; ++i) {
            const size_type entry = (c + i) * layout.slice_rows + place;
            const bool exists = c + i < last;
            const J col = exists ? load_streaming(a.col_idxs + entry) : no_column<J>;
            values[i] = exists ? load_streaming(a.values + entry) : S{};
            if constexpr (sizeof(J) == 2) {
                cols[i] = col == no_column<J> ? -1 : a.bases[c + i] + static_cast<size_type>(col);
            } else {
                cols[i] = col;
            }
        }
        V gathered[N];
        LINDEN_UNROLL
        for (int i = 0; i < N; ++i) {
            gathered[i] = cols[i] >= 0 ? gather(cols[i]) : V{};
        }
        LINDEN_UNROLL
        for (int i = 0; i < N; ++i) {
            sum += cols[i] >= 0 ? to_arithmetic<V>(values[i]) * gathered[i] : V{};
        }
    }
    return sum;
}

template <class V>
struct Coefficients {
    Scalar<V> alpha, beta;
};

template <class V, class S, class J>
__global__ void __launch_bounds__(column_block_threads)
    spmv_kernel(SellView<S, J> a, Coefficients<V> c, const V* b, V* x, size_type x_stride)
{
    let_next_kernel_begin();
    wait_for_previous_kernel();
    const size_type position = global_id();
    if (position >= a.layout.rows) {
        return;
    }
    const V product = c.alpha[0] * row_product<V>(a, position, [&](size_type col) { return b[col]; });
    const V beta = c.beta[0];
    V& target = x[a.layout.row(position) * x_stride];
    target = beta == V{} ? product : product + beta * target;
}

template <class V, class S, class J>
struct MultiplyColumns {
    SellView<S, J> a;
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
            local.alpha * row_product<V>(a, at.row, [&](size_type col) { return b.values[col * b.stride + at.col]; });
        V& target = x(a.layout.row(at.row), at.col);
        target = local.beta == V{} ? product : product + local.beta * target;
    }
};

/// x := A b with w^H x and x^H x, one element per call.
template <class V, class S, class J>
struct MultiplyDot : NothingToPrepare, StoreDots<V> {
    SellView<S, J> a;
    DenseView<const V> b;
    DenseView<V> x;
    DenseView<const V> w;

    __device__ void operator()(Place<1> at, Nothing, V (&sums)[2]) const
    {
        const size_type row = a.layout.row(at.row);
        const V product = row_product<V>(a, at.row, [&](size_type col) { return b.values[col * b.stride + at.col]; });
        x(row, at.col) = product;
        sums[0] += conj(w(row, at.col)) * product;
        sums[1] += V{abs2(product)};
    }
};

template <class V, class S, class J>
void spmv(const Executor& exec, SellView<S, J> a, Scalar<V> alpha, DenseView<const V> b, Scalar<V> beta, DenseView<V> x)
{
    using D = device_type<V>;
    using T = device_type<S>;
    const SellView<T, J> matrix{a.layout, a.col_idxs, as_device(a.values), a.bases};
    const Coefficients<D> c{as_device(alpha), as_device(beta)};
    if (x.cols == 1 && b.is_contiguous()) {
        launch_overlapped_on(exec, spmv_kernel<D, T, J>, blocks_for(x.rows, column_block_threads), column_block_threads,
                             0, matrix, c, as_device(b.values), as_device(x.values), x.stride);
    } else {
        map_elements(exec, x.rows, x.cols, MultiplyColumns<D, T, J>{matrix, c, as_device(b), as_device(x)});
    }
}

template <class V, class S, class J>
void spmv_dot(const Executor& exec, SellView<S, J> a, DenseView<const V> b, DenseView<V> x, DenseView<const V> w, V* wx,
              V* xx, WorkspaceView workspace)
{
    using D = device_type<V>;
    using T = device_type<S>;
    const SellView<T, J> matrix{a.layout, a.col_idxs, as_device(a.values), a.bases};
    const MultiplyDot<D, T, J> body{{},          {{}, as_device(wx), as_device(xx)}, matrix, as_device(b), as_device(x),
                                    as_device(w)};
    reduce_elements<D, 2>(exec, workspace, x.rows, x.cols, body, body);
}

}  // namespace

void register_sell()
{
    for_each_sell_type([]<class V, class S, class J>() {
        sell_spmv<V, S, J>.bind(this_backend, spmv<V, S, J>);
        sell_spmv_dot<V, S, J>.bind(this_backend, spmv_dot<V, S, J>);
    });
}

}  // namespace linden::LINDEN_GPU_NAMESPACE
