#pragma once

#include <linden/views.hpp>

#include "core/base/kernel.hpp"
#include "core/base/type_lists.hpp"
#include "core/kernels/chunks.hpp"

namespace linden {

/// x := alpha A b + x.  b: n x k, x: m x k.  A is read once for all k columns. Deterministic.
/// Workspace: chunk_workspace_bytes<V>(nnz, k), in any state. Minimum bytes: nnz (V + 2 I) + (n + 2 m) k V.
template <class V, class I>
inline constinit kernel<void(CooView<V, I>, Scalar<V>, DenseView<const V>, DenseView<V>, WorkspaceView)> coo_spmv_add{
    "coo::spmv_add", types_of<V, I>};

}  // namespace linden
