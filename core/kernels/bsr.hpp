#pragma once

#include <linden/views_formats.hpp>

#include "core/base/kernel.hpp"
#include "core/base/type_lists.hpp"

namespace linden {

inline constexpr size_type max_bsr_block_size = 8;

/// x := alpha A b + beta x.  b: n x k, x: m x k.  With beta = 0 the old x is not read. Block sizes from 2 to
/// max_bsr_block_size. All entries of a block inside of the matrix count, also zeros. Deterministic.
/// Bytes: blocks (s^2 V + I) + (m / s) I + (n + m) k V.
template <class V, class I>
inline constinit kernel<void(BsrView<V, I>, Scalar<V>, DenseView<const V>, Scalar<V>, DenseView<V>)> bsr_spmv{
    "bsr::spmv", types_of<V, I>};

}  // namespace linden
