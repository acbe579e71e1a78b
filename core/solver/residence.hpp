#pragma once

#include <linden/matrix/diagonal.hpp>

#include <algorithm>
#include <optional>
#include <vector>

#include "core/base/executor_state.hpp"
#include "core/kernels/resident.hpp"
#include "core/matrix/visit_csr.hpp"

/// Whether a system is small enough for a kernel that runs the whole solve, and how its rows are dealt to the blocks.
namespace linden {

/// Whether such kernels, which form z = M^-1 r as they go, can do with this preconditioner: none, or a diagonal matrix
/// on the executor of the solver.
template <class V>
bool is_diagonal_here(const Executor& exec, const LinOp<V>* preconditioner)
{
    return preconditioner == nullptr ||
           (dynamic_cast<const Diagonal<V>*>(preconditioner) != nullptr && preconditioner->executor() == exec);
}

/// The diagonal of such a preconditioner; null where there is none.
template <class V>
const V* diagonal_values(const LinOp<V>* preconditioner)
{
    const auto* const diagonal = dynamic_cast<const Diagonal<V>*>(preconditioner);
    return diagonal == nullptr ? nullptr : diagonal->values();
}

/// The row pointers of A on the host; nothing if A is no Csr.
template <class V>
std::vector<size_type> host_row_pointers(const LinOp<V>& a)
{
    std::vector<size_type> result;
    visit_if_csr(a, [&]<class I>(const Csr<V, I>& csr) {
        std::vector<I> row_ptrs(static_cast<std::size_t>(a.size().rows) + 1);
        copy_bytes(a.executor(), csr.row_ptrs(), detail::host(), row_ptrs.data(), row_ptrs.size() * sizeof(I));
        result.assign(row_ptrs.begin(), row_ptrs.end());
    });
    return result;
}

/// The rows dealt to blocks, equally many to each but the last, a multiple of `slice`. Nonzeros are counted as if the
/// rows of a slice were all as long as the longest.
inline RowPartition partition_rows(const std::vector<size_type>& row_ptrs, size_type num_blocks, size_type slice)
{
    const auto rows = static_cast<size_type>(row_ptrs.size()) - 1;
    const auto row_ptr = [&](size_type row) { return row_ptrs[static_cast<std::size_t>(std::min(row, rows))]; };
    RowPartition partition;
    partition.max_rows = ((rows + num_blocks - 1) / num_blocks + slice - 1) / slice * slice;
    for (size_type first = 0; first < rows; first += partition.max_rows) {
        size_type nonzeros = 0;
        for (size_type row = first; row < first + partition.max_rows; row += slice) {
            size_type longest = 0;
            for (size_type i = row; i < row + slice; ++i) {
                longest = std::max(longest, row_ptr(i + 1) - row_ptr(i));
            }
            nonzeros += longest * slice;
        }
        partition.max_nonzeros = std::max(partition.max_nonzeros, nonzeros);
    }
    return partition;
}

/// Whether `num_vectors` vectors of n values take no more than `blocks` blocks have: larger systems need no look at
/// their rows.
template <class V>
bool may_fit(size_type rows, int num_vectors, int blocks, std::size_t bytes_per_block)
{
    return rows > 0 &&
           rows * num_vectors * static_cast<size_type>(sizeof(V)) <= blocks * static_cast<size_type>(bytes_per_block);
}

/// Where `num_vectors` vectors have room in the fast memory of a device, and its cache has a fair part of the matrix:
/// the partition for a kernel that keeps them there.
template <class V>
std::optional<RowPartition> resident_partition(const LinOp<V>& a, int num_vectors)
{
    // Larger matrices take so long that what is saved of the vectors is little, and a second copy of them is much.
    constexpr size_type max_cache_times = 4;
    const auto device = a.executor().state().resident_memory();
    const auto rows = a.size().rows;
    if (!may_fit<V>(rows, num_vectors, device.num_blocks, device.bytes_per_block)) {
        return {};
    }
    const auto row_ptrs = host_row_pointers(a);
    if (row_ptrs.empty()) {
        return {};
    }
    const auto partition = partition_rows(row_ptrs, device.num_blocks, resident_slice);
    const bool fits =
        resident_block_bytes<V>(partition.max_rows, num_vectors) <= static_cast<size_type>(device.bytes_per_block) &&
        resident_workspace_bytes<V>(rows, partition) <= max_cache_times * static_cast<size_type>(device.cache_bytes);
    return fits ? std::optional(partition) : std::nullopt;
}

/// The workspace of such a kernel.
template <class V>
Array<std::byte> resident_workspace(const Executor& exec, size_type rows, RowPartition partition)
{
    Array<std::byte> workspace(exec, resident_workspace_bytes<V>(rows, partition));
    exec.state().fill_zero(workspace.data(), resident_header_bytes);
    return workspace;
}

}  // namespace linden
