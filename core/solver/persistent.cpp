#include "core/solver/persistent.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "core/base/executor_state.hpp"
#include "core/kernels/cg_stencils.hpp"
#include "core/kernels/persistent.hpp"
#include "core/kernels/sell.hpp"
#include "core/matrix/visit_csr.hpp"

// instantiate: std::shared_ptr<const detail::PersistentPlan> detail::plan_cluster<V>(const LinOp<V>&, const LinOp<V>*, int, size_type (*)(PersistentPartition))
// instantiate: std::shared_ptr<const detail::PersistentPlan> detail::plan_grid<V>(const LinOp<V>&, const LinOp<V>*, int)
// instantiate: std::shared_ptr<const detail::PersistentPlan> detail::plan_stencils<V>(const LinOp<V>&, const LinOp<V>*)
// instantiate: Array<std::byte> detail::persistent_workspace<V>(const Executor&, Dim, const detail::PersistentPlan*)
// instantiate: bool detail::grid_may_hold<V>(const Executor&, size_type, int)
// instantiate: bool detail::grid_holds<V>(const Executor&, size_type, PersistentPartition, size_type)
// instantiate: std::vector<size_type> detail::slice_widths<V>(const LinOp<V>&, size_type)
// instantiate: std::optional<PersistentPartition> detail::partition_rows<V>(const LinOp<V>&, size_type, size_type)

namespace linden::detail {
namespace {

/// Whether `num_vectors` vectors of n values take no more than `blocks` blocks have: larger systems need no look at
/// their rows.
template <class V>
bool may_fit(size_type rows, int num_vectors, int blocks, std::size_t bytes_per_block)
{
    return rows > 0 &&
           rows * num_vectors * static_cast<size_type>(sizeof(V)) <= blocks * static_cast<size_type>(bytes_per_block);
}

std::shared_ptr<const PersistentPlan> plan_of(PersistentPlan::Variant variant, PersistentPartition partition)
{
    return std::make_shared<const PersistentPlan>(PersistentPlan{variant, partition});
}

}  // namespace

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

template <class V>
std::optional<PersistentPartition> partition_rows(const LinOp<V>& a, size_type num_blocks, size_type slice)
{
    const auto widths = slice_widths(a, slice);
    if (widths.empty()) {
        return {};
    }
    return partition_slices(a.size().rows, widths, num_blocks, slice);
}

PersistentPartition partition_slices(size_type rows, const std::vector<size_type>& widths, size_type num_blocks,
                                     size_type slice)
{
    const auto num_slices = static_cast<size_type>(widths.size());
    const size_type slices_per_block = ((rows + num_blocks - 1) / num_blocks + slice - 1) / slice;
    PersistentPartition partition{slices_per_block * slice, 0};
    for (size_type first = 0; first < num_slices; first += slices_per_block) {
        const auto last = widths.begin() + std::min(first + slices_per_block, num_slices);
        const auto columns = std::accumulate(widths.begin() + first, last, size_type{0});
        partition.max_nonzeros = std::max(partition.max_nonzeros, columns * slice);
    }
    return partition;
}

template <class V>
std::shared_ptr<const PersistentPlan> plan_cluster(const LinOp<V>& a, const LinOp<V>* preconditioner, int num_vectors,
                                                   size_type (*block_bytes)(PersistentPartition))
{
    const auto cluster = a.executor().state().cluster_memory();
    if (!is_diagonal_on(a.executor(), preconditioner) ||
        !may_fit<V>(a.size().rows, num_vectors, cluster.num_blocks, cluster.bytes_per_block)) {
        return nullptr;
    }
    const auto partition = partition_rows(a, cluster.num_blocks, 1);
    const bool fits = partition && block_bytes(*partition) <= static_cast<size_type>(cluster.bytes_per_block);
    return fits ? plan_of(PersistentPlan::Variant::cluster, *partition) : nullptr;
}

template <class V>
bool grid_may_hold(const Executor& exec, size_type rows, int num_vectors)
{
    const auto device = exec.state().grid_memory();
    return may_fit<V>(rows, num_vectors, device.num_blocks, device.bytes_per_block);
}

template <class V>
bool grid_holds(const Executor& exec, size_type rows, PersistentPartition partition, size_type block_bytes)
{
    // For larger matrices the saving on vectors is small, and a second copy of the matrix is large.
    constexpr size_type max_cache_times = 4;
    const auto device = exec.state().grid_memory();
    return block_bytes <= static_cast<size_type>(device.bytes_per_block) &&
           persistent_workspace_bytes<V>(rows, partition) <=
               max_cache_times * static_cast<size_type>(device.cache_bytes);
}

template <class V>
std::shared_ptr<const PersistentPlan> plan_grid(const LinOp<V>& a, const LinOp<V>* preconditioner, int num_vectors)
{
    const auto& exec = a.executor();
    const auto rows = a.size().rows;
    if (!is_diagonal_on(exec, preconditioner) || !grid_may_hold<V>(exec, rows, num_vectors)) {
        return nullptr;
    }
    const auto partition = partition_rows(a, exec.state().grid_memory().num_blocks, persistent_slice);
    const bool fits =
        partition && grid_holds<V>(exec, rows, *partition, persistent_block_bytes<V>(partition->max_rows, num_vectors));
    return fits ? plan_of(PersistentPlan::Variant::grid, *partition) : nullptr;
}

template <class V>
std::shared_ptr<const PersistentPlan> plan_stencils(const LinOp<V>& a, const LinOp<V>* preconditioner)
{
    const auto& exec = a.executor();
    const auto device = exec.state().grid_memory();
    std::shared_ptr<const PersistentPlan> plan;
    visit_if_stencil(a, [&](const auto& matrix) {
        const size_type rows = matrix.size().rows;
        if (rows == 0 || device.num_blocks == 0 || !is_diagonal_on(exec, preconditioner)) {
            return;
        }
        const auto partition = partition_slices(rows, {}, device.num_blocks, persistent_slice);
        if (stencil_block_bytes<V>(partition.max_rows) <= static_cast<size_type>(device.bytes_per_block)) {
            plan = plan_of(PersistentPlan::Variant::stencils, partition);
        }
    });
    return plan;
}

template <class V>
Array<std::byte> persistent_workspace(const Executor& exec, Dim size, const PersistentPlan* plan)
{
    if (plan == nullptr || plan->variant == PersistentPlan::Variant::cluster || size.cols != 1) {
        return Array<std::byte>(exec, 0);
    }
    Array<std::byte> workspace(exec, persistent_workspace_bytes<V>(size.rows, plan->partition));
    exec.state().fill_zero(workspace.data(), persistent_header_bytes);
    return workspace;
}

}  // namespace linden::detail
