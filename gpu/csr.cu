#include "core/kernels/csr.hpp"

#include "gpu/columns.cuh"

/// One right-hand side: a subgroup of 32 lanes takes 32 rows at a time. Where rows are short, the lanes load the rows' nonzeros
/// side by side, put the products into shared memory and each lane adds up its own row: every load of the matrix is
/// coalesced whatever the row lengths. Where they are long, all lanes work on one row after the other.
///
/// Several right-hand sides: lanes lie across the columns, so that a row's nonzeros are read once for up to 32 columns.
namespace linden::LINDEN_GPU_NAMESPACE {
namespace {

constexpr int spmv_threads = 256;
constexpr int rows_per_group = 32;
using Group = Subgroup<rows_per_group>;
constexpr int groups_per_block = spmv_threads / rows_per_group;
/// Nonzeros that a lane loads before it uses one.
constexpr int loads_in_flight = 8;
constexpr int stage_size = rows_per_group * loads_in_flight;
/// From so many nonzeros per row on (on average over 32 rows), a row has all lanes to itself.
constexpr int long_row = 24;

template <class V, class I>
struct Matrix {
    size_type rows;
    size_type num_nonzeros;
    const I* row_ptrs;
    const I* col_idxs;
    const V* values;
};

template <class V, class I>
Matrix<device_type<V>, I> device_matrix(CsrView<V, I> a)
{
    return {a.rows, a.num_nonzeros, a.row_ptrs, a.col_idxs, as_device(a.values)};
}

/// (A b)(first + lane), where each lane's row lies at [begin, end). All lanes call; `stage` is the subgroup's own.
template <class V, class I>
__device__ inline V short_rows(const Matrix<V, I>& a, const V* b, I begin, I end, V* stage)
{
    const I group_begin = Group::shuffle(begin, 0);
    const I group_end = Group::shuffle(end, rows_per_group - 1);
    V sum{};
    for (I base = group_begin; base < group_end; base += stage_size) {
        V values[loads_in_flight];
        I cols[loads_in_flight];
#pragma unroll
        for (int i = 0; i < loads_in_flight; ++i) {
            const I k = base + i * rows_per_group + Group::lane();
            const bool inside = k < group_end;
            values[i] = inside ? load_streaming(a.values + k) : V{};
            cols[i] = inside ? load_streaming(a.col_idxs + k) : I{-1};
        }
#pragma unroll
        for (int i = 0; i < loads_in_flight; ++i) {
            stage[i * rows_per_group + Group::lane()] = cols[i] >= 0 ? values[i] * b[cols[i]] : V{};
        }
        Group::sync();
        const I from = begin > base ? begin : base;
        const I to = end < base + stage_size ? end : base + stage_size;
        for (I k = from; k < to; ++k) {
            sum += stage[k - base];
        }
        Group::sync();
    }
    return sum;
}

/// The same with all lanes on one row after the other.
template <class V, class I>
__device__ inline V long_rows(const Matrix<V, I>& a, const V* b, I begin, I end)
{
    V mine{};
    for (int row = 0; row < rows_per_group; ++row) {
        const I from = Group::shuffle(begin, row);
        const I to = Group::shuffle(end, row);
        V sum{};
        for (I k = from + Group::lane(); k < to; k += rows_per_group) {
            sum += load_streaming(a.values + k) * b[load_streaming(a.col_idxs + k)];
        }
        sum = Group::reduce(sum, Sum{});
        mine = Group::lane() == row ? sum : mine;
    }
    return mine;
}

/// Calls `consume(row, (A b)(row))` for all rows, spread over the grid.
template <class V, class I, class Consume>
__device__ inline void for_each_row_product(const Matrix<V, I>& a, const V* b, V* stage, Consume consume)
{
    const size_type step = static_cast<size_type>(num_blocks()) * groups_per_block * rows_per_group;
    for (size_type first = Group::index() * rows_per_group; first < a.rows; first += step) {
        const size_type row = first + Group::lane();
        const bool exists = row < a.rows;
        const I begin = exists ? a.row_ptrs[row] : static_cast<I>(a.num_nonzeros);
        const I end = exists ? a.row_ptrs[row + 1] : static_cast<I>(a.num_nonzeros);
        const I group_size = Group::shuffle(end, rows_per_group - 1) - Group::shuffle(begin, 0);
        const V product = group_size <= static_cast<I>(long_row * rows_per_group)
                              ? short_rows(a, b, begin, end, stage)
                              : long_rows(a, b, begin, end);
        if (exists) {
            consume(row, product);
        }
    }
}

template <class V>
struct Coefficients {
    Scalar<V> alpha, beta;
};

template <class V, class I>
__global__ void __launch_bounds__(spmv_threads)
    spmv_kernel(Matrix<V, I> a, Coefficients<V> c, const V* b, V* x, size_type x_stride)
{
    LINDEN_SHARED(stages, V[groups_per_block][stage_size]);
    const V alpha = c.alpha[0];
    const V beta = c.beta[0];
    for_each_row_product(a, b, stages[thread_id() / rows_per_group], [&](size_type row, V product) {
        V& target = x[row * x_stride];
        target = beta == V{} ? alpha * product : alpha * product + beta * target;
    });
}

/// x := A b, w^H x, x^H x for one right-hand side.
template <class V, class I>
__global__ void __launch_bounds__(spmv_threads)
    spmv_dot_kernel(Matrix<V, I> a, const V* b, V* x, const V* w, V* wx, V* xx, detail::Partials<V, 2> partials)
{
    LINDEN_SHARED(stages, V[groups_per_block][stage_size]);
    V sums[2]{};
    for_each_row_product(a, b, stages[thread_id() / rows_per_group], [&](size_type row, V product) {
        x[row] = product;
        sums[0] += conj(w[row]) * product;
        sums[1] += V{abs2(product)};
    });
    detail::finish_reduction<Sum>(sums, partials, StoreDots<V>{{}, wx, xx});
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

Grid spmv_grid(const Executor& exec, size_type rows)
{
    const size_type most = std::min<size_type>(
        static_cast<size_type>(gpu(exec).num_multiprocessors()) * blocks_per_multiprocessor, max_reduction_partials);
    return std::max<size_type>(1, std::min(blocks_for(rows, spmv_threads), most));
}

template <class V>
bool is_one_column(DenseView<V> x)
{
    return x.cols == 1 && x.is_contiguous();
}

template <class V, class I>
void spmv(const Executor& exec, CsrView<V, I> a, Scalar<V> alpha, DenseView<const V> b, Scalar<V> beta,
          DenseView<V> x)
{
    using D = device_type<V>;
    const Coefficients<D> c{as_device(alpha), as_device(beta)};
    if (a.rows == 0 || x.cols == 0) {
        return;
    }
    if (is_one_column(b)) {
        launch_on(exec, spmv_kernel<D, I>, spmv_grid(exec, a.rows), spmv_threads, 0, device_matrix(a), c,
                  as_device(b.values), as_device(x.values), x.stride);
    } else {
        map_elements(exec, x.rows, x.cols, MultiplyColumns<D, I>{device_matrix(a), c, as_device(b), as_device(x)});
    }
}

template <class V, class I>
void spmv_dot(const Executor& exec, CsrView<V, I> a, DenseView<const V> b, DenseView<V> x, DenseView<const V> w,
              V* wx, V* xx, WorkspaceView workspace)
{
    using D = device_type<V>;
    if (x.cols == 0) {
        return;
    }
    if (is_one_column(b) && is_one_column(x) && is_one_column(w)) {
        launch_on(exec, spmv_dot_kernel<D, I>, spmv_grid(exec, a.rows), spmv_threads, 0, device_matrix(a),
                  as_device(b.values), as_device(x.values), as_device(w.values), as_device(wx), as_device(xx),
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
