#include "gpu/runtime/executor.hpp"

namespace linden {
namespace cuda {

/// Binds every kernel of gpu/ and of this folder; the build writes it from the files.
void register_kernels();

}  // namespace cuda

void register_cuda()
{
    register_backend(Backend::cuda, {[](const ExecutorOptions& options) -> std::shared_ptr<ExecutorState> {
                                         return std::make_shared<cuda::GpuExecutor>(options);
                                     },
                                     cuda::info_of_backend});
    cuda::register_kernels();
}

}  // namespace linden
