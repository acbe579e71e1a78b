#pragma once

#include <linden/views.hpp>

#include "core/base/kernel.hpp"
#include "core/base/type_lists.hpp"

/// The incomplete Poisson preconditioner's matrix. [GuptaEtAl11, 3.2]
/// All kernels are deterministic; core/portable/incomplete_poisson.hpp has their bodies.
namespace linden {

/// With A's strict lower triangle L and E = diag(inverse), inverse = 1 / diag(A), the entries of P's pattern p of
///     E - E L E - E L^H E + E L E L^H E    if `is_scaled`,    I - L E - E L^H + L E^2 L^H    if not.
/// The factors of the first on both sides are E^1/2: what is between them, or the whole of the second, is 0 in place of
/// magnitudes below `threshold` off the diagonal.  A, P: n x n, columns sorted, A Hermitian (its lower triangle is
/// read); a and `values` are A's, `result` are P's values. O(sum over P's entries of the entries of A's rows i and j.)
template <class V, class I>
inline constinit kernel<void(PatternView<I> a, const V* values, const V* inverse, PatternView<I> p, bool is_scaled,
                             double threshold, V* result)>
    incomplete_poisson_values{"incomplete_poisson::values", types_of<V, I>};

/// counts[i] := entries of row i of P that are not 0 or stand on the diagonal.
template <class V, class I>
inline constinit kernel<void(PatternView<I> p, const V* values, I* counts)> incomplete_poisson_count_kept{
    "incomplete_poisson::count_kept", types_of<V, I>};

/// Those entries, in their order: their columns, and their values to `kept`. row_ptrs: the prefix sums of their counts.
template <class V, class I>
inline constinit kernel<void(PatternView<I> p, const V* values, const I* row_ptrs, I* col_idxs, V* kept)>
    incomplete_poisson_take_kept{"incomplete_poisson::take_kept", types_of<V, I>};

}  // namespace linden
