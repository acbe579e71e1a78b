#pragma once

#include "gpu/device/device.cuh"

namespace linden::LINDEN_GPU_NAMESPACE {

/// All loads before it are on their way before anything after it is done. NVIDIA's assembler else puts off loads whose
/// values are wanted late until after the wait for those that are wanted early, so that two latencies follow each
/// other.
__device__ inline void begin_loads()
{
#if defined(__CUDA_ARCH__)
    asm volatile("{\n.reg .b32 lanes;\nactivemask.b32 lanes;\nbar.warp.sync lanes;\n}" ::: "memory");
#endif
}

}  // namespace linden::LINDEN_GPU_NAMESPACE
