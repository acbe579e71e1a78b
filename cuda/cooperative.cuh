#pragma once

#include "gpu/runtime/launch.hpp"

/// Kernels whose blocks meet, which all are on the device at the same time.
namespace linden::cuda {

/// Launches `kernel` on the executor's stream; no more blocks than fit beside each other. @throws VendorError
template <class... P>
void launch_cooperative(const Executor& exec, void (*kernel)(P...), size_type blocks, int block_threads,
                        size_type shared_bytes, std::type_identity_t<P>... arguments)
{
    auto& state = gpu(exec);
    const DeviceScope scope(state.device());
    check(cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel), cudaFuncAttributeMaxDynamicSharedMemorySize,
                               static_cast<int>(shared_bytes)),
          "FuncSetAttribute");
    cudaLaunchAttribute cooperative{};
    cooperative.id = cudaLaunchAttributeCooperative;
    cooperative.val.cooperative = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(static_cast<unsigned>(blocks));
    config.blockDim = dim3(static_cast<unsigned>(block_threads));
    config.dynamicSmemBytes = static_cast<std::size_t>(shared_bytes);
    config.stream = state.stream();
    config.attrs = &cooperative;
    config.numAttrs = 1;
    check(cudaLaunchKernelEx(&config, kernel, arguments...), "LaunchKernelEx");
    state.count_launches(1);
}

}  // namespace linden::cuda
