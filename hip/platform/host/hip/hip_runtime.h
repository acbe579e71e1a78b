#pragma once

#include "../runtime.hpp"

/// <hip/hip_runtime.h> for LINDEN_HIP_PLATFORM=host: HIP's names for a C++ compiler, on the host executor.
#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __launch_bounds__(...)
// One object per block, also when several blocks are resident: only LINDEN_SHARED can give that here.
#define __shared__ static_assert(false, "use LINDEN_SHARED or dynamic_shared");

using linden::hip_host::blockDim;
using linden::hip_host::blockIdx;
using linden::hip_host::gridDim;
using linden::hip_host::threadIdx;
