#include "core/kernels/stencil_cycle.hpp"

#include "core/portable/level_storage.hpp"
#include "omp/stencil_rows.hpp"

namespace linden::omp {
namespace {

template <class W, class I>
RowPartition partition(const ScaledStencils<W, I>& scaled, size_type cols)
{
    const auto& a = scaled.a;
    return {a.rows, (a.num_nonzeros / std::max<size_type>(a.rows, 1) + 3) * cols};
}

/// Calls f(first, lanes, left) for groups of rows with their scaling: with the same stencil, or, where stencils are not
/// valid, row by row.
template <class W, class I, class F>
void for_each_group(const ScaledStencils<W, I>& scaled, bool is_valid, size_type begin, size_type end, const F& f)
{
    if (is_valid) {
        for_each_stencil_group(scaled.a, begin, end, [&](size_type first, auto lanes) {
            f(first, lanes, scaled.left[scaled.a.stencils[first]]);
        });
        return;
    }
    for (size_type row = begin; row < end; ++row) {
        f(row, std::integral_constant<int, 1>{}, scaled.source.left[row]);
    }
}

/// products[i] := (A b)(first + i, col) for such a group; (A S) b if `is_entering`.
template <int lanes, class U, class W, class I>
void multiply_group(const ScaledStencils<W, I>& scaled, bool is_valid, bool is_entering, size_type first,
                    DenseView<const U> b, size_type col, W (&products)[lanes])
{
    if (is_valid) {
        sum_stencil_group(scaled.a, is_entering ? scaled.entering : scaled.a.values, first, b, col, products);
        return;
    }
    const auto& source = scaled.source;
    W sum{};
    for (size_type k = source.a.row_ptrs[first]; k < source.a.row_ptrs[first + 1]; ++k) {
        const auto j = source.a.col_idxs[k];
        const W value = scaled_value(source, first, k);
        sum += multiply(is_entering ? value * source.right[j] : value, static_cast<W>(b(j, col)));
    }
    products[0] = sum;
}

template <class V, class W, class I>
void enter(const Executor& exec, ScaledStencils<W, I> scaled, double omega, DenseView<const V> b, DenseView<W> r,
           DenseView<W> t)
{
    const bool is_valid = scaled.are_valid == nullptr || *scaled.are_valid != 0;
    const auto w = static_cast<real_t<W>>(omega);
    const auto enter_group = [&](size_type first, auto lanes, real_t<W> left) {
        for (size_type col = 0; col < r.cols; ++col) {
            W products[lanes];
            multiply_group(scaled, is_valid, true, first, b, col, products);
            for (int i = 0; i < lanes; ++i) {
                const W own = static_cast<W>(static_cast<real_t<V>>(left) * b(first + i, col));
                r(first + i, col) = own;
                t(first + i, col) = own - w * products[i];
            }
        }
    };
    parallel_rows(exec, partition(scaled, r.cols),
                  [&](size_type begin, size_type end) { for_each_group(scaled, is_valid, begin, end, enter_group); });
}

template <class V, class W, class I>
void leave(const Executor& exec, ScaledStencils<W, I> scaled, double factor, double omega, DenseView<const W> r,
           DenseView<const W> z, DenseView<V> x, WantedDots<V> dots)
{
    const bool is_valid = scaled.are_valid == nullptr || *scaled.are_valid != 0;
    const auto w = static_cast<real_t<W>>(omega);
    const auto leave_group = [&](size_type first, auto lanes, real_t<W> left) {
        const auto scale = static_cast<real_t<V>>(factor) * static_cast<real_t<V>>(left);
        for (size_type col = 0; col < x.cols; ++col) {
            W products[lanes];
            multiply_group(scaled, is_valid, false, first, z, col, products);
            for (int i = 0; i < lanes; ++i) {
                const W residual = r(first + i, col) - products[i];
                x(first + i, col) = scale * static_cast<V>(z(first + i, col) + w * residual);
            }
        }
    };
    const auto leave_rows = [&](size_type begin, size_type end, const auto& use) {
        for_each_group(scaled, is_valid, begin, end, [&](size_type first, auto lanes, real_t<W> left) {
            leave_group(first, lanes, left);
            use(first, lanes);
        });
    };
    if (dots.wx == nullptr) {
        parallel_rows(exec, partition(scaled, x.cols),
                      [&](size_type begin, size_type end) { leave_rows(begin, end, [](size_type, auto) {}); });
    } else {
        reduce_group_dots(exec, partition(scaled, x.cols), dots.w, x, dots.wx, dots.xx, dots.workspace, leave_rows);
    }
}

}  // namespace

void register_stencil_cycle()
{
    for_each_stencil_cycle([]<class V, class W, class I>() {
        stencil_cycle_enter<V, W, I>.bind(Backend::omp, enter<V, W, I>);
        stencil_cycle_leave<V, W, I>.bind(Backend::omp, leave<V, W, I>);
    });
}

}  // namespace linden::omp
