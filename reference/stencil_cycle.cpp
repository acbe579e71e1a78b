#include "core/kernels/stencil_cycle.hpp"

#include "core/portable/level_storage.hpp"
#include "reference/column_dots.hpp"
#include "reference/stencil_rows.hpp"

namespace linden::reference {
namespace {

template <class W, class I>
bool has_stencils(const ScaledStencils<W, I>& scaled)
{
    return scaled.are_valid == nullptr || *scaled.are_valid != 0;
}

template <class W, class I>
real_t<W> scale_of(const ScaledStencils<W, I>& scaled, size_type row)
{
    return has_stencils(scaled) ? scaled.left[scaled.a.stencils[row]] : scaled.source.left[row];
}

/// The sum of value(k) get(column) over the entries k of a row of the matrix itself.
template <class W, class I, class Value, class Get>
W source_product(const CsrView<W, I>& a, size_type row, const Value& value, const Get& get)
{
    W sum{};
    for (size_type k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
        sum += value(k) * get(a.col_idxs[k]);
    }
    return sum;
}

template <class V, class W, class I>
void enter(const Executor&, ScaledStencils<W, I> scaled, double omega, DenseView<const V> b, DenseView<W> r,
           DenseView<W> t)
{
    const auto& source = scaled.source;
    const auto w = static_cast<real_t<W>>(omega);
    for (size_type row = 0; row < r.rows; ++row) {
        const auto entering = [&](size_type k) {
            return scaled_value(source, row, k) * source.right[source.a.col_idxs[k]];
        };
        for (size_type col = 0; col < r.cols; ++col) {
            const auto get = [&](size_type j) { return static_cast<W>(b(j, col)); };
            const W product = has_stencils(scaled) ? stencil_product(scaled.a, scaled.entering, row, get)
                                                   : source_product(source.a, row, entering, get);
            r(row, col) = static_cast<W>(static_cast<real_t<V>>(scale_of(scaled, row)) * b(row, col));
            t(row, col) = r(row, col) - w * product;
        }
    }
}

template <class V, class W, class I>
void leave(const Executor&, ScaledStencils<W, I> scaled, double factor, double omega, DenseView<const W> r,
           DenseView<const W> z, DenseView<V> x, WantedDots<V> dots)
{
    const auto& source = scaled.source;
    const auto w = static_cast<real_t<W>>(omega);
    for (size_type row = 0; row < x.rows; ++row) {
        const auto scale = static_cast<real_t<V>>(factor) * static_cast<real_t<V>>(scale_of(scaled, row));
        const auto value = [&](size_type k) { return scaled_value(source, row, k); };
        for (size_type col = 0; col < x.cols; ++col) {
            const auto get = [&](size_type j) { return z(j, col); };
            const W product = has_stencils(scaled) ? stencil_product(scaled.a, scaled.a.values, row, get)
                                                   : source_product(source.a, row, value, get);
            x(row, col) = scale * static_cast<V>(z(row, col) + w * (r(row, col) - product));
        }
    }
    if (dots.wx != nullptr) {
        column_dots(dots.w, x, dots.wx, dots.xx, dots.workspace);
    }
}

}  // namespace

void register_stencil_cycle()
{
    for_each_stencil_cycle([]<class V, class W, class I>() {
        stencil_cycle_enter<V, W, I>.bind(Backend::reference, enter<V, W, I>);
        stencil_cycle_leave<V, W, I>.bind(Backend::reference, leave<V, W, I>);
    });
}

}  // namespace linden::reference
