#pragma once

#include "core/base/executor_state.hpp"

/// Reference executors that say they have the fast memory of a device: solvers run their kernels for whole solves
/// there.
namespace linden::test {

struct FastMemory {
    ClusterMemory cluster{};
    GridMemory resident{};
};

namespace detail {

/// What the next executor says.
inline FastMemory next_fast_memory;

class FastMemoryExecutor final : public HostExecutorState {
public:
    explicit FastMemoryExecutor(std::shared_ptr<MemoryResource> memory)
        : HostExecutorState(Backend::reference, 0, std::move(memory)),
          memory_(std::exchange(next_fast_memory, {}))
    {
    }
    DeviceInfo info() const override { return backend_info(Backend::reference).devices.front(); }
    ClusterMemory cluster_memory() const override { return memory_.cluster; }
    GridMemory grid_memory() const override { return memory_.resident; }

private:
    FastMemory memory_;
};

inline std::shared_ptr<ExecutorState> create_with_fast_memory(const ExecutorOptions& options)
{
    return std::make_shared<FastMemoryExecutor>(options.memory ? options.memory : pool_memory(host_memory()));
}

inline BackendInfo original_info;

}  // namespace detail

/// A reference executor with `memory`. Those made later without this function have none, as before.
inline Executor executor_with_fast_memory(const FastMemory& memory)
{
    detail::original_info = backend_info(Backend::reference);
    register_backend(Backend::reference, {detail::create_with_fast_memory, [] { return detail::original_info; }});
    detail::next_fast_memory = memory;
    return Executor::create(Backend::reference);
}

/// Room for systems of up to some thousand rows on a cluster.
inline Executor executor_with_cluster() { return executor_with_fast_memory({.cluster = {16, 200'000}}); }

/// The blocks and the cache of a small device.
inline Executor executor_with_grid_memory()
{
    return executor_with_fast_memory({.resident = {8, 200'000, 10'000'000}});
}

}  // namespace linden::test
