#include "core/kernels/limits.hpp"

#include "cuda/grid_exchange.cuh"
#include "cuda/persistent_matrix.cuh"

namespace linden::cuda {
namespace {

__global__ void __launch_bounds__(persistent_threads) meet_kernel(std::int32_t count, std::int32_t* met,
                                                                   std::byte* workspace)
{
    GridExchange exchange(workspace);
    std::int32_t number = 0;
    for (std::int32_t i = 0; i < count; ++i) {
        exchange.barrier();
        ++number;
    }
    exchange.finish();
    if (block_id() == 0 && thread_id() == 0) {
        *met = number;
    }
}

void meet(const Executor& exec, std::int32_t count, std::int32_t* met, WorkspaceView workspace)
{
    const size_type blocks = gpu(exec).grid_memory().num_blocks;
    launch_persistent<double>(exec, meet_kernel, blocks, {1, 0}, 0, count, met, workspace.data);
}

}  // namespace

void register_limits() { limits_meet.bind(Backend::cuda, meet); }

}  // namespace linden::cuda
