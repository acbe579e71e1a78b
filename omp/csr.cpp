#include "core/kernels/csr.hpp"

#include <algorithm>

#include "core/base/math.hpp"
#include "omp/parallel.hpp"
#include "omp/tiles.hpp"

namespace linden::omp {
namespace {

/// A(row, :) b(:, first columns of a tile).  b has this stride, or 1 where `Contiguous`.
template <int Width, bool Contiguous, class V, class I>
std::array<V, Width> row_product(const CsrView<V, I>& a, I begin, I end, const V* b, size_type stride)
{
    std::array<V, Width> sum{};
    for (I k = begin; k < end; ++k) {
        const V* const b_row = b + size_type{a.col_idxs[k]} * (Contiguous ? Width : stride);
        for (int lane = 0; lane < Width; ++lane) {
            sum[lane] += multiply(a.values[k], b_row[lane]);
        }
    }
    return sum;
}

/// Calls use(lanes, row, A(row, :) b(:, lanes)) for the rows of a tile. Rows of A are read once from memory for all
/// columns: tiles of further columns find them in the cache.
template <class V, class I, class L, class Use>
void for_each_product(L lanes, size_type first, size_type last, const CsrView<V, I>& a, const DenseView<const V>& b,
                      const Use& use)
{
    const V* const b_first = b.values + lanes.first_column;
    const auto run = [&](auto contiguous) {
        I begin = a.row_ptrs[first];
        for (size_type row = first; row < last; ++row) {
            const I end = a.row_ptrs[row + 1];
            use(row, row_product<L::width, contiguous>(a, begin, end, b_first, b.stride));
            begin = end;
        }
    };
    if (b.stride == L::width) {
        run(std::true_type{});
    } else {
        run(std::false_type{});
    }
}

template <class V, class I>
void spmv(const Executor& exec, CsrView<V, I> a, Scalar<V> alpha, DenseView<const V> b, Scalar<V> beta, DenseView<V> x)
{
    const auto tile = [&](auto lanes, size_type first, size_type last) {
        constexpr int width = lanes.width;
        const auto factor = lanes.gather([&](size_type col) { return alpha[col]; });
        const auto keep = lanes.gather([&](size_type col) { return beta[col]; });
        V* const x_first = x.values + lanes.first_column;
        if (lanes.all([&](size_type col) { return beta[col] == V{}; })) {
            for_each_product(lanes, first, last, a, b, [&](size_type row, const std::array<V, width>& product) {
                for (int lane = 0; lane < width; ++lane) {
                    x_first[row * x.stride + lane] = multiply(factor[lane], product[lane]);
                }
            });
            return;
        }
        for_each_product(lanes, first, last, a, b, [&](size_type row, const std::array<V, width>& product) {
            for (int lane = 0; lane < width; ++lane) {
                V& value = x_first[row * x.stride + lane];
                const V t = multiply(factor[lane], product[lane]);
                value = keep[lane] == V{} ? t : t + multiply(keep[lane], value);
            }
        });
    };
    parallel_parts(exec, by_nonzeros(a),
                   [&](size_type begin, size_type end) { for_each_column_tile(begin, end, x.cols, tile); });
}

template <class V, class I>
void spmv_dot(const Executor& exec, CsrView<V, I> a, DenseView<const V> b, DenseView<V> x, DenseView<const V> w, V* wx,
              V* xx, WorkspaceView workspace)
{
    const auto body = [&](size_type begin, size_type end, V* sums) {
        for_each_column_tile(begin, end, x.cols, [&](auto lanes, size_type first, size_type last) {
            constexpr int width = lanes.width;
            const auto col = lanes.first_column;
            std::array<V, width> sum_wx{};
            std::array<V, width> sum_xx{};
            for_each_product(lanes, first, last, a, b, [&](size_type row, const std::array<V, width>& product) {
                for (int lane = 0; lane < width; ++lane) {
                    x(row, col + lane) = product[lane];
                    sum_wx[lane] += multiply(conjugate(w(row, col + lane)), product[lane]);
                    sum_xx[lane] += squared_abs(product[lane]);
                }
            });
            lanes.add(sum_wx, sums);
            lanes.add(sum_xx, sums + x.cols);
        });
    };
    const auto finish = [&](const V* sums) {
        std::copy_n(sums, x.cols, wx);
        if (xx != nullptr) {
            std::copy_n(sums + x.cols, x.cols, xx);
        }
    };
    reduce_parts<V, 2>(exec, by_nonzeros(a), x.cols, workspace, body, finish);
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
    for_each_value_index([]<class V, class I>() {
        csr_spmv<V, I>.bind(Backend::omp, spmv<V, I>);
        csr_spmv_dot<V, I>.bind(Backend::omp, spmv_dot<V, I>);
        csr_extract_diagonal<V, I>.bind(Backend::omp, extract_diagonal<V, I>);
    });
}

}  // namespace linden::omp
