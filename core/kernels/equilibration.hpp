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

/// magnitudes[k] := the larger of |Re values[k]| and |Im values[k]|, the same on every backend.  n values each.
template <class V>
inline constinit kernel<void(size_type n, const V* values, real_t<V>* magnitudes)> equilibration_magnitudes{
    "equilibration::magnitudes", types_of<V>};

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

/// factors[i] := the power of two for which factors[i] norms[i] is in [1, 2), or with `root` factors[i]^2 norms[i] in
/// [1/2, 2); 1 where norms[i] is 0 or not finite. At the ends of the range the closest normal number.  n values each.
template <class R>
inline constinit kernel<void(size_type n, const R* norms, bool root, R* factors)> equilibration_powers{
    "equilibration::powers", types_of<R>};

/// values[k] := rows[i] a_ij columns[j] for entry k of a = (a_ij), in this order.  rows, columns: one value each.
template <class V, class I>
inline constinit kernel<void(CsrView<V, I> a, const real_t<V>* rows, const real_t<V>* columns, V* values)>
    equilibration_scale{"equilibration::scale", types_of<V, I>};

/// The factors of A from those of A~ = R A C, where R = diag(rows), C = diag(columns): f holds A~ = L~ U~ with a unit
/// diagonal of L~ that is not stored, and then A = L U = (R^-1 L~ R) (R^-1 U~ C^-1). Where columns is null, f holds L~
/// of A~ = L~ L~^H, and L = R^-1 L~. Exact for powers of two.
/// f: n x n; rows, columns: n values, not 0; values: those of f, overwritten.
template <class V, class I>
inline constinit kernel<void(PatternView<I> f, const real_t<V>* rows, const real_t<V>* columns, V* values)>
    equilibration_restore{"equilibration::restore", types_of<V, I>};

}  // namespace linden
