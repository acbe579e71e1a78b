#pragma once

#include <linden/views.hpp>

#include "core/base/kernel.hpp"
#include "core/base/type_lists.hpp"

/// Kernels that share the nonzeros out in equal chunks, whatever the lengths of the rows.
namespace linden {

/// Nonzeros of a chunk.
inline constexpr size_type chunk_nonzeros = 2048;
constexpr size_type num_chunks(size_type nnz) { return (nnz + chunk_nonzeros - 1) / chunk_nonzeros; }

/// What such a product with `cols` columns needs as workspace: the sums of the rows that go on over the ends of chunks.
template <class V>
constexpr size_type chunk_workspace_bytes(size_type nnz, size_type cols)
{
    return 2 * num_chunks(nnz) * cols * static_cast<size_type>(sizeof(V));
}

/// x := alpha A b + x.  b: n x k, x: m x k.  A is read once for all k columns. Deterministic.
/// Workspace: chunk_workspace_bytes<V>(nnz, k), in any state. Minimum bytes: nnz (V + 2 I) + (n + 2 m) k V.
template <class V, class I>
inline constinit LINDEN_EXPORT kernel<void(CooView<V, I>, Scalar<V>, DenseView<const V>, DenseView<V>, WorkspaceView)>
    coo_spmv_add{"coo::spmv_add", types_of<V, I>};

/// chunk_rows[c] := the row of nonzero c * chunk_nonzeros, for each chunk of A.
template <class I>
inline constinit LINDEN_EXPORT kernel<void(PatternView<I>, I*)> csr_find_chunk_rows{"csr::find_chunk_rows",
                                                                                    types_of<I>};

/// csr_spmv for rows of very uneven lengths, by chunks. chunk_rows: as csr_find_chunk_rows leaves it.
/// Workspace: chunk_workspace_bytes<V>(nnz, k), in any state.
template <class V, class I>
inline constinit LINDEN_EXPORT
    kernel<void(CsrView<V, I>, const I*, Scalar<V>, DenseView<const V>, Scalar<V>, DenseView<V>, WorkspaceView)>
        csr_spmv_by_chunks{"csr::spmv_by_chunks", types_of<V, I>};

}  // namespace linden
