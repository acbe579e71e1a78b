#pragma once

#include <linden/array.hpp>

#include "core/base/pool.hpp"
#include "core/kernels/triangular.hpp"

namespace linden::detail {

/// States of sync-free solves for each number of right-hand sides. Thread-safe.
template <class V>
class SolveStates {
    struct Memory {
        Array<V> blocks;
        Array<std::uint64_t> tickets;
        SyncFreeState<V> state() { return {blocks.data(), tickets.data()}; }
    };

public:
    explicit SolveStates(Executor exec) : exec_(std::move(exec)) {}

    /// A state for `count` = 2 n k values, for as long as the lease lives.
    class Lease {
    public:
        Lease(SolveStates& states, size_type count)
            : memory_(states.pool_.take([count](const Memory& idle) { return idle.blocks.size() == count; },
                                        [&] { return started(states.exec_, count); }))
        {
        }
        SyncFreeState<V> state() { return memory_->state(); }

    private:
        typename Pool<Memory>::Lease memory_;
    };

private:
    static Memory started(const Executor& exec, size_type count)
    {
        Memory memory{Array<V>(exec, count), Array<std::uint64_t>(exec, 1)};
        triangular_start_state<V>(exec, count, memory.state());
        return memory;
    }

    Executor exec_;
    Pool<Memory> pool_;
};

}  // namespace linden::detail
