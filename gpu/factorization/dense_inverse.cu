#include "core/portable/dense_inverse.hpp"

#include "core/portable/stored.hpp"
#include "gpu/factorization/dense_inverse_columns.cuh"
#include "gpu/factorization/dense_inverse_window.cuh"
#include "gpu/vector/elements.cuh"

/// Rows change places once all pivots of a panel are known; a thread has a column of them.
namespace linden::LINDEN_GPU_NAMESPACE {
namespace {

constexpr int exchange_threads = 64;

/// `order` with the rows, by a wave; source and target: see exchange_rows.
__device__ inline void exchange_order(std::int32_t* order, int rows, const std::int32_t* source,
                                      const std::int32_t* target)
{
    const int lane = Wave::lane();
    const std::int32_t own = lane < rows ? order[lane] : 0;
    const std::int32_t incoming = lane < rows ? order[source[lane]] : 0;
    Wave::sync();
    if (lane < rows) {
        order[lane] = incoming;
    }
    if (lane < rows && target[lane] >= 0) {
        order[target[lane]] = own;
    }
}

/// Row c of the block becomes row source[c]; its own row t goes to target[t], if that is not negative.
template <class W, class R>
__global__ void __launch_bounds__(exchange_threads) exchange_rows(Panel<W, R> panel, std::int32_t* order)
{
    LINDEN_SHARED(source, std::int32_t[block_rows]);
    LINDEN_SHARED(target, std::int32_t[block_rows]);
    LINDEN_SHARED(block, W[block_rows][exchange_threads]);
    const int rows = panel.columns;
    if (thread_id() < rows) {
        source[thread_id()] = panel.pivots[thread_id()];
    }
    block_barrier();
    if (thread_id() < rows) {
        target[thread_id()] = RowExchange{source, rows}.target(thread_id());
    }
    block_barrier();
    if (block_id() == 0 && thread_id() < Wave::size) {
        exchange_order(order + panel.first, rows, source, target);
    }
    const size_type col = global_id();
    bool is_in_order = true;
    for (int c = 0; c < rows; ++c) {
        is_in_order = is_in_order && source[c] == c;
    }
    if (is_in_order || col >= panel.size) {
        return;
    }
    W* const column = panel.values + panel.first * panel.size + col;
    const auto own = [&](int t) -> W& { return block[t][thread_id()]; };
#pragma unroll 8
    for (int t = 0; t < rows; ++t) {
        own(t) = column[t * panel.size];
    }
#pragma unroll 8
    for (int c = 0; c < rows; ++c) {
        const W incoming = source[c] < rows ? own(source[c]) : column[source[c] * panel.size];
        column[c * panel.size] = incoming;
    }
    for (int t = 0; t < rows; ++t) {
        if (target[t] >= 0) {
            column[target[t] * panel.size] = own(t);
        }
    }
}

template <class W, class R>
void find_pivots(const Executor& exec, const Panel<W, R>& panel)
{
    if (panel.num_rows() <= most_panel_rows) {
        launch_on(exec, find_pivots_in_block<W, R>, 1, panel_threads, 0, panel);
        return;
    }
    const size_type blocks = blocks_for(panel.num_rows(), column_threads);
    launch_on(exec, copy_panel<W, R>, blocks, column_threads, 0, panel);
    for (int col = 0; col < panel.columns; ++col) {
        launch_on(exec, take_column<W, R>, blocks, column_threads, 0, panel, col);
    }
}

template <class V>
void pivot_rows(const Executor& exec, GalerkinView<V> e, std::int32_t* order, size_type first, WorkspaceView workspace)
{
    using W = device_type<wide_t<V>>;
    using R = real_t<V>;
    const size_type n = e.size, rows = n - first;
    const size_type blocks = blocks_for(rows, column_threads);
    auto* const copy = reinterpret_cast<W*>(workspace.data);
    auto* const candidates = reinterpret_cast<Candidate*>(copy + block_rows * n);
    auto* const is_taken = reinterpret_cast<std::int32_t*>(candidates + 2 * blocks);
    const int columns = static_cast<int>(std::min<size_type>(block_rows, rows));
    const Panel<W, R> panel{as_device(e.values), e.scales, e.is_kept,      e.tolerance, n, first, columns, copy,
                            candidates,          is_taken, is_taken + rows};
    find_pivots(exec, panel);
    launch_on(exec, exchange_rows<W, R>, blocks_for(n, exchange_threads), exchange_threads, 0, panel, order);
}

constexpr int apply_threads = 128;
constexpr int apply_columns = 4;
/// Rows that a wave has together where there are enough for all: it loads b once for them.
constexpr int apply_rows = 4;

/// Products of `rows` rows with one contiguous, aligned column, by a wave whose lanes load vectors of N values.
template <class V, class S, int rows>
struct VectorProducts {
    static constexpr int N = max_vec<V>;
    /// 128 bytes of a lane are on their way, or 16 loads.
    static constexpr int in_flight = 128 / static_cast<int>(N * sizeof(S)) > 16
                                         ? 16 / rows
                                         : 128 / static_cast<int>(N * sizeof(S)) / rows;
    static constexpr int step = N * Wave::size;

    DenseView<const S> w;
    const V* b;
    size_type first_row;
    size_type vectors_end;  ///< columns in whole vectors
    Vec<S, N> entries[rows][in_flight];
    V sums[rows] = {};

    __device__ VectorProducts(DenseView<const S> matrix, const V* vector, size_type first)
        : w(matrix),
          b(vector),
          first_row(first),
          vectors_end(matrix.cols / N * N)
    {
    }

    __device__ const S* row(int r) const
    {
        const size_type i = first_row + r < w.rows ? first_row + r : w.rows - 1;
        return w.values + i * w.stride;
    }
    __device__ void load(size_type begin)
    {
        LINDEN_UNROLL
        for (int i = 0; i < in_flight; ++i) {
            const size_type j = begin + i * step;
            LINDEN_UNROLL
            for (int r = 0; r < rows; ++r) {
                entries[r][i] = j < vectors_end ? load_vec<N>(row(r) + j) : Vec<S, N>{};
            }
        }
    }
    __device__ void multiply(size_type begin)
    {
        LINDEN_UNROLL
        for (int i = 0; i < in_flight; ++i) {
            const size_type j = begin + i * step;
            if (j < vectors_end) {
                const auto values = load_vec<N>(b + j);
                LINDEN_UNROLL
                for (int r = 0; r < rows; ++r) {
                    LINDEN_UNROLL
                    for (int l = 0; l < N; ++l) {
                        sums[r] += to_arithmetic<V>(entries[r][i][l]) * values[l];
                    }
                }
            }
        }
    }
    /// After load(first): adds up the rest, the entries beyond whole vectors last.
    __device__ void finish(size_type first)
    {
        multiply(first);
        for (size_type j = first + in_flight * step; j < vectors_end; j += in_flight * step) {
            load(j);
            multiply(j);
        }
        const size_type last = vectors_end + Wave::lane();
        if (last < w.cols) {
            LINDEN_UNROLL
            for (int r = 0; r < rows; ++r) {
                sums[r] += to_arithmetic<V>(row(r)[last]) * b[last];
            }
        }
    }
};

template <class V, class S, int rows>
__global__ void __launch_bounds__(apply_threads)
    apply_vectors(DenseView<const S> w, DenseView<const V> b, DenseView<V> x)
{
    let_next_kernel_begin();
    const size_type row = Wave::index() * rows;
    if (row >= w.rows) {
        return;
    }
    VectorProducts<V, S, rows> products(w, b.values, row);
    const size_type first = size_type{Wave::lane()} * products.N;
    products.load(first);  // the inverse has been there all along
    wait_for_previous_kernel();
    products.finish(first);
    LINDEN_UNROLL
    for (int r = 0; r < rows; ++r) {
        const V sum = Wave::sum(products.sums[r]);
        if (Wave::lane() == 0 && row + r < w.rows) {
            x(row + r, 0) = sum;
        }
    }
}

/// Any strides and number of columns, some at a time; a row each wave.
template <class V, class S>
__global__ void __launch_bounds__(apply_threads)
    apply_columns_kernel(DenseView<const S> w, DenseView<const V> b, DenseView<V> x)
{
    let_next_kernel_begin();
    wait_for_previous_kernel();
    const size_type row = Wave::index();
    if (row >= w.rows) {
        return;
    }
    const S* const entries = w.values + row * w.stride;
    for (size_type first = 0; first < b.cols; first += apply_columns) {
        V sums[apply_columns] = {};
#pragma unroll 4
        for (size_type j = Wave::lane(); j < w.cols; j += Wave::size) {
            const V value = to_arithmetic<V>(entries[j]);
            LINDEN_UNROLL
            for (int c = 0; c < apply_columns; ++c) {
                if (first + c < b.cols) {
                    sums[c] += value * b(j, first + c);
                }
            }
        }
        LINDEN_UNROLL
        for (int c = 0; c < apply_columns; ++c) {
            const V sum = Wave::sum(sums[c]);
            if (Wave::lane() == 0 && first + c < b.cols) {
                x(row, first + c) = sum;
            }
        }
    }
}

template <int bytes>
bool is_aligned(const void* p)
{
    return reinterpret_cast<std::uintptr_t>(p) % bytes == 0;
}

template <class V, class S>
void apply(const Executor& exec, DenseView<const S> w, DenseView<const V> b, DenseView<V> x)
{
    using D = device_type<V>;
    using E = device_type<S>;
    constexpr int N = max_vec<D>;
    constexpr int waves = apply_threads / Wave::size;
    if (w.rows == 0 || b.cols == 0) {
        return;
    }
    const DenseView<const E> matrix{w.rows, w.cols, w.stride, as_device(w.values)};
    const bool has_vectors = b.cols == 1 && b.stride == 1 && w.stride % N == 0 && is_aligned<16>(b.values) &&
                             is_aligned<N* static_cast<int>(sizeof(S))>(w.values);
    const bool has_many = w.rows >= size_type{apply_rows} * 2 * waves * gpu(exec).num_multiprocessors();
    const auto run = [&](auto* kernel, int rows_per_wave) {
        launch_overlapped_on(exec, kernel, blocks_for(w.rows, waves, rows_per_wave), apply_threads, 0, matrix,
                             as_device(b), as_device(x));
    };
    if (!has_vectors) {
        run(apply_columns_kernel<D, E>, 1);
    } else if (has_many) {
        run(apply_vectors<D, E, apply_rows>, apply_rows);
    } else {
        run(apply_vectors<D, E, 1>, 1);
    }
}

}  // namespace

void register_dense_inverse()
{
    for_each_value([]<class V>() { dense_inverse_pivot_rows<V>.bind(this_backend, pivot_rows<V>); });
    for_each_inverse_type([]<class V, class S>() { dense_inverse_apply<V, S>.bind(this_backend, apply<V, S>); });
}

}  // namespace linden::LINDEN_GPU_NAMESPACE
