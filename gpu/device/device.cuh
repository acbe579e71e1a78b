#pragma once

#include <linden/types.hpp>

#include <cstdint>
#include <source_location>
#include <type_traits>

/// The device layer: all that kernels of gpu/ know of their platform. The same text is compiled
///
/// | as                | by                     | the build defines                                          |
/// |-------------------|------------------------|------------------------------------------------------------|
/// | CUDA              | nvcc                   | LINDEN_GPU_NAMESPACE=cuda                                  |
/// | HIP on AMD        | clang -x hip           | LINDEN_GPU_NAMESPACE=hip, LINDEN_HIP_PLATFORM_AMD          |
/// | HIP on NVIDIA     | nvcc, hip/platform/nvidia | LINDEN_GPU_NAMESPACE=hip, LINDEN_HIP_PLATFORM_NVIDIA    |
/// | HIP on the host   | C++, hip/platform/host | LINDEN_GPU_NAMESPACE=hip, LINDEN_HIP_PLATFORM_HOST         |
///
/// and lands in the namespace linden::cuda or linden::hip, so that one program may hold both.
///
/// Rules that make a kernel right on all four:
/// - blocks are one-dimensional, grids may have three dimensions;
/// - shared memory comes from LINDEN_SHARED or dynamic_shared();
/// - every thread of a subgroup that has not ended reaches each of its collectives, and every thread of a block that
///   has not ended reaches each block_barrier(); subgroups of a wave may diverge from each other;
/// - a loop that waits for another thread calls pause() (or spin_until), and waits only for threads that are sure to
///   run: of an earlier block by ticket, never of the same subgroup.
#if defined(LINDEN_HIP_PLATFORM_AMD) || defined(LINDEN_HIP_PLATFORM_NVIDIA) || defined(LINDEN_HIP_PLATFORM_HOST)
#include <hip/hip_runtime.h>
#define LINDEN_GPU_HIP 1
#else
#include <cuda_runtime.h>
#endif

#if !defined(LINDEN_GPU_NAMESPACE)
#error "LINDEN_GPU_NAMESPACE must be cuda or hip: compile device code through linden_add_gpu_sources"
#endif

/// Declares `name` as a variable of the type that follows, in the block's shared memory: LINDEN_SHARED(sums,
/// double[8]). Its contents are undefined until written.
#if defined(LINDEN_HIP_PLATFORM_HOST)
#define LINDEN_SHARED(name, ...)                                   \
    static char name##_key;                                        \
    auto& name = *static_cast<std::type_identity_t<__VA_ARGS__>*>( \
        ::linden::hip_host::static_shared(&name##_key, sizeof(std::type_identity_t<__VA_ARGS__>)))
#else
#define LINDEN_SHARED(name, ...) __shared__ std::type_identity_t<__VA_ARGS__> name
#endif

/// Before a loop of constant length whose body indexes arrays that are to stay in registers.
#if defined(LINDEN_HIP_PLATFORM_HOST)
#define LINDEN_UNROLL
#else
#define LINDEN_UNROLL _Pragma("unroll")
#endif

namespace linden::LINDEN_GPU_NAMESPACE {

/// Blocks of a kernel that must fit beside each other on CUDA, for its launch bounds. HIP's compilers count waves
/// there, and shared memory leaves room for few: they are asked for one.
constexpr int blocks_on_cuda([[maybe_unused]] int blocks)
{
#if defined(LINDEN_GPU_HIP)
    return 1;
#else
    return blocks;
#endif
}

// ---- host side ------------------------------------------------------------------------------------------------------

#if defined(LINDEN_GPU_HIP)
using Stream = hipStream_t;
using ErrorCode = hipError_t;
inline constexpr ErrorCode success = hipSuccess;
inline constexpr ErrorCode invalid_configuration = hipErrorInvalidConfiguration;
inline const char* error_name(ErrorCode e) { return hipGetErrorName(e); }
inline const char* error_text(ErrorCode e) { return hipGetErrorString(e); }
#else
using Stream = cudaStream_t;
using ErrorCode = cudaError_t;
inline constexpr ErrorCode success = cudaSuccess;
inline constexpr ErrorCode invalid_configuration = cudaErrorInvalidConfiguration;
inline const char* error_name(ErrorCode e) { return cudaGetErrorName(e); }
inline const char* error_text(ErrorCode e) { return cudaGetErrorString(e); }
#endif

/// Work-items of a wave (warp) of `device`, 0 if it cannot be asked.
inline int wave_size_of(int device)
{
    int lanes = 0;
#if defined(LINDEN_GPU_HIP)
    const ErrorCode e = hipDeviceGetAttribute(&lanes, hipDeviceAttributeWarpSize, device);
#else
    const ErrorCode e = cudaDeviceGetAttribute(&lanes, cudaDevAttrWarpSize, device);
#endif
    return e == success ? lanes : 0;
}

// ---- device side ----------------------------------------------------------------------------------------------------

/// `wave_size`: lanes that run together, known in device code only. AMD compiles one pass per architecture, some of 32
/// lanes and some of 64, and the host's pass sees neither: host code asks wave_size_of(device), and nothing that both
/// sides must agree on (launch sizes, workspace sizes) may depend on wave_size. `max_wave_size` is the same everywhere.
#if defined(LINDEN_HIP_PLATFORM_HOST)
inline constexpr int wave_size = LINDEN_HIP_HOST_WAVE;
inline constexpr int max_wave_size = LINDEN_HIP_HOST_WAVE;
#elif defined(LINDEN_HIP_PLATFORM_AMD)
#if defined(__HIP_DEVICE_COMPILE__) && !defined(__GFX9__)
inline constexpr int wave_size = 32;
#else
inline constexpr int wave_size = 64;
#endif
inline constexpr int max_wave_size = 64;
#else
inline constexpr int wave_size = 32;
inline constexpr int max_wave_size = 32;
#endif

/// Where a collective is called: the host executor reports threads that meet in different calls. Empty on devices.
#if defined(LINDEN_HIP_PLATFORM_HOST)
using CallSite = hip_host::CallSite;
#else
struct CallSite {
    __host__ __device__ static constexpr CallSite current() { return {}; }
};
#endif

/// Kernels that are launched with Overlap::with_previous begin while the kernel before them ends: they call
/// `wait_for_previous_kernel` before they touch what that may write, and `let_next_kernel_begin` for the next.
__device__ inline void wait_for_previous_kernel()
{
#if !defined(LINDEN_GPU_HIP) && defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}
__device__ inline void let_next_kernel_begin()
{
#if !defined(LINDEN_GPU_HIP) && defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

__device__ inline int thread_id() { return static_cast<int>(threadIdx.x); }
__device__ inline int block_threads() { return static_cast<int>(blockDim.x); }
__device__ inline int block_id() { return static_cast<int>(blockIdx.x); }
__device__ inline int block_id_y() { return static_cast<int>(blockIdx.y); }
__device__ inline int block_id_z() { return static_cast<int>(blockIdx.z); }
__device__ inline int num_blocks() { return static_cast<int>(gridDim.x); }

/// Number of this thread along the grid's first dimension, and how many threads that dimension has.
template <class I = size_type>
__device__ inline I global_id()
{
    return static_cast<I>(blockIdx.x) * static_cast<I>(blockDim.x) + static_cast<I>(threadIdx.x);
}
template <class I = size_type>
__device__ inline I grid_threads()
{
    return static_cast<I>(gridDim.x) * static_cast<I>(blockDim.x);
}

/// Waits for all threads of the block that have not ended; orders their accesses to shared and global memory.
__device__ inline void block_barrier([[maybe_unused]] CallSite site = CallSite::current())
{
#if defined(LINDEN_HIP_PLATFORM_HOST)
    hip_host::barrier(site);
#else
    __syncthreads();
#endif
}

/// The shared memory that the launch asked for, 16-byte aligned.
template <class T>
__device__ inline T* dynamic_shared()
{
#if defined(LINDEN_HIP_PLATFORM_HOST)
    return static_cast<T*>(hip_host::dynamic_shared());
#else
    extern __shared__ __attribute__((aligned(16))) unsigned char linden_dynamic_shared[];
    return reinterpret_cast<T*>(linden_dynamic_shared);
#endif
}

/// One turn of a loop that waits for another thread.
__device__ inline void pause()
{
#if defined(LINDEN_HIP_PLATFORM_HOST)
    hip_host::yield();
#elif defined(LINDEN_HIP_PLATFORM_AMD)
    __builtin_amdgcn_s_sleep(1);
#endif
}

template <class Predicate>
__device__ inline void spin_until(Predicate is_true)
{
    while (!is_true()) {
        pause();
    }
}

/// Nanoseconds of a clock that all blocks share; its step is 32 ns to 1 us on NVIDIA, 10 ns on AMD (the constant
/// 100 MHz counter of its data-centre devices).
__device__ inline std::uint64_t global_timer_ns()
{
#if defined(LINDEN_HIP_PLATFORM_HOST)
    return hip_host::timer_ns();
#elif defined(LINDEN_HIP_PLATFORM_AMD)
#if __has_builtin(__builtin_readsteadycounter)
    return 10 * __builtin_readsteadycounter();
#else
    return 10 * __builtin_amdgcn_s_memrealtime();
#endif
#else
    std::uint64_t t;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
    return t;
#endif
}

}  // namespace linden::LINDEN_GPU_NAMESPACE
