#pragma once

#include <linden/views.hpp>

#include "core/base/kernel.hpp"
#include "core/base/type_lists.hpp"
#include "core/kernels/nnz_split.hpp"

namespace linden {

/// x := alpha A b + x.  b: n x k, x: m x k.  A is read once for all k columns. Deterministic.
/// Workspace: split_workspace_bytes<V>(nnz, k), in any state. Minimum bytes: nnz (V + 2 I) + (n + 2 m) k V.
template <class V, class I>
inline constinit kernel<void(CooView<V, I> a, Scalar<V> alpha, DenseView<const V> b, DenseView<V> x,
                             WorkspaceView workspace)>
    coo_spmv_add{"coo::spmv_add", types_of<V, I>};

/// row_ptrs of coordinates sorted by rows.  row_idxs: num_nonzeros values.
template <class I>
inline constinit kernel<void(size_type num_rows, size_type num_nonzeros, const I* row_idxs, I* row_ptrs)>
    coo_find_row_ptrs{"coo::find_row_ptrs", types_of<I>};

}  // namespace linden
