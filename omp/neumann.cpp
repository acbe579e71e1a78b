#include "core/kernels/neumann.hpp"

#include "omp/sell_partition.hpp"

namespace linden::omp {
namespace {

template <class V, class S, class J>
void term(const Executor& exec, SellView<S, J> t, const V* d, DenseView<const V> b, DenseView<const V> y,
          DenseView<V> x)
{
    const auto rows = [&](size_type slice, size_type first, size_type count) {
        sum_rows(t, slice, first, count, y, [&](size_type col, const V* sums) {
            for (size_type i = 0; i < count; ++i) {
                const size_type row = first + i;
                const V difference = b(row, col) - sums[i];
                x(row, col) = d == nullptr ? difference : multiply(d[row], difference);
            }
        });
    };
    const auto run = [&](size_type slice, size_type begin, size_type end) {
        for (size_type first = begin; first < end; first += sell_lanes) {
            rows(slice, first, std::min(sell_lanes, end - first));
        }
    };
    with_partition(t, x.cols, [&](const auto& partition, const auto& positions) {
        parallel_parts(exec, partition, [&](size_type begin, size_type end) { positions(begin, end, run); });
    });
}

}  // namespace

void register_neumann()
{
    for_each_sell_type([]<class V, class S, class J>() { neumann_term<V, S, J>.bind(Backend::omp, term<V, S, J>); });
}

}  // namespace linden::omp
