#pragma once

#include <library_types.h>

/// <hip/library_types.h> for LINDEN_HIP_PLATFORM=nvidia.

using hipDataType = cudaDataType;
inline constexpr hipDataType HIP_R_32F = CUDA_R_32F, HIP_R_64F = CUDA_R_64F, HIP_C_32F = CUDA_C_32F,
                             HIP_C_64F = CUDA_C_64F;
