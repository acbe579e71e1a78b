#include "core/kernels/stencil.hpp"

#include "omp/stencil_rows.hpp"

namespace linden::omp {
namespace {

/// A group of rows of all columns.
template <int lanes, class V, class I>
void multiply_group(const StencilView<V, I>& a, size_type first, const Scalar<V>& alpha, DenseView<const V> b,
                    const Scalar<V>& beta, DenseView<V> x)
{
    for (size_type col = 0; col < x.cols; ++col) {
        V sums[lanes];
        sum_stencil_group(a, a.values, first, b, col, sums);
        const V factor = alpha[col];
        const V keep = beta[col];
        V* const to = &x(first, col);
        if (x.stride == 1 && keep == V{}) {
            for (int i = 0; i < lanes; ++i) {
                to[i] = multiply(factor, sums[i]);
            }
            continue;
        }
        for (int i = 0; i < lanes; ++i) {
            const V product = multiply(factor, sums[i]);
            to[i * x.stride] = keep == V{} ? product : product + multiply(keep, to[i * x.stride]);
        }
    }
}

template <class V, class I>
RowPartition partition(const StencilView<V, I>& a, size_type cols)
{
    return {a.rows, (a.num_nonzeros / std::max<size_type>(a.rows, 1) + 1) * cols};
}

template <class V, class I>
void spmv(const Executor& exec, StencilView<V, I> a, Scalar<V> alpha, DenseView<const V> b, Scalar<V> beta,
          DenseView<V> x)
{
    parallel_rows(exec, partition(a, x.cols), [&](size_type begin, size_type end) {
        for_each_stencil_group(
            a, begin, end, [&](size_type first, auto lanes) { multiply_group<lanes>(a, first, alpha, b, beta, x); });
    });
}

template <class V, class I>
void spmv_dot(const Executor& exec, StencilView<V, I> a, DenseView<const V> b, DenseView<V> x, DenseView<const V> w,
              V* wx, V* xx, WorkspaceView workspace)
{
    reduce_group_dots(exec, partition(a, x.cols), w, x, wx, xx, workspace,
                      [&](size_type begin, size_type end, const auto& use) {
                          for_each_stencil_group(a, begin, end, [&](size_type first, auto lanes) {
                              multiply_group<lanes>(a, first, Scalar<V>(V{1}), b, Scalar<V>(V{0}), x);
                              use(first, lanes);
                          });
                      });
}

}  // namespace

void register_stencil()
{
    for_each_value_index([]<class V, class I>() {
        stencil_spmv<V, I>.bind(Backend::omp, spmv<V, I>);
        stencil_spmv_dot<V, I>.bind(Backend::omp, spmv_dot<V, I>);
    });
}

}  // namespace linden::omp
