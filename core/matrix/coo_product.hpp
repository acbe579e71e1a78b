#pragma once

#include <linden/matrix/dense.hpp>

#include <memory>

#include "core/kernels/coo.hpp"
#include "core/kernels/dense.hpp"
#include "core/matrix/nnz_split_workspace.hpp"

/// Products in coordinate format, which need a workspace.
namespace linden::detail {

/// A workspace for products with one column.
template <class V>
std::unique_ptr<BlockCache<V>> split_workspace(const Executor& exec, size_type nnz)
{
    auto cache = std::make_unique<BlockCache<V>>(exec);
    with_split_workspace<V>(*cache, nnz, 1, [](WorkspaceView) {});
    return cache;
}

/// x := alpha A b + x
template <class V, class I>
void add_coo_product(const CooView<V, I>& a, BlockCache<V>& workspace, Scalar<V> alpha, const Dense<V>& b, Dense<V>& x)
{
    with_split_workspace<V>(workspace, a.num_nonzeros, x.size().cols, [&](WorkspaceView view) {
        coo_spmv_add<V, I>(x.executor(), a, alpha, b.view(), x.view(), view);
    });
}

}  // namespace linden::detail
