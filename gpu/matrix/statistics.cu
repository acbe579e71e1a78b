#include "core/kernels/statistics.hpp"

#include "gpu/vector/row_groups.cuh"

/// A subgroup of 32 lanes to a row; threads keep counts of their own until a block adds them up.
namespace linden::LINDEN_GPU_NAMESPACE {
namespace {

using Group = Subgroup<32>;

__global__ void start_kernel(PatternCounts* counts)
{
    if (thread_id() == 0) {
        *counts = no_counts();
    }
}

/// What a thread has seen of the pattern.
struct PatternTally {
    size_type sums[2] = {};  // squared lengths, diagonal entries
    // the longest row, minus the shortest, both bandwidths, minus the first malformed row
    size_type maxima[5] = {0, -INT64_MAX, 0, 0, -PatternCounts::no_row};
};

template <class I>
__device__ inline void tally_row(PatternView<I> a, size_type row, PatternTally& t)
{
    const auto raise = [](size_type& most, size_type value) { most = value > most ? value : most; };
    const size_type begin = a.row_ptrs[row];
    const size_type end = a.row_ptrs[row + 1];
    if (Group::lane() == 0) {
        t.sums[0] += (end - begin) * (end - begin);
        raise(t.maxima[0], end - begin);
        raise(t.maxima[1], begin - end);
    }
    for (size_type k = begin + Group::lane(); k < end; k += Group::size) {
        const size_type col = a.col_idxs[k];
        const size_type last = k == begin ? -1 : size_type{a.col_idxs[k - 1]};
        t.sums[1] += col == row ? 1 : 0;
        raise(t.maxima[2], row - col);
        raise(t.maxima[3], col - row);
        raise(t.maxima[4], col <= last || col < 0 || col >= a.cols ? -row : -PatternCounts::no_row);
    }
}

template <class I>
__global__ void __launch_bounds__(column_block_threads) pattern_kernel(PatternView<I> a, PatternCounts* counts)
{
    LINDEN_SHARED(rows_of_class, std::int32_t[num_length_classes]);
    for (int i = thread_id(); i < num_length_classes; i += block_threads()) {
        rows_of_class[i] = 0;
    }
    block_barrier();
    PatternTally t;
    for (size_type row = Group::index(); row < a.rows; row += grid_threads() / Group::size) {
        tally_row(a, row, t);
        if (Group::lane() == 0) {
            atomic_add(&rows_of_class[length_class(a.row_ptrs[row + 1] - a.row_ptrs[row])], 1);
        }
    }
    block_reduce<column_block_threads>(t.sums);
    block_reduce<column_block_threads, Max>(t.maxima);
    if (thread_id() == 0) {
        atomic_add(&counts->squared_lengths, t.sums[0]);
        atomic_add(&counts->num_diagonal, t.sums[1]);
        atomic_max(&counts->longest_row, t.maxima[0]);
        atomic_min(&counts->shortest_row, -t.maxima[1]);
        atomic_max(&counts->lower_bandwidth, t.maxima[2]);
        atomic_max(&counts->upper_bandwidth, t.maxima[3]);
        atomic_min(&counts->first_malformed, -t.maxima[4]);
    }
    for (int i = thread_id(); i < num_length_classes; i += block_threads()) {
        if (rows_of_class[i] != 0) {
            atomic_add(&counts->rows_of_class[i], rows_of_class[i]);
        }
    }
}

template <class I>
void count_pattern(const Executor& exec, PatternView<I> a, PatternCounts* counts)
{
    launch_on(exec, start_kernel, 1, 32, 0, counts);
    launch_on(exec, pattern_kernel<I>, busy_blocks(exec, a.rows * Group::size), column_block_threads, 0, a, counts);
}

/// Compares entry k of `row` with its mirror image. sums: see ValueCounts.
template <class V, class I>
__device__ inline void tally_mirrored(CsrView<V, I> a, size_type row, size_type col, V value, size_type* sums)
{
    V mirrored{};
    bool is_there = false;
    if (col >= 0 && col < a.rows) {
        const size_type end = a.row_ptrs[col + 1];
        const size_type at = lower_bound(a.col_idxs, size_type{a.row_ptrs[col]}, end, row);
        is_there = at < end && a.col_idxs[at] == row;
        if (is_there) {
            mirrored = a.values[at];
        }
    }
    sums[0] += is_there ? 0 : 1;
    sums[1] += value == mirrored ? 0 : 1;
    sums[2] += value == conj(mirrored) ? 0 : 1;
}

template <class V, class I>
__global__ void __launch_bounds__(column_block_threads) values_kernel(CsrView<V, I> a, ValueCounts* counts)
{
    constexpr double eps = std::numeric_limits<device_real<V>>::epsilon();
    size_type sums[5] = {};
    for (size_type row = Group::index(); row < a.rows; row += grid_threads() / Group::size) {
        const size_type begin = a.row_ptrs[row];
        const size_type end = a.row_ptrs[row + 1];
        double diagonal = 0;
        double others = 0;
        for (size_type k = begin + Group::lane(); k < end; k += Group::size) {
            const size_type col = a.col_idxs[k];
            const V value = a.values[k];
            const double magnitude = abs(value);
            diagonal += col == row ? magnitude : 0;
            others += col == row ? 0 : magnitude;
            if (a.rows == a.cols) {
                tally_mirrored(a, row, col, value, sums);
            }
        }
        diagonal = Group::sum(diagonal);
        others = Group::sum(others);
        if (Group::lane() == 0) {
            const auto found = compare_diagonal(diagonal, others, end - begin, eps);
            sums[3] += found.is_weak ? 1 : 0;
            sums[4] += found.is_strict ? 1 : 0;
        }
    }
    block_reduce<column_block_threads>(sums);
    if (thread_id() == 0) {
        atomic_add(&counts->num_unmirrored, sums[0]);
        atomic_add(&counts->num_unsymmetric, sums[1]);
        atomic_add(&counts->num_not_hermitian, sums[2]);
        atomic_add(&counts->num_dominant, sums[3]);
        atomic_add(&counts->num_strictly_dominant, sums[4]);
    }
}

template <class V, class I>
void count_values(const Executor& exec, CsrView<V, I> a, ValueCounts* counts)
{
    using D = device_type<V>;
    exec.state().fill_zero(counts, sizeof *counts);
    launch_on(exec, values_kernel<D, I>, busy_blocks(exec, a.rows * Group::size), column_block_threads, 0, as_device(a),
              counts);
}

}  // namespace

void register_statistics()
{
    for_each_index([]<class I>() { pattern_statistics<I>.bind(this_backend, count_pattern<I>); });
    for_each_value_index([]<class V, class I>() { csr_statistics<V, I>.bind(this_backend, count_values<V, I>); });
}

}  // namespace linden::LINDEN_GPU_NAMESPACE
