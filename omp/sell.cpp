#include "core/kernels/sell.hpp"

#include "omp/dots.hpp"
#include "omp/sell_partition.hpp"

namespace linden::omp {
namespace {

/// Positions [first, first + count) of a slice, at most `sell_lanes`; all columns, for which the entries stay in the
/// cache.
template <class V, class S, class J>
void multiply_rows(const SellView<S, J>& a, size_type slice, size_type first, size_type count, const Scalar<V>& alpha,
                   DenseView<const V> b, const Scalar<V>& beta, DenseView<V> x)
{
    // One loop over vectors, as restrictions of multigrid need it.
    const bool is_vector = x.cols == 1 && x.stride == 1 && b.stride == 1 && a.layout.row_order == nullptr;
    if (is_vector && count == sell_lanes && beta[0] == V{}) {
        V sums[sell_lanes];
        sum_rows_of_column<true, true>(a, slice, first, count, b.values, 1, sums);
        for (size_type i = 0; i < sell_lanes; ++i) {
            x.values[first + i] = multiply(alpha[0], sums[i]);
        }
        return;
    }
    sum_rows(a, slice, first, count, b, [&](size_type col, const V* sums) {
        const V factor = alpha[col];
        const V keep = beta[col];
        for (size_type i = 0; i < count; ++i) {
            V& target = x(a.layout.row(first + i), col);
            const V product = multiply(factor, sums[i]);
            target = keep == V{} ? product : product + multiply(keep, target);
        }
    });
}

template <class V, class S, class J>
void spmv(const Executor& exec, SellView<S, J> a, Scalar<V> alpha, DenseView<const V> b, Scalar<V> beta, DenseView<V> x)
{
    const auto multiply_run = [&](size_type slice, size_type begin, size_type end) {
        for (size_type first = begin; first < end; first += sell_lanes) {
            multiply_rows(a, slice, first, std::min(sell_lanes, end - first), alpha, b, beta, x);
        }
    };
    with_partition(a, x.cols, [&](const auto& partition, const auto& positions) {
        parallel_parts(exec, partition, [&](size_type begin, size_type end) { positions(begin, end, multiply_run); });
    });
}

template <class V, class S, class J>
void spmv_dot(const Executor& exec, SellView<S, J> a, DenseView<const V> b, DenseView<V> x, DenseView<const V> w, V* wx,
              V* xx, WorkspaceView workspace)
{
    const auto row_at = [&](size_type position) { return a.layout.row(position); };
    const auto multiply_run = [&](size_type slice, size_type begin, size_type end, V* sums) {
        for (size_type first = begin; first < end; first += sell_lanes) {
            const size_type count = std::min(sell_lanes, end - first);
            multiply_rows<V>(a, slice, first, count, V{1}, b, V{0}, x);
            add_dots(first, first + count, row_at, w, x, sums);
        }
    };
    with_partition(a, x.cols, [&](const auto& partition, const auto& positions) {
        reduce_dots<V>(exec, partition, x.cols, wx, xx, workspace, [&](size_type begin, size_type end, V* sums) {
            positions(begin, end, [&](size_type slice, size_type first, size_type last) {
                multiply_run(slice, first, last, sums);
            });
        });
    });
}

}  // namespace

void register_sell()
{
    for_each_sell_type([]<class V, class S, class J>() {
        sell_spmv<V, S, J>.bind(Backend::omp, spmv<V, S, J>);
        sell_spmv_dot<V, S, J>.bind(Backend::omp, spmv_dot<V, S, J>);
    });
}

}  // namespace linden::omp
