#pragma once

#include <linden/views.hpp>

#include "core/base/kernel.hpp"
#include "core/base/type_lists.hpp"

/// What becomes of a matrix's values where its pattern stays or is known; see core/kernels/pattern.hpp.
/// All kernels are deterministic.
namespace linden {

enum class Conjugate : bool { no, yes };

/// out[k] := values[source[k]], or its conjugate; 0 where source[k] < 0.  Arguments: n, source, values, out, conjugate.
template <class V, class I>
inline constinit kernel<void(size_type, const I*, const V*, V*, Conjugate)> array_gather{"array::gather",
                                                                                         types_of<V, I>};

/// out[r] := sum of values[source[k]] over run r, from left to right. Run r is run_begins[r] <= k < run_begins[r + 1],
/// the last one ends at `count`.  Arguments: number of runs, run_begins, count, source, values, out.
template <class V, class I>
inline constinit kernel<void(size_type, const I*, size_type, const I*, const V*, V*)> array_sum_runs{"array::sum_runs",
                                                                                                     types_of<V, I>};

/// out[k] := |values[k]|.  Arguments: n, values, out; out may be values.
template <class V>
inline constinit kernel<void(size_type, const V*, V*)> array_absolute{"array::absolute", types_of<V>};

/// A := diag(d) A.  Arguments: A's pattern, d, A's values.
template <class V, class I>
inline constinit kernel<void(PatternView<I>, const V*, V*)> csr_scale_rows{"csr::scale_rows", types_of<V, I>};

/// A := A diag(d).  Arguments: A's pattern, d, A's values.
template <class V, class I>
inline constinit kernel<void(PatternView<I>, const V*, V*)> csr_scale_columns{"csr::scale_columns", types_of<V, I>};

/// A := alpha A + beta I, as far as A's pattern has the diagonal. With alpha = 0 the old values are not read.
/// Arguments: A's pattern, alpha, beta, A's values.
template <class V, class I>
inline constinit kernel<void(PatternView<I>, V, V, V*)> csr_add_scaled_identity{"csr::add_scaled_identity",
                                                                                types_of<V, I>};

}  // namespace linden
