#pragma once

#include <linden/array.hpp>
#include <linden/views.hpp>

#include <cstring>
#include <memory>

#include "core/base/executor_state.hpp"
#include "core/base/rank_link.hpp"
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

/// What the sums of a host executor's workspace go to; null where they are those of one rank.
inline RankSums* rank_sums(WorkspaceView workspace)
{
    RankSums* sums = nullptr;
    if (workspace.bytes >= reduction_header_bytes) {
        std::memcpy(&sums, workspace.data + rank_sums_offset, sizeof sums);
    }
    return sums;
}

/// What follows a sum, finish(totals), where it may wait for later sums, so that they need one message only: nothing
/// of the kernel but the memory that its arguments point to is there any more. So lambdas capture by value.
template <class Finish>
struct Later {
    Finish finish;

    template <class T>
    void operator()(const T* totals) const
    {
        finish(totals);
    }
};
template <class Finish>
Later(Finish) -> Later<Finish>;

template <class Finish>
inline constexpr bool may_wait = false;
template <class Finish>
inline constexpr bool may_wait<Later<Finish>> = true;

/// How sums are added.
struct AddParts {
    template <class T>
    void operator()(T& total, const T& part) const
    {
        total += part;
    }
};

/// What kernels of host executors call where sums end: finish(totals) with those of all ranks of the workspace.
template <class T, class Finish, class Add = AddParts>
void finish_sums(WorkspaceView workspace, const T* values, size_type count, const Finish& finish, const Add& add = {})
{
    if (RankSums* const sums = rank_sums(workspace); sums != nullptr) {
        sums->submit(values, count, add, finish, may_wait<Finish>);
    } else {
        finish(values);
    }
}

/// act() after the sums that this kernel has submitted: at once, or with those that wait. It captures by value.
template <class Act>
void after_sums(WorkspaceView workspace, const Act& act)
{
    if (RankSums* const sums = rank_sums(workspace); sums != nullptr) {
        sums->after(act);
    } else {
        act();
    }
}

/// While it lives, the sums of a workspace that may wait do so, until `release`. No effect where there is one rank, or
/// where they do so already.
class HeldSums {
public:
    explicit HeldSums(RankSums* sums) : sums_(sums == nullptr || sums->is_holding() ? nullptr : sums)
    {
        if (sums_ != nullptr) {
            sums_->hold();
        }
    }
    HeldSums(const HeldSums&) = delete;
    HeldSums& operator=(const HeldSums&) = delete;
    ~HeldSums()
    {
        if (sums_ != nullptr) {
            sums_->discard();
        }
    }
    /// Begins to send what has waited, in one message; no other sums of this workspace until the release. Collective.
    void start()
    {
        if (sums_ != nullptr) {
            sums_->start();
        }
    }
    /// Sends what has waited, in one message, or waits for it, and finishes it. Collective.
    void release()
    {
        if (sums_ != nullptr) {
            sums_->release();
        }
    }

private:
    RankSums* sums_;
};

/// Workspace for reductions. It starts as zeros; kernels leave its header as they found it.
class ReductionWorkspace {
public:
    template <class V>
    static ReductionWorkspace for_values(const Executor& exec, size_type num_values)
    {
        return ReductionWorkspace(exec, reduction_workspace_bytes<V>(num_values));
    }

    /// From now on sums are over the rows of all ranks. @throws NotSupported on devices, if no matrix of these ranks is
    /// there
    void sum_over(const Communicator& communicator)
    {
        if (communicator.is_single() && !communicator.is_reproducible()) {
            return;
        }
        const auto& exec = memory_.executor();
        if (!exec.is_host()) {
            sum_on_device(communicator);
            return;
        }
        rank_sums_ = std::make_unique<RankSums>(communicator);
        RankSums* const address = rank_sums_.get();
        std::memcpy(memory_.data() + rank_sums_offset, &address, sizeof address);
    }
    /// The time that all ranks agree on; null where there is one rank.
    const std::int64_t* clock() const
    {
        return device_sums_ != nullptr ? device_sums_->clock() : rank_sums_ == nullptr ? nullptr : rank_sums_->clock();
    }

    /// Sums that may wait do so from now on; on devices none does.
    HeldSums hold() { return HeldSums(rank_sums_.get()); }

    WorkspaceView view() { return {memory_.data(), memory_.size(), device_sums_.get()}; }

private:
    ReductionWorkspace(const Executor& exec, size_type bytes) : memory_(exec, bytes)
    {
        exec.state().fill_zero(memory_.data(), memory_.bytes());
    }

    void sum_on_device(const Communicator& communicator)
    {
        const auto& exec = memory_.executor();
        auto link = communicator.is_single() ? nullptr : RankLink::find(communicator, exec);
        if (!communicator.is_single() && link == nullptr) {
            throw NotSupported("sums over ranks on " + exec.name(),
                               "the ranks have no distributed::Matrix there, which connects their devices");
        }
        // Kernels have room for a partial sum of hundreds of blocks each, so for this rank's sums more than once.
        device_sums_ = std::make_unique<DeviceSums>(exec, std::move(link), communicator, memory_.size() / 16);
    }

    Array<std::byte> memory_;
    std::unique_ptr<RankSums> rank_sums_;
    std::unique_ptr<DeviceSums> device_sums_;
};

}  // namespace linden
