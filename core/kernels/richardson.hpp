#pragma once

#include <linden/views.hpp>

#include "core/kernels/stop.hpp"

/// The vector work of Richardson's iteration that is not that of other methods.
namespace linden {

/// x := x + alpha[col] z for columns with alpha != 0 whose residual is a number: their status is not not_a_number.
/// Others stay, whatever z holds.  z, x: n x k; alpha: k values.  3 n words.
template <class V>
inline constinit kernel<void(const V* alpha, DenseView<const V> z, DenseView<V> x, StopView<real_t<V>> stop)>
    richardson_update_solution{"richardson::update_solution", types_of<V>};

}  // namespace linden
