#pragma once

#include <linden/views.hpp>

#include <cstdint>

/// Kernels that run a whole solve: the blocks of one kernel hold its vectors in their fast memory from the first
/// iteration to the last and meet at barriers. What they need to know of the system.
namespace linden {

/// How rows are dealt to blocks: block i has rows [i max_rows, (i + 1) max_rows).
struct PersistentPartition {
    size_type max_rows = 0;
    size_type max_nonzeros = 0;  ///< of a block
};

/// A x = b for one right-hand side, of which such a kernel knows the residual.  A: n x n.
template <class V, class I>
struct WholeSolve {
    CsrView<V, I> a;
    const V* d = nullptr;           ///< n: M^-1 = diag(d); null for M = I
    PersistentPartition partition;  ///< of the rows of A
    DenseView<V> r;                 ///< n x 1: b - A x, overwritten
    DenseView<V> x;                 ///< n x 1, overwritten
};

/// Rows that blocks of a device keep together; max_rows is a multiple of it. Nonzeros are counted as if all rows of
/// such a slice were as long as its longest, since that is how the matrix is laid out.
inline constexpr size_type persistent_slice = 32;

/// Fast memory that a block of a device needs for `num_vectors` vectors and two numbers per slice.
template <class V>
constexpr size_type persistent_block_bytes(size_type max_rows, int num_vectors)
{
    return max_rows * num_vectors * static_cast<size_type>(sizeof(V)) +
           max_rows / persistent_slice * 2 * static_cast<size_type>(sizeof(std::uint32_t));
}

/// Workspace: a header, which is zero before the first kernel that uses it, and the matrix laid out anew.
inline constexpr size_type persistent_header_bytes = 48 * 1024;
template <class V>
constexpr size_type persistent_workspace_bytes(size_type num_rows, PersistentPartition partition)
{
    const size_type blocks = (num_rows + partition.max_rows - 1) / partition.max_rows;
    return persistent_header_bytes +
           blocks * partition.max_nonzeros * static_cast<size_type>(sizeof(V) + sizeof(std::uint32_t));
}

}  // namespace linden
