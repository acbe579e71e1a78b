#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include "gpu/runtime/executor.hpp"

/// How kernels are launched.
namespace linden::LINDEN_GPU_NAMESPACE {

/// Blocks of a launch; a plain number is a one-dimensional grid.
struct Grid {
    size_type x = 1, y = 1, z = 1;
    constexpr Grid(size_type x_, size_type y_ = 1, size_type z_ = 1) : x(x_), y(y_), z(z_) {}
};

/// Blocks of `block_threads` that cover n items, `items_per_thread` each.
constexpr size_type blocks_for(size_type n, int block_threads, int items_per_thread = 1)
{
    const size_type per_block = static_cast<size_type>(block_threads) * items_per_thread;
    return (n + per_block - 1) / per_block;
}

/// Whether a kernel may begin while the one before it in the stream ends; see wait_for_previous_kernel.
enum class Overlap { none, with_previous };

/// Launches `kernel` asynchronously in `stream`. A grid without blocks is no work and a success. The result says only
/// whether the launch was accepted. Arguments convert to the kernel's parameter types. [[nodiscard]]: check it.
template <class... P>
[[nodiscard]] ErrorCode launch([[maybe_unused]] Overlap overlap, void (*kernel)(P...), Grid grid, int block_threads,
                               size_type shared_bytes, Stream stream, std::type_identity_t<P>... arguments)
{
    static_assert((!std::is_reference_v<P> && ...), "a kernel's parameters are values");
    if (grid.x == 0 || grid.y == 0 || grid.z == 0) {
        return success;
    }
    constexpr size_type max_x = std::numeric_limits<std::int32_t>::max(), max_yz = 65535;
    if (grid.x < 0 || grid.x > max_x || grid.y < 0 || grid.y > max_yz || grid.z < 0 || grid.z > max_yz) {
        return invalid_configuration;
    }
    const dim3 blocks(static_cast<unsigned>(grid.x), static_cast<unsigned>(grid.y), static_cast<unsigned>(grid.z));
    const dim3 threads(static_cast<unsigned>(block_threads));
    const auto bytes = static_cast<std::size_t>(shared_bytes);
#if defined(LINDEN_HIP_PLATFORM_HOST)
    return hip_host::launch_kernel<P...>(kernel, blocks, threads, bytes, stream, arguments...);
#else
    const auto function = reinterpret_cast<const void*>(kernel);
    void* pointers[] = {static_cast<void*>(&arguments)..., nullptr};
    constexpr std::size_t always_allowed = 48 * 1024;
#if defined(LINDEN_GPU_HIP)
    if (bytes > always_allowed) {
        const ErrorCode e =
            hipFuncSetAttribute(function, hipFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes));
        if (e != success) {
            return e;
        }
    }
    return hipLaunchKernel(function, blocks, threads, pointers, bytes, stream);
#else
    if (bytes > always_allowed) {
        const ErrorCode e =
            cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes));
        if (e != success) {
            return e;
        }
    }
    cudaLaunchAttribute attribute{};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    const cudaLaunchConfig_t config{.gridDim = blocks,
                                    .blockDim = threads,
                                    .dynamicSmemBytes = bytes,
                                    .stream = stream,
                                    .attrs = &attribute,
                                    .numAttrs = overlap == Overlap::with_previous ? 1u : 0u};
    return cudaLaunchKernelExC(&config, function, pointers);
#endif
#endif
}
template <class... P>
[[nodiscard]] ErrorCode launch(void (*kernel)(P...), Grid grid, int block_threads, size_type shared_bytes,
                               Stream stream, std::type_identity_t<P>... arguments)
{
    return launch(Overlap::none, kernel, grid, block_threads, shared_bytes, stream, arguments...);
}

/// Launches `kernel` on the executor's stream. @throws VendorError
template <class... P>
void launch_on(const Executor& exec, void (*kernel)(P...), Grid grid, int block_threads, size_type shared_bytes,
               std::type_identity_t<P>... arguments)
{
    auto& state = gpu(exec);
    const DeviceScope scope(state.device());
    check(launch(Overlap::none, kernel, grid, block_threads, shared_bytes, state.stream(), arguments...),
          "LaunchKernel");
    state.count_launches(1);
}

/// The same for a kernel that calls wait_for_previous_kernel.
template <class... P>
void launch_overlapped_on(const Executor& exec, void (*kernel)(P...), Grid grid, int block_threads,
                          size_type shared_bytes, std::type_identity_t<P>... arguments)
{
    auto& state = gpu(exec);
    const DeviceScope scope(state.device());
    const auto overlap = state.can_overlap_kernels() ? Overlap::with_previous : Overlap::none;
    check(launch(overlap, kernel, grid, block_threads, shared_bytes, state.stream(), arguments...), "LaunchKernel");
    state.count_launches(1);
}

}  // namespace linden::LINDEN_GPU_NAMESPACE
