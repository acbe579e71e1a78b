#pragma once

#include <linden/views.hpp>

#include "core/base/kernel.hpp"
#include "core/base/type_lists.hpp"

/// The incomplete Poisson preconditioner's matrix. [GuptaEtAl12, 3.2]
/// All kernels are deterministic; core/kernels/format_items_poisson.hpp has their pieces.
namespace linden {

/// With A's strict lower triangle L and e = 1 / diag(A), E = diag(e), the entries of P's pattern of
///     E - E L E - E L^H E + E L E L^H E    if `is_scaled`,    I - L E - E L^H + L E^2 L^H    if not.
/// The factors of the first on both sides are E^1/2: what is between them, or the whole of the second, is 0 in place of
/// magnitudes below `threshold` off the diagonal.  A, P: n x n, columns sorted, A Hermitian (its lower triangle is
/// read). O(sum over P's entries of the entries of A's rows i and j.) Arguments: A's pattern and values, e, P,
/// is_scaled, threshold, P's values.
template <class V, class I>
inline constinit kernel<void(PatternView<I>, const V*, const V*, PatternView<I>, bool, double, V*)>
    incomplete_poisson_values{"incomplete_poisson::values", types_of<V, I>};

/// counts[i] := entries of row i that are not 0 or stand on the diagonal.  (pattern, values, counts)
template <class V, class I>
inline constinit kernel<void(PatternView<I>, const V*, I*)> incomplete_poisson_count_kept{
    "incomplete_poisson::count_kept", types_of<V, I>};

/// Those entries, in their order; row_ptrs: the prefix sums of their counts.
/// (pattern, values, row_ptrs, kept col_idxs, kept values)
template <class V, class I>
inline constinit kernel<void(PatternView<I>, const V*, const I*, I*, V*)> incomplete_poisson_take_kept{
    "incomplete_poisson::take_kept", types_of<V, I>};

}  // namespace linden
