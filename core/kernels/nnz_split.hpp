#pragma once

#include <linden/types.hpp>

/// Products that share the nonzeros out in equal splits, whatever the lengths of the rows.
namespace linden {

/// Nonzeros of a split.
inline constexpr size_type split_nonzeros = 1024;
constexpr size_type num_splits(size_type nnz) { return (nnz + split_nonzeros - 1) / split_nonzeros; }

/// What such a product with `cols` columns needs as workspace: the sums of the rows that go on over the ends of splits.
template <class V>
constexpr size_type split_workspace_bytes(size_type nnz, size_type cols)
{
    return 2 * num_splits(nnz) * cols * static_cast<size_type>(sizeof(V));
}

}  // namespace linden
