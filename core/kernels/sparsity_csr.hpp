#pragma once

#include <linden/views.hpp>

#include "core/base/kernel.hpp"
#include "core/base/type_lists.hpp"

namespace linden {

/// x := alpha v P b + beta x, where P has ones in the pattern a and v = `value` is the value of all entries.
/// b: n x k, x: m x k.  With beta = 0 the old x is not read. Deterministic.
/// Bytes: nnz I + (m + 1) I + (n + m) k V.
template <class V, class I>
inline constinit kernel<void(PatternView<I> a, V value, Scalar<V> alpha, DenseView<const V> b, Scalar<V> beta,
                             DenseView<V> x)>
    sparsity_csr_spmv{"sparsity_csr::spmv", types_of<V, I>};

}  // namespace linden
