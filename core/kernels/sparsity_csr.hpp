#pragma once

#include <linden/views.hpp>

#include "core/base/kernel.hpp"
#include "core/base/type_lists.hpp"

namespace linden {

/// x := alpha v P b + beta x, where P has ones in the pattern and `v` is the value of all entries: the second argument.
/// b: n x k, x: m x k.  With beta = 0 the old x is not read. Deterministic.
/// Bytes: nnz I + (m + 1) I + (n + m) k V.
template <class V, class I>
inline constinit kernel<void(PatternView<I>, V, Scalar<V>, DenseView<const V>, Scalar<V>, DenseView<V>)>
    sparsity_csr_spmv{"sparsity_csr::spmv", types_of<V, I>};

}  // namespace linden
