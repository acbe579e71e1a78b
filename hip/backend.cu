#include "gpu/runtime/executor.hpp"

namespace linden {
namespace hip {

/// Binds every kernel of gpu/ and of this folder; the build writes it from the files.
void register_kernels();

}  // namespace hip

void register_hip()
{
    register_backend(Backend::hip, {[](const ExecutorOptions& options) -> std::shared_ptr<ExecutorState> {
                                        return std::make_shared<hip::GpuExecutor>(options);
                                    },
                                    hip::info_of_backend});
    hip::register_kernels();
}

}  // namespace linden
