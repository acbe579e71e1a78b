#pragma once

#include <linden/scaling_norm.hpp>
#include <linden/views.hpp>

#include "core/base/kernel.hpp"
#include "core/base/type_lists.hpp"

/// Factors r_i and c_j such that the rows and columns of (r_i |a_ij| c_j) have the norm 1. [Ruiz01] All kernels are
/// deterministic.
namespace linden {

/// factors[i] := 1.  n values.
template <class R>
inline constinit kernel<void(size_type n, R* factors)> equilibration_begin{"equilibration::begin", types_of<R>};

/// norms[i] := the norm of row i of (|a_ij| factors[j]), without that row's own factor.
/// a: m x n; magnitudes: |a_ij| is magnitudes[source[k]] for entry k, magnitudes[k] where source is null; factors: n.
template <class R, class I>
inline constinit kernel<void(PatternView<I> a, const I* source, const R* magnitudes, const R* factors, ScalingNorm norm,
                             R* norms)>
    equilibration_norms{"equilibration::norms", types_of<R, I>};

/// factors[i] := sqrt(factors[i] / norms[i]), so that the row's norm factors[i] norms[i] becomes its square root;
/// unchanged where norms[i] is 0 or not finite.  n values each.
template <class R>
inline constinit kernel<void(size_type n, const R* norms, R* factors)> equilibration_update{"equilibration::update",
                                                                                            types_of<R>};

/// values[i] := factors[i], or the nearest power of two.  n values each, positive.
template <class V>
inline constinit kernel<void(size_type n, const real_t<V>* factors, bool powers_of_two, V* values)> equilibration_store{
    "equilibration::store", types_of<V>};

}  // namespace linden
