#pragma once

#include "core/portable/summary.hpp"
#include "gpu/device/complex.cuh"
#include "gpu/device/reduce.cuh"
#include "gpu/vector/row_groups.cuh"

/// What a glance at a matrix tells: one pass over its entries.
namespace linden::LINDEN_GPU_NAMESPACE {

/// L lanes to a row, of which each has two entries on their way. answers: zeros when the kernel begins.
template <int L, class V, class I>
__global__ void __launch_bounds__(column_block_threads) summarize_kernel(CsrView<V, I> a, std::uint64_t* answers)
{
    let_next_kernel_begin();
    wait_for_previous_kernel();
    EntrySummary summary;
    for (size_type row = global_id() / L; row < a.rows; row += grid_threads() / L) {
        const size_type end = a.row_ptrs[row + 1];
        for (size_type k = a.row_ptrs[row] + thread_id() % L; k < end; k += 2 * L) {
            const bool has_second = k + L < end;
            const size_type second = has_second ? k + L : k;
            const I cols[] = {a.col_idxs[k], a.col_idxs[second]};
            const V values[] = {a.values[k], a.values[second]};
            summary.add(row, cols[0], values[0]);
            if (has_second) {
                summary.add(row, cols[1], values[1]);
            }
        }
    }
    std::uint64_t sums[] = {summary.difference, summary.num_diagonal, summary.num_negative};
    std::uint64_t largest[] = {summary.largest};
    block_reduce<column_block_threads>(sums);
    block_reduce<column_block_threads, Max>(largest);
    if (thread_id() == 0) {
        for (int i = 0; i < 3; ++i) {
            atomic_add(answers + i, sums[i]);
        }
        atomic_max(answers + 3, largest[0]);
    }
}

template <class V, class I>
void summarize(const Executor& exec, CsrView<V, I> a, std::uint64_t* answers)
{
    constexpr int blocks_each = 8;
    gpu(exec).fill_zero(answers, num_summary_answers * static_cast<size_type>(sizeof(*answers)));
    if (a.rows == 0) {
        return;
    }
    const size_type most = static_cast<size_type>(gpu(exec).num_multiprocessors()) * blocks_each;
    const auto launch = [&]<int L>() {
        launch_overlapped_on(exec, summarize_kernel<L, device_type<V>, I>,
                             std::min(blocks_for(a.rows * L, column_block_threads), most), column_block_threads, 0,
                             as_device(a), answers);
    };
    if (a.num_nonzeros <= 8 * a.rows) {
        launch.template operator()<4>();
    } else if (a.num_nonzeros <= 32 * a.rows) {
        launch.template operator()<8>();
    } else {
        launch.template operator()<32>();
    }
}

}  // namespace linden::LINDEN_GPU_NAMESPACE
