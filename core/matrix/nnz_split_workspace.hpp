#pragma once

#include <linden/views.hpp>

#include "core/kernels/nnz_split.hpp"
#include "core/matrix/block_cache.hpp"

namespace linden::detail {

/// Calls use(workspace) with the workspace of an nnz-split product: `nnz` nonzeros, `cols` columns. @throws OutOfMemory
template <class V, class Use>
void with_split_workspace(BlockCache<V>& cache, size_type nnz, size_type cols, Use&& use)
{
    const size_type bytes = split_workspace_bytes<V>(nnz, cols);
    const size_type values = bytes / static_cast<size_type>(sizeof(V));
    typename BlockCache<V>::Lease lease(cache, values);
    auto block = lease.block({values, 1});
    use(WorkspaceView{reinterpret_cast<std::byte*>(block.data()), bytes});
}

}  // namespace linden::detail
