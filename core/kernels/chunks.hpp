#pragma once

#include <linden/types.hpp>

/// Products that share the nonzeros out in equal chunks, whatever the lengths of the rows.
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

}  // namespace linden
