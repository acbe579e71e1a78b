#include "core/kernels/multigrid.hpp"

#include "omp/sell_partition.hpp"

namespace linden::omp {
namespace {

template <class V, class S, class J>
void up(const Executor& exec, SellView<S, J> p, SellView<S, J> a, double omega, DenseView<const V> y,
        DenseView<const V> r, DenseView<V> z)
{
    const auto w = static_cast<real_t<V>>(omega);
    const auto rows_up = [&](size_type slice, size_type first, size_type count) {
        if (z.cols == 1 && count == sell_lanes && y.stride == 1 && r.stride == 1 && z.stride == 1) {
            V products[sell_lanes], corrections[sell_lanes];
            sum_rows_of_column<true, true>(a, slice, first, count, r.values, 1, products);
            sum_rows_of_column<true, true>(p, slice, first, count, y.values, 1, corrections);
            const V* const here = r.values + first;
            V* const to = z.values + first;
            for (size_type i = 0; i < sell_lanes; ++i) {
                to[i] = corrections[i] + w * (real_t<V>{2} * here[i] - w * products[i]);
            }
            return;
        }
        sum_rows(a, slice, first, count, r, [&](size_type col, const V* sums) {
            for (size_type i = 0; i < count; ++i) {
                z(first + i, col) = w * (real_t<V>{2} * r(first + i, col) - w * sums[i]);
            }
        });
        sum_rows(p, slice, first, count, y, [&](size_type col, const V* sums) {
            for (size_type i = 0; i < count; ++i) {
                z(first + i, col) = sums[i] + z(first + i, col);
            }
        });
    };
    with_partition(a, z.cols, [&](const auto& partition, const auto& positions) {
        parallel_parts(exec, partition, [&](size_type begin, size_type end) {
            positions(begin, end, [&](size_type slice, size_type run_begin, size_type run_end) {
                for (size_type first = run_begin; first < run_end; first += sell_lanes) {
                    rows_up(slice, first, std::min(sell_lanes, run_end - first));
                }
            });
        });
    });
}

/// A vector, or each of several.
template <class V, class W>
void convert(const Executor& exec, const real_t<lower_t<V, W>>* scales, double factor, DenseView<const V> from,
             DenseView<W> to)
{
    using Higher = std::conditional_t<(sizeof(W) > sizeof(V)), W, V>;
    using R = real_t<Higher>;
    const bool is_vector = to.cols == 1 && from.stride == 1 && to.stride == 1;
    parallel_rows(exec, {to.rows, to.cols}, [&](size_type begin, size_type end) {
        for (size_type row = begin; is_vector && row < end; ++row) {
            const R scale = scales == nullptr ? R{1} : static_cast<R>(scales[row]);
            to.values[row] = static_cast<W>(static_cast<R>(factor) * scale * static_cast<Higher>(from.values[row]));
        }
        for (size_type row = begin; !is_vector && row < end; ++row) {
            const R scale = static_cast<R>(factor) * (scales == nullptr ? R{1} : static_cast<R>(scales[row]));
            for (size_type col = 0; col < to.cols; ++col) {
                to(row, col) = static_cast<W>(scale * static_cast<Higher>(from(row, col)));
            }
        }
    });
}

}  // namespace

void register_multigrid()
{
    for_each_conversion([]<class V, class W>() { multigrid_convert<V, W>.bind(Backend::omp, convert<V, W>); });
    for_each_sell_type([]<class V, class S, class J>() { multigrid_up<V, S, J>.bind(Backend::omp, up<V, S, J>); });
}

}  // namespace linden::omp
