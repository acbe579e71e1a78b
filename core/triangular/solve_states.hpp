#pragma once

#include <linden/array.hpp>

#include <memory>
#include <mutex>
#include <vector>

#include "core/kernels/triangular.hpp"

namespace linden::detail {

/// States of sync-free solves for each number of right-hand sides, kept as long as the operator lives, since recorded
/// loops hold their addresses. Thread-safe.
template <class V>
class SolveStates {
    struct Slot {
        Array<V> blocks;
        Array<std::uint64_t> tickets;
        bool idle;
    };

public:
    explicit SolveStates(Executor exec) : exec_(std::move(exec)) {}

    /// A state for `count` = 2 n k values, for as long as the lease lives.
    class Lease {
    public:
        Lease(SolveStates& states, size_type count) : states_(states), slot_(states.take(count)) {}
        ~Lease()
        {
            const std::lock_guard lock(states_.mutex_);
            slot_.idle = true;
        }
        Lease(const Lease&) = delete;
        Lease& operator=(const Lease&) = delete;

        SyncFreeState<V> state() { return {slot_.blocks.data(), slot_.tickets.data()}; }

    private:
        SolveStates& states_;
        Slot& slot_;
    };

private:
    Slot& take(size_type count)
    {
        const std::lock_guard lock(mutex_);
        for (auto& slot : slots_) {
            if (slot->idle && slot->blocks.size() == count) {
                slot->idle = false;
                return *slot;
            }
        }
        auto slot = std::make_unique<Slot>(Slot{Array<V>(exec_, count), Array<std::uint64_t>(exec_, 1), false});
        triangular_start_state<V>(exec_, count, {slot->blocks.data(), slot->tickets.data()});
        return *slots_.emplace_back(std::move(slot));
    }

    Executor exec_;
    std::mutex mutex_;
    std::vector<std::unique_ptr<Slot>> slots_;
};

}  // namespace linden::detail
