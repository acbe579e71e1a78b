#pragma once

#include <linden/matrix/csr.hpp>
#include <linden/matrix/dense.hpp>
#include <linden/matrix/pattern.hpp>

#include <utility>

#include "core/kernels/dense.hpp"
#include "core/matrix/block_cache.hpp"

namespace linden::detail {

/// The pattern, with room for values.
template <class V, class I>
Csr<V, I> csr_on(Pattern<I> pattern)
{
    const auto exec = pattern.row_ptrs.executor();
    const auto nnz = pattern.col_idxs.size();
    return Csr<V, I>(exec, pattern.size, std::move(pattern.row_ptrs), std::move(pattern.col_idxs), Array<V>(exec, nnz));
}

/// T x = b approximately, by an approximate inverse M: x := M b, then x := x + M (b - T x), `num_sweeps` >= 1 in all.
/// t: not needed for one sweep.
template <class V>
void solve_by_sweeps(const LinOp<V>* t, const LinOp<V>& m, size_type num_sweeps, BlockCache<V>& blocks,
                     const Dense<V>& b, Dense<V>& x)
{
    typename BlockCache<V>::Lease lease(blocks, num_sweeps > 1 ? b.size().rows * b.size().cols : 0);
    auto r = lease.block(b.size());
    m.apply(b, x);
    for (size_type sweep = 1; sweep < num_sweeps; ++sweep) {
        dense_copy<V>(b.executor(), b.view(), r.view());
        t->apply(V{-1}, x, V{1}, r);  // r := b - T x
        m.apply(V{1}, r, V{1}, x);    // x := x + M r
    }
}

}  // namespace linden::detail
