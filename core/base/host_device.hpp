#pragma once

/// Marks functions that both the host and a device call.
#if defined(__CUDACC__) || defined(__HIPCC__)
#define LINDEN_HOST_DEVICE __host__ __device__
#else
#define LINDEN_HOST_DEVICE
#endif
