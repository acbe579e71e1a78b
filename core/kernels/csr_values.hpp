#pragma once

#include <linden/views.hpp>

#include "core/base/kernel.hpp"
#include "core/base/type_lists.hpp"

/// What becomes of a matrix's values where its pattern stays or is known; see core/kernels/pattern.hpp.
/// All kernels are deterministic.
namespace linden {

enum class Conjugate : bool { no, yes };

/// out[k] := values[source[k]], or its conjugate; 0 where source[k] < 0.  source, out: n values.
template <class V, class I>
inline constinit LINDEN_EXPORT kernel<void(size_type n, const I* source, const V* values, V* out, Conjugate conjugated)>
    array_gather{"array::gather", types_of<V, I>};

/// out[r] := sum of values[source[k]] over run r, from left to right. Run r is run_begins[r] <= k < run_begins[r + 1],
/// the last one ends at `count`.  run_begins, out: num_runs values; source: count.
template <class V, class I>
inline constinit LINDEN_EXPORT
    kernel<void(size_type num_runs, const I* run_begins, size_type count, const I* source, const V* values, V* out)>
        array_sum_runs{"array::sum_runs", types_of<V, I>};

/// out[k] := |values[k]|.  n values; out may be values.
template <class V>
inline constinit LINDEN_EXPORT kernel<void(size_type n, const V* values, V* out)> array_absolute{"array::absolute",
                                                                                                 types_of<V>};

/// A := diag(d) A, where a is the pattern of A and `values` are its values.
template <class V, class I>
inline constinit LINDEN_EXPORT kernel<void(PatternView<I> a, const V* d, V* values)> csr_scale_rows{"csr::scale_rows",
                                                                                                    types_of<V, I>};

/// A := A diag(d), where a is the pattern of A and `values` are its values.
template <class V, class I>
inline constinit LINDEN_EXPORT kernel<void(PatternView<I> a, const V* d, V* values)> csr_scale_columns{
    "csr::scale_columns", types_of<V, I>};

/// A := alpha A + beta I, as far as A's pattern, a, has the diagonal. With alpha = 0 the old values are not read.
template <class V, class I>
inline constinit LINDEN_EXPORT kernel<void(PatternView<I> a, V alpha, V beta, V* values)> csr_add_scaled_identity{
    "csr::add_scaled_identity", types_of<V, I>};

}  // namespace linden
