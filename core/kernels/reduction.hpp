#pragma once

#include <linden/array.hpp>
#include <linden/views.hpp>

#include <cstring>
#include <memory>

#include "core/base/executor_state.hpp"
#include "core/base/rank_sums.hpp"

namespace linden {

/// The most partial sums that a reduction of any backend keeps per value.
inline constexpr size_type max_reduction_partials = 2048;
/// Room for a backend's counters in front of the partial sums.
inline constexpr size_type reduction_header_bytes = 128;

/// What a kernel that forms `num_values` sums of type V needs as workspace, on any backend.
template <class V>
constexpr size_type reduction_workspace_bytes(size_type num_values)
{
    return reduction_header_bytes + max_reduction_partials * num_values * static_cast<size_type>(sizeof(V));
}

/// Where the header of a host executor's workspace points to what sums over ranks; null where there is one rank.
inline constexpr size_type rank_sums_offset = reduction_header_bytes - sizeof(RankSums*);

/// What kernels of host executors call where a sum ends: values[i * stride], i < count, of this rank become those of
/// all ranks of the workspace, which are combined by add(total, part) in the order of ranks.
template <class T, class Add>
void combine_over_ranks(WorkspaceView workspace, T* values, size_type count, size_type stride, const Add& add)
{
    if (workspace.bytes < reduction_header_bytes) {
        return;
    }
    RankSums* sums = nullptr;
    std::memcpy(&sums, workspace.data + rank_sums_offset, sizeof sums);
    if (sums != nullptr) {
        sums->combine(values, count, stride, add);
    }
}
template <class T>
void sum_over_ranks(WorkspaceView workspace, T* values, size_type count = 1, size_type stride = 1)
{
    combine_over_ranks(workspace, values, count, stride, [](T& total, const T& part) { total += part; });
}

/// Workspace for reductions. It starts as zeros; kernels leave its header as they found it.
class ReductionWorkspace {
public:
    template <class V>
    static ReductionWorkspace for_values(const Executor& exec, size_type num_values)
    {
        return ReductionWorkspace(exec, reduction_workspace_bytes<V>(num_values));
    }

    /// From now on sums are over the rows of all ranks. @throws NotSupported on devices, if there are several ranks
    void sum_over(const Communicator& communicator)
    {
        if (communicator.is_single()) {
            return;
        }
        const auto& exec = memory_.executor();
        if (!exec.is_host()) {
            throw NotSupported("sums over ranks on " + exec.name(),
                               "several ranks compute on the executors reference and omp only");
        }
        rank_sums_ = std::make_unique<RankSums>(communicator);
        RankSums* const address = rank_sums_.get();
        std::memcpy(memory_.data() + rank_sums_offset, &address, sizeof address);
    }
    /// The time that all ranks agree on; null where there is one rank.
    const std::int64_t* clock() const { return rank_sums_ == nullptr ? nullptr : rank_sums_->clock(); }

    WorkspaceView view() { return {memory_.data(), memory_.size()}; }

private:
    ReductionWorkspace(const Executor& exec, size_type bytes) : memory_(exec, bytes)
    {
        exec.state().fill_zero(memory_.data(), memory_.bytes());
    }

    Array<std::byte> memory_;
    std::unique_ptr<RankSums> rank_sums_;
};

}  // namespace linden
