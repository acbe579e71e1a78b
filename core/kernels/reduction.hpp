#pragma once

#include <linden/array.hpp>
#include <linden/views.hpp>

#include "core/base/executor_state.hpp"

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

/// Workspace for reductions. It starts as zeros; kernels leave its header as they found it.
class ReductionWorkspace {
public:
    template <class V>
    static ReductionWorkspace for_values(const Executor& exec, size_type num_values)
    {
        return ReductionWorkspace(exec, reduction_workspace_bytes<V>(num_values));
    }

    WorkspaceView view() { return {memory_.data(), memory_.size()}; }

private:
    ReductionWorkspace(const Executor& exec, size_type bytes) : memory_(exec, bytes)
    {
        exec.state().fill_zero(memory_.data(), memory_.bytes());
    }

    Array<std::byte> memory_;
};

}  // namespace linden
