#include "core/kernels/multigrid.hpp"

#include "omp/sell_partition.hpp"

namespace linden::omp {
namespace {

/// Calls rows_up(slice, first, count) for runs of up to sell_lanes rows of a slice, all in parallel.
template <class S, class J, class RowsUp>
void for_each_run(const Executor& exec, const SellView<S, J>& a, size_type cols, const RowsUp& rows_up)
{
    with_partition(a, cols, [&](const auto& partition, const auto& positions) {
        parallel_parts(exec, partition, [&](size_type begin, size_type end) {
            positions(begin, end, [&](size_type slice, size_type run_begin, size_type run_end) {
                for (size_type first = run_begin; first < run_end; first += sell_lanes) {
                    rows_up(slice, first, std::min(sell_lanes, run_end - first));
                }
            });
        });
    });
}

/// x(i, col) := combine(product, i, col) with the products of the rows of a with b. Products of one contiguous column
/// are vectors.
template <class V, class S, class J, class Combine>
void combine_products(const Executor& exec, const SellView<S, J>& a, DenseView<const V> b, DenseView<V> x,
                      const Combine& combine)
{
    for_each_run(exec, a, x.cols, [&](size_type slice, size_type first, size_type count) {
        if (x.cols == 1 && count == sell_lanes && b.stride == 1) {
            V products[sell_lanes];
            sum_rows_of_column<true, true>(a, slice, first, count, b.values, 1, products);
            for (size_type i = 0; i < sell_lanes; ++i) {
                x(first + i, 0) = combine(products[i], first + i, 0);
            }
            return;
        }
        sum_rows(a, slice, first, count, b, [&](size_type col, const V* sums) {
            for (size_type i = 0; i < count; ++i) {
                x(first + i, col) = combine(sums[i], first + i, col);
            }
        });
    });
}

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
    for_each_run(exec, a, z.cols, rows_up);
}

template <class V, class S, class J>
void sweep(const Executor& exec, SellView<S, J> a, double omega, DenseView<const V> b, DenseView<const V> z,
           DenseView<V> x)
{
    const auto w = static_cast<real_t<V>>(omega);
    if (b.values == nullptr) {
        combine_products(exec, a, z, x, [=](V product, size_type i, size_type col) { return z(i, col) - w * product; });
    } else {
        combine_products(exec, a, z, x,
                         [=](V product, size_type i, size_type col) { return z(i, col) + w * (b(i, col) - product); });
    }
}

template <class V, class S, class J>
void correct(const Executor& exec, SellView<S, J> p, double omega, DenseView<const V> y, DenseView<const V> r,
             DenseView<V> z)
{
    const auto w = static_cast<real_t<V>>(omega);
    combine_products(exec, p, y, z, [=](V product, size_type i, size_type col) { return product + w * r(i, col); });
}

}  // namespace

void register_multigrid()
{
    for_each_sell_type([]<class V, class S, class J>() {
        multigrid_up<V, S, J>.bind(Backend::omp, up<V, S, J>);
        multigrid_sweep<V, S, J>.bind(Backend::omp, sweep<V, S, J>);
        multigrid_correct<V, S, J>.bind(Backend::omp, correct<V, S, J>);
    });
}

}  // namespace linden::omp
