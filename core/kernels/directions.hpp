#pragma once

#include <linden/views.hpp>

#include "core/kernels/gmres.hpp"
#include "core/kernels/stop.hpp"

/// The work of methods that keep some of their last directions p_i and make new ones orthogonal to them: flexible CG
/// and GCR. [Notay00; EisenstatElmanSchultz83] Blocks n x k; values of direction i are at [i k + col].
namespace linden {

/// y_i := h_i / sigma_i for running columns and i < count, 0 where sigma_i = 0 (there is no such direction yet) and for
/// columns that have stopped; rho := conj(rho), of running columns.  No vectors. Portable.
template <class V>
inline constinit kernel<void(const V* h, const V* sigma, size_type count, V* y, V* rho, StopView<real_t<V>> stop)>
    directions_weights{"directions::weights", types_of<V>};

/// p_slot := z - sum of y_i p_i, i < count, for running columns.  Vectors with y_i = 0 are not read. p_slot may be one
/// of the sum; z is none of the p_i.
/// (count + 2) n words.
template <class V>
inline constinit kernel<void(DenseView<const V> z, const V* y, size_type count, size_type slot, BasisView<V> p,
                             StopView<real_t<V>> stop)>
    directions_combine{"directions::combine", types_of<V>};

}  // namespace linden
