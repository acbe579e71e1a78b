#pragma once

#include "core/base/executor_state.hpp"

namespace linden::omp {

/// The multicore executor: kernels run on a team of `threads()` OpenMP threads.
class OmpExecutor final : public HostExecutorState {
public:
    OmpExecutor(std::shared_ptr<MemoryResource> memory, int threads)
        : HostExecutorState(Backend::omp, 0, std::move(memory)),
          threads_(threads)
    {
    }

    int threads() const { return threads_; }
    DeviceInfo info() const override;
    void fill_zero(void* target, std::size_t bytes) override;

private:
    int threads_;
};

/// The size of `exec`'s team; `exec` is an OpenMP executor, as in every kernel of this folder.
inline int num_threads(const Executor& exec) { return static_cast<const OmpExecutor&>(exec.state()).threads(); }

}  // namespace linden::omp
