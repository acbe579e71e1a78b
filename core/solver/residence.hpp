#pragma once

#include <linden/matrix/diagonal.hpp>

#include <algorithm>
#include <numeric>
#include <optional>
#include <vector>

#include "core/base/executor_state.hpp"
#include "core/kernels/resident.hpp"
#include "core/kernels/sell.hpp"
#include "core/matrix/visit_csr.hpp"

/// Whether a system is small enough for a persistent kernel, and the partition of its rows among blocks.
namespace linden {

/// Whether persistent kernels, which compute z = M^-1 r themselves, support this preconditioner: none, or a diagonal
/// matrix on the executor of the solver.
template <class V>
bool is_diagonal_here(const Executor& exec, const LinOp<V>* preconditioner)
{
    return preconditioner == nullptr ||
           (dynamic_cast<const Diagonal<V>*>(preconditioner) != nullptr && preconditioner->executor() == exec);
}

/// The diagonal of such a preconditioner; null if there is none.
template <class V>
const V* diagonal_values(const LinOp<V>* preconditioner)
{
    const auto* const diagonal = dynamic_cast<const Diagonal<V>*>(preconditioner);
    return diagonal == nullptr ? nullptr : diagonal->values();
}

/// The length of the longest row of each slice of `slice` rows, on the host; empty if A is not a Csr.
template <class V>
std::vector<size_type> slice_widths(const LinOp<V>& a, size_type slice)
{
    std::vector<size_type> result;
    visit_if_csr(a, [&]<class I>(const Csr<V, I>& csr) {
        Array<I> widths(a.executor(), (a.size().rows + slice - 1) / slice);
        sell_count_slices<I>(a.executor(), a.size().rows, csr.row_ptrs(), slice, nullptr, widths.data());
        const auto on_host = widths.to_host();
        result.assign(on_host.begin(), on_host.end());
    });
    return result;
}

/// The partition of rows among blocks: an equal number for each but the last, a multiple of `slice`. Nonzeros are
/// counted with the padding of slices. Empty if A is not a Csr or has no rows. Waits for the executor.
template <class V>
std::optional<RowPartition> partition_rows(const LinOp<V>& a, size_type num_blocks, size_type slice)
{
    const auto widths = slice_widths(a, slice);
    if (widths.empty()) {
        return {};
    }
    const auto num_slices = static_cast<size_type>(widths.size());
    const size_type slices_per_block = ((a.size().rows + num_blocks - 1) / num_blocks + slice - 1) / slice;
    RowPartition partition{slices_per_block * slice, 0};
    for (size_type first = 0; first < num_slices; first += slices_per_block) {
        const auto last = widths.begin() + std::min(first + slices_per_block, num_slices);
        const auto columns = std::accumulate(widths.begin() + first, last, size_type{0});
        partition.max_nonzeros = std::max(partition.max_nonzeros, columns * slice);
    }
    return partition;
}

/// Whether `num_vectors` vectors of n values fit into the memory of `blocks` blocks. If not, rows need not be examined.
template <class V>
bool may_fit(size_type rows, int num_vectors, int blocks, std::size_t bytes_per_block)
{
    return rows > 0 &&
           rows * num_vectors * static_cast<size_type>(sizeof(V)) <= blocks * static_cast<size_type>(bytes_per_block);
}

/// The partition for a persistent kernel, if `num_vectors` vectors fit into a device's shared memory and a fair part of
/// the matrix into its cache.
template <class V>
std::optional<RowPartition> resident_partition(const LinOp<V>& a, int num_vectors)
{
    // For larger matrices the saving on vectors is small, and a second copy of the matrix is large.
    constexpr size_type max_cache_times = 4;
    const auto device = a.executor().state().resident_memory();
    const auto rows = a.size().rows;
    if (!may_fit<V>(rows, num_vectors, device.num_blocks, device.bytes_per_block)) {
        return {};
    }
    const auto partition = partition_rows(a, device.num_blocks, resident_slice);
    const bool fits =
        partition &&
        resident_block_bytes<V>(partition->max_rows, num_vectors) <= static_cast<size_type>(device.bytes_per_block) &&
        resident_workspace_bytes<V>(rows, *partition) <= max_cache_times * static_cast<size_type>(device.cache_bytes);
    return fits ? partition : std::nullopt;
}

/// The workspace of a persistent kernel.
template <class V>
Array<std::byte> resident_workspace(const Executor& exec, size_type rows, RowPartition partition)
{
    Array<std::byte> workspace(exec, resident_workspace_bytes<V>(rows, partition));
    exec.state().fill_zero(workspace.data(), resident_header_bytes);
    return workspace;
}

}  // namespace linden
