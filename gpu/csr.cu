#include "core/kernels/csr.hpp"

#include "gpu/csr_rows.cuh"

/// One right-hand side goes tile by tile (csr_rows.cuh). With several, lanes lie across the columns, so that a row's
/// nonzeros are read once for up to 32 columns.
namespace linden::LINDEN_GPU_NAMESPACE {
namespace {

template <class V>
struct Coefficients {
    Scalar<V> alpha, beta;
};

template <class V, class I>
__global__ void __launch_bounds__(tile_threads, tile_blocks<V>)
    spmv_kernel(Matrix<V, I> a, int lanes, int tile_rows, Coefficients<V> c, const V* b, V* x, size_type x_stride)
{
    wait_for_previous_kernel();
    const V alpha = c.alpha[0];
    const V beta = c.beta[0];
    const auto old = [&](size_type row) { return beta == V{} ? V{} : x[row * x_stride]; };
    for_each_row_product(a, lanes, tile_rows, b, old, [&](size_type row, V product, V old_value) {
        x[row * x_stride] = beta == V{} ? alpha * product : alpha * product + beta * old_value;
    });
}

/// x := A b, w^H x, x^H x for one right-hand side.
template <class V, class I>
__global__ void __launch_bounds__(tile_threads, tile_blocks<V>)
    spmv_dot_kernel(Matrix<V, I> a, int lanes, int tile_rows, const V* b, V* x, const V* w, StoreDots<V> store,
                    detail::Partials<V, 2> partials)
{
    wait_for_previous_kernel();
    V sums[2]{};
    for_each_row_product(
        a, lanes, tile_rows, b, [&](size_type row) { return w[row]; },
        [&](size_type row, V product, V other) {
            x[row] = product;
            sums[0] += conj(other) * product;
            sums[1] += V{abs2(product)};
        });
    let_next_kernel_begin();
    detail::finish_reduction<tile_threads, Sum>(sums, partials, store);
}

/// (A b)(row, col) by one thread.
template <class V, class I>
__device__ inline V row_product(const Matrix<V, I>& a, DenseView<const V> b, size_type row, size_type col)
{
    V sum{};
    for (I k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
        sum += a.values[k] * b(a.col_idxs[k], col);
    }
    return sum;
}

/// x := alpha A b + beta x, one element per call.
template <class V, class I>
struct MultiplyColumns {
    Matrix<V, I> a;
    Coefficients<V> c;
    DenseView<const V> b;
    DenseView<V> x;

    struct Local {
        V alpha, beta;
    };
    __device__ Local prepare(size_type col) const { return {c.alpha[col], c.beta[col]}; }
    __device__ void operator()(Place<1> at, const Local& local) const
    {
        const V product = local.alpha * row_product(a, b, at.row, at.col);
        V& target = x(at.row, at.col);
        target = local.beta == V{} ? product : product + local.beta * target;
    }
};

/// x := A b with w^H x and x^H x, one element per call.
template <class V, class I>
struct MultiplyColumnsDot : NothingToPrepare, StoreDots<V> {
    Matrix<V, I> a;
    DenseView<const V> b;
    DenseView<V> x;
    DenseView<const V> w;

    __device__ void operator()(Place<1> at, Nothing, V (&sums)[2]) const
    {
        const V product = row_product(a, b, at.row, at.col);
        x(at.row, at.col) = product;
        sums[0] += conj(w(at.row, at.col)) * product;
        sums[1] += V{abs2(product)};
    }
};

template <class V, class I>
struct ExtractDiagonal : NothingToPrepare {
    Matrix<V, I> a;
    DenseView<V> d;

    /// Binary search in the sorted columns of the row.
    __device__ void operator()(Place<1> at, Nothing) const
    {
        I low = a.row_ptrs[at.row];
        I high = a.row_ptrs[at.row + 1];
        const I end = high;
        while (low < high) {
            const I middle = low + (high - low) / 2;
            if (a.col_idxs[middle] < at.row) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        d(at.row, 0) = low < end && a.col_idxs[low] == at.row ? a.values[low] : V{};
    }
};

template <class V>
bool is_one_column(DenseView<V> x)
{
    return x.cols == 1 && x.is_contiguous();
}

template <class V, class I>
void spmv(const Executor& exec, CsrView<V, I> a, Scalar<V> alpha, DenseView<const V> b, Scalar<V> beta, DenseView<V> x)
{
    using D = device_type<V>;
    const Coefficients<D> c{as_device(alpha), as_device(beta)};
    if (a.rows == 0 || x.cols == 0) {
        return;
    }
    if (is_one_column(b)) {
        const auto matrix = device_matrix(a);
        const auto shape = tile_shape(exec, matrix);
        launch_overlapped_on(exec, spmv_kernel<D, I>, shape.grid, tile_threads, matrix.shared_bytes, matrix,
                             shape.lanes, shape.tile_rows, c, as_device(b.values), as_device(x.values), x.stride);
    } else {
        map_elements(exec, x.rows, x.cols, MultiplyColumns<D, I>{device_matrix(a), c, as_device(b), as_device(x)});
    }
}

template <class V, class I>
void spmv_dot(const Executor& exec, CsrView<V, I> a, DenseView<const V> b, DenseView<V> x, DenseView<const V> w, V* wx,
              V* xx, WorkspaceView workspace)
{
    using D = device_type<V>;
    if (x.cols == 0) {
        return;
    }
    if (is_one_column(b) && is_one_column(x) && is_one_column(w)) {
        const auto matrix = device_matrix(a);
        const auto shape = tile_shape(exec, matrix);
        launch_overlapped_on(exec, spmv_dot_kernel<D, I>, shape.grid, tile_threads, matrix.shared_bytes, matrix,
                             shape.lanes, shape.tile_rows, as_device(b.values), as_device(x.values),
                             as_device(w.values), StoreDots<D>{{}, as_device(wx), as_device(xx)},
                             detail::partials_in<D, 2>(workspace));
    } else {
        const MultiplyColumnsDot<D, I> body{
            {}, {{}, as_device(wx), as_device(xx)}, device_matrix(a), as_device(b), as_device(x), as_device(w)};
        reduce_elements<D, 2>(exec, workspace, x.rows, x.cols, body, body);
    }
}

template <class V, class I>
void extract_diagonal(const Executor& exec, CsrView<V, I> a, DenseView<V> d)
{
    map_elements(exec, std::min(a.rows, a.cols), 1,
                 ExtractDiagonal<device_type<V>, I>{{}, device_matrix(a), as_device(d)});
}

}  // namespace

void register_csr()
{
    for_each_value_index([]<class V, class I>() {
        csr_spmv<V, I>.bind(this_backend, spmv<V, I>);
        csr_spmv_dot<V, I>.bind(this_backend, spmv_dot<V, I>);
        csr_extract_diagonal<V, I>.bind(this_backend, extract_diagonal<V, I>);
    });
}

}  // namespace linden::LINDEN_GPU_NAMESPACE
