#pragma once

#include <linden/types.hpp>

#include "core/base/kernel.hpp"
#include "core/base/type_lists.hpp"

/// The two steps of flexible conjugate gradients of a K-cycle, for k columns. [NotayVassilevski08]
///
/// Sums and coefficients that are not finite, or whose denominators are not positive, make a coefficient 0.
namespace linden {

/// Inner products of the two directions c and d, with v = A c, w = A d, b the right-hand side and r = b - (c^H b /
/// c^H v) v.  k values each, in the executor's memory.
template <class V>
struct KrylovSums {
    const V* cv = nullptr;  ///< c^H v
    const V* cb = nullptr;  ///< c^H b
    const V* dv = nullptr;  ///< d^H v
    const V* dw = nullptr;  ///< d^H w
    const V* dr = nullptr;  ///< d^H r
};

/// steps[col] := -cb / cv.  k values; of `sums` cv and cb are read.
template <class V>
inline constinit kernel<void(size_type k, KrylovSums<V> sums, V* steps)> krylov_cycle_first{"krylov_cycle::first",
                                                                                            types_of<V>};

/// The factors of c and d in x, which has the least error in the norm of A:
///     rest = dw - |dv|^2 / cv,   of_d := dr / rest,   of_c := (cb - conj(dv) of_d) / cv.  k values each.
template <class V>
inline constinit kernel<void(size_type k, KrylovSums<V> sums, V* of_c, V* of_d)> krylov_cycle_second{
    "krylov_cycle::second", types_of<V>};

}  // namespace linden
