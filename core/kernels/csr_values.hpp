#pragma once

#include <linden/views.hpp>

#include "core/base/kernel.hpp"
#include "core/base/type_lists.hpp"

/// What becomes of a matrix's values where its pattern stays or is known; see core/kernels/pattern.hpp.
/// All kernels are deterministic.
namespace linden {

/// A := diag(d) A, where a is the pattern of A and `values` are its values.
template <class V, class I>
inline constinit kernel<void(PatternView<I> a, const V* d, V* values)> csr_scale_rows{"csr::scale_rows",
                                                                                      types_of<V, I>};

/// A := A diag(d), where a is the pattern of A and `values` are its values.
template <class V, class I>
inline constinit kernel<void(PatternView<I> a, const V* d, V* values)> csr_scale_columns{"csr::scale_columns",
                                                                                         types_of<V, I>};

/// A := alpha A + beta I, as far as A's pattern, a, has the diagonal. With alpha = 0 the old values are not read.
template <class V, class I>
inline constinit kernel<void(PatternView<I> a, V alpha, V beta, V* values)> csr_add_scaled_identity{
    "csr::add_scaled_identity", types_of<V, I>};

}  // namespace linden
