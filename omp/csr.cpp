#include "core/kernels/csr.hpp"

#include <algorithm>
#include <atomic>

#include "core/base/math.hpp"
#include "omp/csr_rows.hpp"
#include "omp/pack.hpp"
#include "omp/parallel.hpp"
#include "omp/tiles.hpp"

namespace linden::omp {
namespace {

/// The rows [first, last) of A times a tile of b: use(row, A(row, :) b(:, lanes)).  `b` points to the first lane's
/// column and has this stride, or `Width` if `Contiguous`.
template <int Width, bool Contiguous, class V, class I, class Use>
void for_each_product(CsrView<V, I> a, size_type first, size_type last, const V* b, size_type stride, Use use)
{
    if constexpr (Width == 1 && Contiguous) {
        for_each_row_product(a, first, last, b, [&](size_type row, V sum) { use(row, Pack<V, 1>::load(&sum)); });
        return;
    }
    I begin = a.row_ptrs[first];
    for (size_type row = first; row < last; ++row) {
        const I end = a.row_ptrs[row + 1];
        Pack<V, Width> sum;
        for (I k = begin; k < end; ++k) {
            const V* const b_row = b + size_type{a.col_idxs[k]} * (Contiguous ? Width : stride);
            sum.add_product(a.values[k], Pack<V, Width>::load(b_row));
        }
        use(row, sum);
        begin = end;
    }
}

/// Calls loop(whether the rows of b are `width` values apart, as a compile-time constant).
template <class Loop>
void with_contiguity(size_type stride, int width, const Loop& loop)
{
    if (stride == width) {
        loop(std::true_type{});
    } else {
        loop(std::false_type{});
    }
}

// Further tiles of columns find the rows of A in the cache, so that A is read once from memory.

template <class V, class I>
void spmv(const Executor& exec, CsrView<V, I> a, Scalar<V> alpha, DenseView<const V> b, Scalar<V> beta, DenseView<V> x)
{
    const auto tile = [=](auto lanes, size_type first, size_type last) {
        constexpr int width = lanes.width;
        const auto col = lanes.first_column;
        const auto factor = lanes.gather([&](size_type c) { return alpha[c]; });
        const auto keep = lanes.gather([&](size_type c) { return beta[c]; });
        const bool plain = lanes.all([&](size_type c) { return alpha[c] == V{1} && beta[c] == V{}; });
        V* const x_first = x.values + col;
        with_contiguity(b.stride, width, [&](auto contiguous) {
            const auto run = [&](auto use) {
                for_each_product<width, contiguous>(a, first, last, b.values + col, b.stride, use);
            };
            if (plain) {
                run([stride = x.stride, x_first](size_type row, const auto& product) {
                    product.store(x_first + row * stride);
                });
                return;
            }
            run([&](size_type row, const auto& product) {
                V* const x_row = x_first + row * x.stride;
                for (int lane = 0; lane < width; ++lane) {
                    const V t = multiply(factor[lane], V{product.lanes[lane]});
                    x_row[lane] = keep[lane] == V{} ? t : t + multiply(keep[lane], x_row[lane]);
                }
            });
        });
    };
    parallel_parts(exec, by_nonzeros(a),
                   [&](size_type begin, size_type end) { for_each_column_tile(begin, end, x.cols, tile); });
}

template <class V, class I>
void spmv_dot(const Executor& exec, CsrView<V, I> a, DenseView<const V> b, DenseView<V> x, DenseView<const V> w, V* wx,
              V* xx, WorkspaceView workspace)
{
    const auto tile = [=](auto lanes, size_type first, size_type last, V* sums) {
        constexpr int width = lanes.width;
        const auto col = lanes.first_column;
        with_contiguity(b.stride, width, [&](auto contiguous) {
            Pack<V, width> sum_wx;
            Pack<V, width> sum_xx;
            const auto use = [&sum_wx, &sum_xx, x, w, col](size_type row, const auto& product) {
                sum_wx.add_inner_product(product.load(&w(row, col)), product);
                sum_xx.add_inner_product(product, product);
                product.store(&x(row, col));
            };
            for_each_product<width, contiguous>(a, first, last, b.values + col, b.stride, use);
            for (int lane = 0; lane < width; ++lane) {
                sums[col + lane] += sum_wx.lanes[lane];
                sums[x.cols + col + lane] += sum_xx.lanes[lane];
            }
        });
    };
    const auto body = [&](size_type begin, size_type end, V* sums) {
        for_each_column_tile(begin, end, x.cols,
                             [&](auto lanes, size_type first, size_type last) { tile(lanes, first, last, sums); });
    };
    const Later finish{[cols = x.cols, wx, xx](const V* sums) {
        std::copy_n(sums, cols, wx);
        if (xx != nullptr) {
            std::copy_n(sums + cols, cols, xx);
        }
    }};
    reduce_parts<V, 2>(exec, by_nonzeros(a), x.cols, workspace, body, finish);
}

template <class I>
void find_split_rows(const Executor& exec, PatternView<I> a, I* split_rows)
{
    parallel_rows(exec, num_splits(a.num_nonzeros), [&](size_type begin, size_type end) {
        for (size_type split = begin; split < end; ++split) {
            const auto next = std::upper_bound(a.row_ptrs, a.row_ptrs + a.rows, split * split_nonzeros);
            split_rows[split] = static_cast<I>(next - a.row_ptrs - 1);
        }
    });
}

/// A part of the rows holds as many nonzeros as the others anyway.
template <class V, class I>
void spmv_nnz_split(const Executor& exec, CsrView<V, I> a, const I*, Scalar<V> alpha, DenseView<const V> b,
                    Scalar<V> beta, DenseView<V> x, WorkspaceView)
{
    spmv(exec, a, alpha, b, beta, x);
}

template <class I>
void row_lengths(const Executor& exec, PatternView<I> a, RowLengths* lengths)
{
    std::atomic<std::int64_t> longest{0}, sum_of_squares{0};  // integers: their order makes no difference
    parallel_rows(exec, a.rows, [&](size_type begin, size_type end) {
        std::int64_t most = 0;
        std::int64_t sum = 0;
        for (size_type row = begin; row < end; ++row) {
            const std::int64_t length = a.row_ptrs[row + 1] - a.row_ptrs[row];
            most = std::max(most, length);
            sum += length * length;
        }
        sum_of_squares += sum;
        for (auto old = longest.load(); old < most && !longest.compare_exchange_weak(old, most);) {
        }
    });
    *lengths = {longest, sum_of_squares};
}

template <class V, class I>
void extract_diagonal(const Executor& exec, CsrView<V, I> a, DenseView<V> d)
{
    parallel_rows(exec, d.rows, [&](size_type begin, size_type end) {
        for (size_type row = begin; row < end; ++row) {
            const I* const last = a.col_idxs + a.row_ptrs[row + 1];
            const I* const at = std::lower_bound(a.col_idxs + a.row_ptrs[row], last, static_cast<I>(row));
            d(row, 0) = at != last && *at == row ? a.values[at - a.col_idxs] : V{};
        }
    });
}

}  // namespace

void register_csr()
{
    for_each_index([]<class I>() {
        csr_find_split_rows<I>.bind(Backend::omp, find_split_rows<I>);
        csr_row_lengths<I>.bind(Backend::omp, row_lengths<I>);
    });
    for_each_value_index([]<class V, class I>() {
        csr_spmv_nnz_split<V, I>.bind(Backend::omp, spmv_nnz_split<V, I>);
        csr_spmv<V, I>.bind(Backend::omp, spmv<V, I>);
        csr_spmv_in_order<V, I>.bind(Backend::omp, spmv<V, I>);
        csr_spmv_dot<V, I>.bind(Backend::omp, spmv_dot<V, I>);
        csr_extract_diagonal<V, I>.bind(Backend::omp, extract_diagonal<V, I>);
    });
}

}  // namespace linden::omp
