#include "core/kernels/permutation.hpp"

#include "core/base/math.hpp"
#include "omp/parallel.hpp"
#include "omp/tiles.hpp"

namespace linden::omp {
namespace {

template <class I>
void invert(const Executor& exec, size_type n, const I* p, I* inverse, size_type* num_invalid)
{
    const auto in_range = [&](I row) { return row >= 0 && row < n; };
    // Of several i with the same p[i] one wins, whichever: the number of those that lose is always the same.
    parallel_rows(exec, n, [&](size_type begin, size_type end) {
        for (size_type i = begin; i < end; ++i) {
            if (in_range(p[i])) {
#pragma omp atomic write
                inverse[p[i]] = static_cast<I>(i);
            }
        }
    });
    *num_invalid = 0;
    parallel_rows(exec, n, [&](size_type begin, size_type end) {
        size_type invalid = 0;
        for (size_type i = begin; i < end; ++i) {
            invalid += !in_range(p[i]) || inverse[p[i]] != i;
        }
#pragma omp atomic
        *num_invalid += invalid;
    });
}

template <class V, class I>
void apply(const Executor& exec, const I* p, Scalar<V> alpha, DenseView<const V> b, Scalar<V> beta, DenseView<V> x)
{
    const auto tile = [&](auto lanes, size_type first, size_type last) {
        const auto factor = lanes.gather([&](size_type col) { return alpha[col]; });
        const auto keep = lanes.gather([&](size_type col) { return beta[col]; });
        for (size_type row = first; row < last; ++row) {
            for (int lane = 0; lane < lanes.width; ++lane) {
                V& value = x(row, lanes.column(lane));
                const V t = multiply(factor[lane], b(p[row], lanes.column(lane)));
                value = keep[lane] == V{} ? t : t + multiply(keep[lane], value);
            }
        }
    };
    parallel_rows(exec, {x.rows, x.cols},
                  [&](size_type begin, size_type end) { for_each_column_tile(begin, end, x.cols, tile); });
}

}  // namespace

void register_permutation()
{
    for_each_index([]<class I>() { permutation_invert<I>.bind(Backend::omp, invert<I>); });
    for_each_value_index([]<class V, class I>() { permutation_apply<V, I>.bind(Backend::omp, apply<V, I>); });
}

}  // namespace linden::omp
