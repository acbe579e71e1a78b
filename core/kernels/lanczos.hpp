#pragma once

#include <linden/views.hpp>

#include "core/base/kernel.hpp"
#include "core/base/type_lists.hpp"

/// The Lanczos process from the coefficients of CG with a diagonal preconditioner, whose scalars stay on the executor:
/// nobody waits in a step. [Saad03, 6.7.3]
namespace linden {

/// values[i] := a pseudorandom number of [-1, 1), by first + i alone, the same on every executor.  n values.
/// [SteeleEtAl14]
template <class V>
inline constinit kernel<void(size_type n, size_type first, V* values)> lanczos_start{
    "lanczos::start", types_of<V>, {.eps = 0}};

/// r := r - alpha q, z := D^-1 r, with alpha = Re rho / Re pq, where rho = r^H z and pq = p^H q; one number each.
/// inverse: the entries of D^-1, null for the identity.  n values each; 6 n words.
template <class V>
inline constinit kernel<void(size_type n, const V* inverse, const V* rho, const V* pq, const V* q, V* r, V* z)>
    lanczos_residual{"lanczos::residual", types_of<V>};

/// p := z + beta p, with beta = Re rho / Re last_rho.  n values each; 3 n words.
template <class V>
inline constinit kernel<void(size_type n, const V* last_rho, const V* rho, const V* z, V* p)> lanczos_direction{
    "lanczos::direction", types_of<V>};

}  // namespace linden
