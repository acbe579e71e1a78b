#include "core/kernels/csr.hpp"

#include "gpu/matrix/csr_rows.cuh"
#include "gpu/matrix/nnz_split.cuh"

/// Products go tile by tile (csr_rows.cuh), with several right-hand sides by lanes across the columns, so that a row's
/// nonzeros are read once for up to 64 packs of columns. Rows of very uneven lengths go by nnz split (splits.cuh).
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

/// x := A b
template <class Shape, class V>
struct StorePacks {
    DenseView<V> x;

    struct Local {};
    __device__ Local prepare(int) const { return {}; }
    __device__ void operator()(size_type row, int col, int, const Local&, Pack<V, Shape::width> products) const
    {
        store_vec(x.values + row * x.stride + col, bits_to<Vec<V, Shape::width>>(products));
    }
};

/// x := alpha A b + beta x
template <class Shape, class V>
struct CombinePacks {
    Coefficients<V> c;
    size_type first_col;
    DenseView<V> x;

    struct Local {
        Pack<V, Shape::width> alpha[Shape::packs], beta[Shape::packs];
        bool reads_old = false;
    };
    __device__ Local prepare(int lanes) const
    {
        Local local;
        LINDEN_UNROLL
        for (int p = 0; p < Shape::packs; ++p) {
            LINDEN_UNROLL
            for (int i = 0; i < Shape::width; ++i) {
                const size_type col = column_of_pack<Shape>(p, lanes) + i;
                const bool exists = col < x.cols;
                local.alpha[p].v[i] = exists ? c.alpha[first_col + col] : V{};
                local.beta[p].v[i] = exists ? c.beta[first_col + col] : V{};
                local.reads_old |= !(local.beta[p].v[i] == V{});
            }
        }
        return local;
    }
    __device__ void operator()(size_type row, int col, int p, const Local& local, Pack<V, Shape::width> products) const
    {
        V* const target = x.values + row * x.stride + col;
        auto result = local.alpha[p] * products;
        if (local.reads_old) {
            const auto old = load_vec<Shape::width>(target);
            LINDEN_UNROLL
            for (int i = 0; i < Shape::width; ++i) {
                const V beta = local.beta[p].v[i];
                result.v[i] = beta == V{} ? result.v[i] : result.v[i] + beta * old[i];
            }
        }
        store_vec(target, bits_to<Vec<V, Shape::width>>(result));
    }
};

template <class Shape, class V, class I, class Store>
__global__ void __launch_bounds__(columns_threads, Shape::blocks)
    spmm_kernel(Matrix<V, I> a, int lanes, int tile_rows, DenseView<const V> b, Store store)
{
    wait_for_previous_kernel();
    const auto local = store.prepare(lanes);
    for_each_row_products<Shape>(a, lanes, tile_rows, b, [&](size_type row, int p, Pack<V, Shape::width> products) {
        store(row, column_of_pack<Shape>(p, lanes), p, local, products);
    });
}

/// w^H x and x^H x by columns.
template <class V>
struct DotColumns : NothingToPrepare, StoreDots<V> {
    DenseView<const V> x, w;

    __device__ void operator()(Place<1> at, Nothing, V (&sums)[2]) const
    {
        sums[0] += conj(w(at.row, at.col)) * x(at.row, at.col);
        sums[1] += V{abs2(x(at.row, at.col))};
    }
};

/// x := beta x
template <class V>
struct StoreZeros : NothingToPrepare {
    StoreRow<V> store;

    __device__ void operator()(Place<1> at, Nothing) const { store(at.row, at.col, V{}); }
};

template <class I>
struct FindSplitRows : NothingToPrepare {
    PatternView<I> a;
    I* split_rows;

    __device__ void operator()(Place<1> at, Nothing) const
    {
        split_rows[at.row] = row_of(a.row_ptrs, at.row * split_nonzeros, I{}, static_cast<I>(a.rows - 1));
    }
};

/// Adds to the sum and raises the maximum, both of integers, whose order makes no difference.
template <class I>
__global__ void __launch_bounds__(column_block_threads) row_lengths_kernel(PatternView<I> a, RowLengths* lengths)
{
    std::int64_t longest[1]{};
    std::int64_t sum[1]{};
    for (size_type row = global_id(); row < a.rows; row += grid_threads()) {
        const std::int64_t length = a.row_ptrs[row + 1] - a.row_ptrs[row];
        longest[0] = Max{}(longest[0], length);
        sum[0] += length * length;
    }
    block_reduce<column_block_threads, Max>(longest);
    block_reduce<column_block_threads>(sum);
    if (thread_id() == 0) {
        atomic_add(&lengths->sum_of_squares, sum[0]);
        for (std::int64_t old = lengths->longest; old < longest[0];) {
            const std::int64_t seen = atomic_cas(&lengths->longest, old, longest[0]);
            old = seen == old ? longest[0] : seen;
        }
    }
}

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

/// Whether rows consist of packs of 16 bytes, and are less than 4 GiB apart.
template <class V>
bool can_pack(DenseView<const V> x)
{
    constexpr int width = max_vec<V>;
    return x.cols % width == 0 && x.stride % width == 0 && reinterpret_cast<std::uintptr_t>(x.values) % 16 == 0 &&
           x.stride <= std::numeric_limits<std::uint32_t>::max() / size_type{sizeof(V)};
}

/// Whether x := alpha A b + beta x is known to be x := A b.
template <class V>
bool is_plain(const Coefficients<V>& c)
{
    return c.alpha.data == nullptr && c.beta.data == nullptr && c.alpha.value == V{1} && c.beta.value == V{};
}

/// A product with up to max_column_lanes threads to a row.
template <class Shape, class V, class I, class Store>
void launch_spmm(const Executor& exec, const Matrix<V, I>& a, DenseView<const V> b, Store store)
{
    int lanes = 1;
    while (lanes * Shape::width * Shape::packs < b.cols) {
        lanes *= 2;
    }
    const size_type max_blocks = static_cast<size_type>(gpu(exec).num_multiprocessors()) * Shape::blocks;
    const int tile_rows = rows_of_columns_tile<Shape>(a, columns_threads / lanes, max_blocks);
    const size_type blocks = std::min(blocks_for(a.rows, tile_rows), max_blocks);
    launch_overlapped_on(exec, spmm_kernel<Shape, V, I, Store>, blocks, columns_threads, Shape::Stages::shared_bytes, a,
                         lanes, tile_rows, b, store);
}

/// x := alpha A b + beta x for a block of columns, the first of which is `first_col`.
template <int W, int P, class V, class I>
void spmm_block(const Executor& exec, const Matrix<V, I>& a, Coefficients<V> c, size_type first_col,
                DenseView<const V> b, DenseView<V> x)
{
    if (is_plain(c)) {
        using Shape = ColumnsShape<W, P, false, V, I>;
        launch_spmm<Shape>(exec, a, b, StorePacks<Shape, V>{x});
    } else {
        using Shape = ColumnsShape<W, P, true, V, I>;
        launch_spmm<Shape>(exec, a, b, CombinePacks<Shape, V>{c, first_col, x});
    }
}

/// x := alpha A b + beta x in packs of W columns: two to a thread where rows are wider than a line of the cache, so
/// that a nonzero is read for both at once.
template <int W, class V, class I>
void spmm(const Executor& exec, const Matrix<V, I>& a, Coefficients<V> c, DenseView<const V> b, DenseView<V> x)
{
    constexpr int wide = 2 * max_column_lanes * W;
    for (size_type col = 0; col < x.cols; col += wide) {
        const size_type cols = std::min<size_type>(x.cols - col, wide);
        const DenseView<const V> b_block{b.rows, cols, b.stride, b.values + col};
        const DenseView<V> x_block{x.rows, cols, x.stride, x.values + col};
        if (cols > 4 * W) {
            spmm_block<W, 2>(exec, a, c, col, b_block, x_block);
        } else {
            spmm_block<W, 1>(exec, a, c, col, b_block, x_block);
        }
    }
}

/// With up to `most_lanes` threads to a row.
template <class V, class I>
void multiply(const Executor& exec, CsrView<V, I> a, Scalar<V> alpha, DenseView<const V> b, Scalar<V> beta,
              DenseView<V> x, int most_lanes)
{
    using D = device_type<V>;
    const Coefficients<D> c{as_device(alpha), as_device(beta)};
    if (a.rows == 0 || x.cols == 0) {
        return;
    }
    if (is_one_column(b)) {
        const auto matrix = device_matrix(a);
        const auto shape = tile_shape(exec, matrix, most_lanes);
        launch_overlapped_on(exec, spmv_kernel<D, I>, shape.grid, tile_threads, StageShape<D, I>::shared_bytes, matrix,
                             shape.lanes, shape.tile_rows, c, as_device(b.values), as_device(x.values), x.stride);
    } else if (can_pack(b) && can_pack(DenseView<const V>(x))) {
        spmm<max_vec<D>>(exec, device_matrix(a), c, as_device(b), as_device(x));
    } else {
        spmm<1>(exec, device_matrix(a), c, as_device(b), as_device(x));
    }
}

template <class V, class I>
void spmv(const Executor& exec, CsrView<V, I> a, Scalar<V> alpha, DenseView<const V> b, Scalar<V> beta, DenseView<V> x)
{
    multiply(exec, a, alpha, b, beta, x, 32);
}

template <class V, class I>
void spmv_in_order(const Executor& exec, CsrView<V, I> a, Scalar<V> alpha, DenseView<const V> b, Scalar<V> beta,
                   DenseView<V> x)
{
    multiply(exec, a, alpha, b, beta, x, 1);
}

template <class V, class I>
void spmv_dot(const Executor& exec, CsrView<V, I> a, DenseView<const V> b, DenseView<V> x, DenseView<const V> w, V* wx,
              V* xx, WorkspaceView workspace)
{
    using D = device_type<V>;
    if (x.cols == 0) {
        return;
    }
    if (a.rows > 0 && is_one_column(b) && is_one_column(x) && is_one_column(w)) {
        const auto matrix = device_matrix(a);
        const auto shape = tile_shape(exec, matrix);
        const StoreDots<D> store{{}, as_device(wx), as_device(xx)};
        launch_overlapped_on(exec, spmv_dot_kernel<D, I>, shape.grid, tile_threads, StageShape<D, I>::shared_bytes,
                             matrix, shape.lanes, shape.tile_rows, as_device(b.values), as_device(x.values),
                             as_device(w.values), store, detail::partials_in<D, 2>(workspace));
        detail::finish_over_ranks<Sum, D, 2>(exec, workspace, 1, store);
    } else {
        spmv(exec, a, Scalar<V>(V{1}), b, Scalar<V>(V{}), x);
        const DotColumns<D> body{
            {}, {{}, as_device(wx), as_device(xx)}, as_device(DenseView<const V>(x)), as_device(w)};
        reduce_elements<D, 2>(exec, workspace, x.rows, x.cols, body, body);
    }
}

template <class I>
void find_split_rows(const Executor& exec, PatternView<I> a, I* split_rows)
{
    map_elements(exec, num_splits(a.num_nonzeros), 1, FindSplitRows<I>{{}, a, split_rows});
}

template <class V, class I>
void spmv_nnz_split(const Executor& exec, CsrView<V, I> a, const I* split_rows, Scalar<V> alpha, DenseView<const V> b,
                    Scalar<V> beta, DenseView<V> x, WorkspaceView workspace)
{
    using D = device_type<V>;
    const StoreRow<D> store{as_device(alpha), as_device(beta), as_device(x)};
    if (a.num_nonzeros == 0) {
        map_elements(exec, x.rows, x.cols, StoreZeros<D>{{}, store});
        return;
    }
    multiply_nnz_split<D, I>(exec, CsrRows<I>{a.rows, a.num_nonzeros, a.row_ptrs, split_rows}, a.num_nonzeros,
                             a.col_idxs, as_device(a.values), as_device(b), store, workspace);
}

template <class I>
void row_lengths(const Executor& exec, PatternView<I> a, RowLengths* lengths)
{
    exec.state().fill_zero(lengths, sizeof *lengths);
    const auto shape = detail::column_shape(exec, a.rows, 1, 1);
    launch_on(exec, row_lengths_kernel<I>, shape.grid, column_block_threads, 0, a, lengths);
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
    for_each_index([]<class I>() {
        csr_find_split_rows<I>.bind(this_backend, find_split_rows<I>);
        csr_row_lengths<I>.bind(this_backend, row_lengths<I>);
    });
    for_each_value_index([]<class V, class I>() {
        csr_spmv_nnz_split<V, I>.bind(this_backend, spmv_nnz_split<V, I>);
        csr_spmv<V, I>.bind(this_backend, spmv<V, I>);
        csr_spmv_in_order<V, I>.bind(this_backend, spmv_in_order<V, I>);
        csr_spmv_dot<V, I>.bind(this_backend, spmv_dot<V, I>);
        csr_extract_diagonal<V, I>.bind(this_backend, extract_diagonal<V, I>);
    });
}

}  // namespace linden::LINDEN_GPU_NAMESPACE
