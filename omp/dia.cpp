#include "core/kernels/dia.hpp"

#include "omp/dots.hpp"

namespace linden::omp {
namespace {

/// So many rows are summed at a time, diagonal by diagonal: their sums stay in the nearest cache.
inline constexpr size_type block_rows = 256;

/// sums[i] := sums[i] + d[i] b[i stride]
template <class V>
void add_diagonal(size_type count, const V* d, const V* b, size_type stride, V* sums)
{
    if (stride == 1) {
#pragma omp simd
        for (size_type i = 0; i < count; ++i) {
            sums[i] += multiply(d[i], b[i]);
        }
    } else {
        for (size_type i = 0; i < count; ++i) {
            sums[i] += multiply(d[i], b[i * stride]);
        }
    }
}

/// Rows [first, last), at most `block_rows`, of all columns: further columns find the rows of A in the cache.
template <class V, class I>
void multiply_rows(const DiaView<V, I>& a, size_type first, size_type last, const Scalar<V>& alpha,
                   DenseView<const V> b, const Scalar<V>& beta, DenseView<V> x)
{
    const auto& layout = a.layout;
    for (size_type col = 0; col < x.cols; ++col) {
        V sums[block_rows]{};
        for (size_type d = 0; d < layout.num_diagonals; ++d) {
            const size_type offset = layout.offsets[d];
            const size_type begin = std::max(first, -offset);
            const size_type end = std::min(last, layout.cols - offset);
            if (begin < end) {
                add_diagonal(end - begin, a.values + d * layout.stride + begin, &b(begin + offset, col), b.stride,
                             sums + (begin - first));
            }
        }
        const V factor = alpha[col];
        const V keep = beta[col];
        for (size_type row = first; row < last; ++row) {
            const V product = multiply(factor, sums[row - first]);
            x(row, col) = keep == V{} ? product : product + multiply(keep, x(row, col));
        }
    }
}

template <class V, class I>
void spmv(const Executor& exec, DiaView<V, I> a, Scalar<V> alpha, DenseView<const V> b, Scalar<V> beta, DenseView<V> x)
{
    parallel_rows(exec, {x.rows, (a.layout.num_diagonals + 1) * x.cols}, [&](size_type begin, size_type end) {
        for (size_type first = begin; first < end; first += block_rows) {
            multiply_rows(a, first, std::min(first + block_rows, end), alpha, b, beta, x);
        }
    });
}

template <class V, class I>
void spmv_dot(const Executor& exec, DiaView<V, I> a, DenseView<const V> b, DenseView<V> x, DenseView<const V> w, V* wx,
              V* xx, WorkspaceView workspace)
{
    const RowPartition rows{x.rows, (a.layout.num_diagonals + 1) * x.cols};
    reduce_dots<V>(exec, rows, x.cols, wx, xx, workspace, [&](size_type begin, size_type end, V* sums) {
        for (size_type first = begin; first < end; first += block_rows) {
            const size_type last = std::min(first + block_rows, end);
            multiply_rows<V, I>(a, first, last, V{1}, b, V{0}, x);
            add_dots(
                first, last, [](size_type row) { return row; }, w, x, sums);
        }
    });
}

}  // namespace

void register_dia()
{
    for_each_value_index([]<class V, class I>() {
        dia_spmv<V, I>.bind(Backend::omp, spmv<V, I>);
        dia_spmv_dot<V, I>.bind(Backend::omp, spmv_dot<V, I>);
    });
}

}  // namespace linden::omp
