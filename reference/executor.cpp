#include "core/base/executor_state.hpp"

namespace linden::reference {
/// Binds every kernel of this folder; the build writes it from the folder's files.
void register_kernels();
}  // namespace linden::reference

namespace linden {
namespace {

class ReferenceExecutor final : public HostExecutorState {
public:
    explicit ReferenceExecutor(std::shared_ptr<MemoryResource> memory)
        : HostExecutorState(Backend::reference, 0, std::move(memory))
    {
    }
    DeviceInfo info() const override { return {"sequential host", 1, 0}; }
};

std::shared_ptr<ExecutorState> create(const ExecutorOptions& options)
{
    return std::make_shared<ReferenceExecutor>(options.memory ? options.memory : pool_memory(host_memory()));
}

BackendInfo info() { return {Backend::reference, true, {}, {{"sequential host", 1, 0}}}; }

}  // namespace

void register_reference()
{
    register_backend(Backend::reference, {create, info});
    reference::register_kernels();
}

}  // namespace linden
