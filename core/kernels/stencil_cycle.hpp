#pragma once

#include <linden/views_formats.hpp>

#include "core/base/kernel.hpp"
#include "core/kernels/multigrid.hpp"
#include "core/kernels/stored_types.hpp"

/// Both ends of multigrid's cycle on a matrix of a few stencils.
namespace linden {

/// The matrix of the cycle's first level by stencils: values are scaled.
template <class V, class I>
struct ScaledStencils {
    StencilView<V, I> a;
    const real_t<V>* left = nullptr;          ///< the scaling of the rows of each stencil
    const V* entering = nullptr;              ///< values, times the scaling of the column once more
    const std::int64_t* are_valid = nullptr;  ///< where this is 0, rows are taken from `source`
    ScaledView<V, I> source;                  ///< the same matrix with the same scaling on both sides
};

/// Calls `f.operator()<V, W, I>()` for vectors of solvers in V and levels in W: V, or less precise.
template <class F>
void for_each_stencil_cycle(F&& f)
{
    for_each_value_index([&]<class V, class I>() {
        f.template operator()<V, V, I>();
        for_each_lower_storage<V>([&]<class W>() {
            if constexpr (has_types<W>) {
                f.template operator()<V, W, I>();
            }
        });
    });
}

/// What multigrid::enter does:  r := S b, t := r - omega (A S) b, where A S is given by `entering`, and b is rounded to
/// W.  b, r, t: n x k, different ones. Sums from left to right. Bytes: n (2 + k V + 2 k W).
template <class V, class W, class I>
inline constinit kernel<void(ScaledStencils<W, I> a, double omega, DenseView<const V> b, DenseView<W> r,
                             DenseView<W> t)>
    stencil_cycle_enter{"stencil_cycle::enter", types_of<V, W, I>};

/// What multigrid::leave does:  x := factor S (z + omega (r - A z)), S the scalings of the rows' stencils.  r, z, x, w:
/// n x k, x none of the others. Bytes: n (2 + k V + 2 k W), and n k V for w.
template <class V, class W, class I>
inline constinit kernel<void(ScaledStencils<W, I> a, double factor, double omega, DenseView<const W> r,
                             DenseView<const W> z, DenseView<V> x, WantedDots<V> dots)>
    stencil_cycle_leave{"stencil_cycle::leave", types_of<V, W, I>, {.eps = 16}};

}  // namespace linden
