#pragma once

#include <linden/matrix/dense.hpp>

#include <memory>

#include "core/kernels/coo.hpp"
#include "core/kernels/dense.hpp"
#include "core/matrix/parts.hpp"

/// Products with coordinates, which need a workspace.
namespace linden::detail {

/// Values of V in the workspace of products with `cols` columns.
template <class V>
size_type chunk_workspace_values(size_type nnz, size_type cols)
{
    return chunk_workspace_bytes<V>(nnz, cols) / static_cast<size_type>(sizeof(V));
}

/// A workspace that has room for products with one column.
template <class V>
std::unique_ptr<BlockCache<V>> chunk_workspace(const Executor& exec, size_type nnz)
{
    auto cache = std::make_unique<BlockCache<V>>(exec);
    typename BlockCache<V>::Lease first(*cache, chunk_workspace_values<V>(nnz, 1));
    return cache;
}

/// x := alpha A b + x
template <class V, class I>
void add_coo_product(const CooView<V, I>& a, BlockCache<V>& workspace, Scalar<V> alpha, const Dense<V>& b, Dense<V>& x)
{
    const auto values = chunk_workspace_values<V>(a.num_nonzeros, x.size().cols);
    typename BlockCache<V>::Lease lease(workspace, values);
    auto block = lease.block({values, 1});
    coo_spmv_add<V, I>(x.executor(), a, alpha, b.view(), x.view(),
                       {reinterpret_cast<std::byte*>(block.data()), values * static_cast<size_type>(sizeof(V))});
}

}  // namespace linden::detail
