#pragma once

#include "gpu/colouring/colour_rows.cuh"
#include "gpu/vector/columns.cuh"

/// Sweeps over rows that have slices to themselves, because they are long or few: a block of threads for each, or a
/// subgroup, with the steps of sweep_rows.cuh. A row takes as long as its entries take to come to one multiprocessor,
/// not the latency of each.
namespace linden::LINDEN_GPU_NAMESPACE {

#if defined(LINDEN_HIP_PLATFORM_HOST)
inline constexpr int long_row_threads = 64;
#else
inline constexpr int long_row_threads = 512;
#endif

/// Whether a colour's rows are such ones.
template <class S, class J>
bool has_long_rows(const ColourRows<S, J>& colour)
{
    const auto& layout = colour.rows.a.layout;
    const bool is_empty = layout.slice_ptrs == nullptr && layout.width == 0;
    return layout.rows > 0 && layout.slice_rows == 1 && !is_empty && (colour.block_rows == 1 || layout.rows == 1);
}

namespace detail {

/// The threads of a block, which share a row.
struct BlockTeam {
    static constexpr int size = long_row_threads;

    __device__ static size_type index() { return block_id(); }
    __device__ static size_type count() { return num_blocks(); }
    __device__ static int rank() { return thread_id(); }
    /// In the first thread.
    template <class T>
    __device__ static T sum(const T& value)
    {
        T sums[1]{value};
        block_reduce<long_row_threads>(sums);
        return sums[0];
    }
};

/// The lanes of a subgroup.
template <int L>
struct SubgroupTeam {
    static constexpr int size = L;

    __device__ static size_type index() { return Subgroup<L>::index(); }
    __device__ static size_type count() { return grid_threads() / L; }
    __device__ static int rank() { return Subgroup<L>::lane(); }
    template <class T>
    __device__ static T sum(const T& value)
    {
        return Subgroup<L>::sum(value);
    }
};

/// Finds a team's rows in one column. Its first thread finishes them and adds to the sums.
template <class Team, class V, class S, class J, class Step, class... Sums>
__device__ inline void sweep_long_rows(const ColourRows<S, J>& colour, const Step& step, size_type col, Sums&... sums)
{
    const auto local = step.prepare(col);
    if constexpr (requires { local.runs; }) {
        if (!local.runs) {
            return;
        }
    }
    for (size_type row = Team::index(); row < colour.rows.num_rows(); row += Team::count()) {
        const size_type p = colour.first + row;
        const auto early = step.find(p);
        const auto loaded = step.load(local, early, p, col);
        const V sum = Team::sum(colour.rows.template part_of_product<V>(
            colour.rows.find(row), Team::rank(), Team::size, [&](size_type at) { return step.gathered(at, col); }));
        if (Team::rank() == 0) {
            step.finish(local, early, loaded, p, col, sum, sums...);
        }
    }
}

template <class Team, int threads, class V, class S, class J, class Step>
__global__ void __launch_bounds__(threads, 1) sweep_long_kernel(ColourRows<S, J> colour, Step step, size_type cols)
{
    let_next_kernel_begin();
    wait_for_previous_kernel();
    for (size_type col = 0; col < cols; ++col) {
        sweep_long_rows<Team, V>(colour, step, col);
    }
}

template <class V, class T, class S, class J, class Step>
__global__ void __launch_bounds__(long_row_threads, 1)
    sweep_long_sum_kernel(ColourRows<S, J> colour, Step step, size_type cols, Partials<T, 1> partials)
{
    wait_for_previous_kernel();
    if (step.skip()) {
        return;
    }
    for (size_type col = 0; col < cols; ++col) {
        T sums[1]{};
        sweep_long_rows<BlockTeam, V>(colour, step, col, sums);
        if (thread_id() == 0) {
            partials.of(col, 0, num_blocks())[block_id()] = sums[0];
        }
    }
    let_next_kernel_begin();
    finish_columns<long_row_threads, Sum, T, 1>(cols, partials, step);
}

/// A block for each row, as long as some have others to follow.
inline size_type long_row_blocks(const Executor& exec, size_type num_rows)
{
    return std::min<size_type>(num_rows, size_type{gpu(exec).num_multiprocessors()} * 2);
}

}  // namespace detail

/// A subgroup for each row that has less entries on average, but not many times less.
inline constexpr size_type block_length = 256;

/// Calls step.finish for all rows.
template <class S, class J, class Step>
void sweep_long(const Executor& exec, const ColourRows<S, J>& colour, const Step& step)
{
    using V = typename Step::value_type;
    const size_type rows = colour.rows.num_rows(), cols = step.gathered.cols;
    if (cols == 0) {
        return;
    }
    if (colour.rows.a.layout.width >= block_length * rows) {
        launch_overlapped_on(exec, detail::sweep_long_kernel<detail::BlockTeam, long_row_threads, V, S, J, Step>,
                             detail::long_row_blocks(exec, rows), long_row_threads, 0, colour, step, cols);
        return;
    }
    constexpr int lanes = 32, threads = column_block_threads;
    launch_overlapped_on(exec, detail::sweep_long_kernel<detail::SubgroupTeam<lanes>, threads, V, S, J, Step>,
                         blocks_for(rows * lanes, threads), threads, 0, colour, step, cols);
}

/// The same with a sum per column, as sweep_colour_sum.
template <class T, class S, class J, class Step>
void sweep_long_sum(const Executor& exec, const ColourRows<S, J>& colour, const Step& step, WorkspaceView workspace)
{
    using V = typename Step::value_type;
    const size_type cols = step.gathered.cols;
    const auto shape =
        detail::fitted<T, 1>({1, detail::long_row_blocks(exec, colour.rows.num_rows())}, cols, workspace);
    launch_overlapped_on(exec, detail::sweep_long_sum_kernel<V, T, S, J, Step>, shape.grid, long_row_threads, 0, colour,
                         step, cols, detail::partials_in<T, 1>(workspace));
    detail::finish_over_ranks<Sum, T, 1>(exec, workspace, cols, step);
}

}  // namespace linden::LINDEN_GPU_NAMESPACE
