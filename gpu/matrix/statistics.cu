#include "core/kernels/statistics.hpp"

#include "gpu/vector/row_groups.cuh"

/// As many lanes to a row as its length asks for; threads keep counts of their own until a block adds them up.
namespace linden::LINDEN_GPU_NAMESPACE {
namespace {

/// Calls `body(group, row)` for each row, in all lanes of a group.
template <int L, class I, class Body>
__device__ inline void for_each_row(PatternView<I> a, Body&& body)
{
    detail::for_rows_by_length<L>(
        a.rows, [&](size_type row) { return size_type{a.row_ptrs[row + 1]} - size_type{a.row_ptrs[row]}; }, body);
}

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

/// Adds up how many rows a thread has of each length class. Neighbours are often of one class, and go to the block's
/// counts together.
class ClassTally {
public:
    explicit __device__ ClassTally(std::int32_t* rows_of_class) : rows_of_class_(rows_of_class) {}

    __device__ void add(int length_class)
    {
        if (length_class != last_) {
            pass_on();
            last_ = length_class;
        }
        ++count_;
    }
    __device__ void pass_on()
    {
        if (count_ > 0) {
            atomic_add(&rows_of_class_[last_], count_);
        }
        count_ = 0;
    }

private:
    std::int32_t* rows_of_class_;
    int last_ = 0;
    std::int32_t count_ = 0;
};

template <class Group, class I>
__device__ inline void tally_row(Group, PatternView<I> a, size_type row, PatternTally& t)
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

template <int L, class I>
__global__ void __launch_bounds__(column_block_threads) pattern_kernel(PatternView<I> a, PatternCounts* counts)
{
    LINDEN_SHARED(rows_of_class, std::int32_t[num_length_classes]);
    for (int i = thread_id(); i < num_length_classes; i += block_threads()) {
        rows_of_class[i] = 0;
    }
    block_barrier();
    PatternTally t;
    ClassTally classes(rows_of_class);
    for_each_row<L>(a, [&](auto group, size_type row) {
        tally_row(group, a, row, t);
        if (group.lane() == 0) {
            classes.add(length_class(a.row_ptrs[row + 1] - a.row_ptrs[row]));
        }
    });
    classes.pass_on();
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
    with_lanes_by_length(exec, a.rows, a.num_nonzeros, [&]<int L>() {
        launch_on(exec, pattern_kernel<L, I>, busy_blocks(exec, a.rows * L), column_block_threads, 0, a, counts);
    });
}

__global__ void start_values_kernel(ValueCounts* counts)
{
    if (thread_id() == 0) {
        *counts = no_value_counts();
    }
}

/// Compares entry k of `row`, whose largest magnitude is given, with its mirror image.
template <class V, class I>
__device__ inline void tally_mirrored(CsrView<V, I> a, size_type row, size_type col, V value, double largest,
                                      ValueCounts& mine)
{
    constexpr double eps = std::numeric_limits<device_real<V>>::epsilon();
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
    mine.num_unmirrored += is_there ? 0 : 1;
    mine.num_unsymmetric += value == mirrored ? 0 : 1;
    mine.num_not_hermitian += value == conj(mirrored) ? 0 : 1;
    mine.num_skew += static_cast<double>(abs(value - conj(mirrored))) > 1024 * eps * largest ? 1 : 0;
}

/// In all lanes of the subgroup.
template <class Group, class V, class I>
__device__ inline RowValues values_of_row(Group, CsrView<V, I> a, size_type row)
{
    RowValues found{};
    for (size_type k = a.row_ptrs[row] + Group::lane(); k < a.row_ptrs[row + 1]; k += Group::size) {
        const V value = a.values[k];
        add_entry(static_cast<double>(abs(value)), static_cast<double>(real(value)), value == conj(value),
                  a.col_idxs[k] == row, found);
    }
    return {Group::sum(found.diagonal),          Group::sum(found.others),
            Group::reduce(found.largest, Max{}), Group::sum(found.part),
            Group::any(found.has_positive),      Group::any(found.has_negative),
            Group::any(found.has_complex),       Group::any(found.has_complex_diagonal)};
}

template <int L, class V, class I>
__global__ void __launch_bounds__(column_block_threads) values_kernel(CsrView<V, I> a, ValueCounts* counts)
{
    constexpr double eps = std::numeric_limits<device_real<V>>::epsilon();
    ValueCounts mine = no_value_counts();
    for_each_row<L>(PatternView<I>(a), [&](auto group, size_type row) {
        const RowValues found = values_of_row(group, a, row);
        if (a.rows == a.cols) {
            for (size_type k = a.row_ptrs[row] + group.lane(); k < a.row_ptrs[row + 1]; k += group.size) {
                tally_mirrored(a, row, size_type{a.col_idxs[k]}, a.values[k], found.largest, mine);
            }
        }
        if (group.lane() == 0) {
            count_row_values(found, a.row_ptrs[row + 1] - a.row_ptrs[row], row < a.cols, eps, mine);
        }
    });
    constexpr int num_sums = 9;
    constexpr size_type ValueCounts::*summed[num_sums] = {
        &ValueCounts::num_unmirrored,    &ValueCounts::num_unsymmetric,       &ValueCounts::num_not_hermitian,
        &ValueCounts::num_dominant,      &ValueCounts::num_strictly_dominant, &ValueCounts::num_skew,
        &ValueCounts::num_zero_diagonal, &ValueCounts::num_tiny_diagonal,     &ValueCounts::num_negative_diagonal};
    size_type sums[num_sums + 1];
    LINDEN_UNROLL
    for (int i = 0; i < num_sums; ++i) {
        sums[i] = mine.*summed[i];
    }
    sums[num_sums] = mine.num_sign_rows;
    block_reduce<column_block_threads>(sums);
    // ~ turns the order round, and every integer has one
    size_type maxima[4] = {~mine.least_exponent, mine.most_exponent, ~mine.least_diagonal, mine.most_diagonal};
    block_reduce<column_block_threads, Max>(maxima);
    if (thread_id() == 0) {
        LINDEN_UNROLL
        for (int i = 0; i < num_sums; ++i) {
            atomic_add(&(counts->*summed[i]), sums[i]);
        }
        atomic_add(&counts->num_sign_rows, sums[num_sums]);
        atomic_min(&counts->least_exponent, ~maxima[0]);
        atomic_max(&counts->most_exponent, maxima[1]);
        atomic_min(&counts->least_diagonal, ~maxima[2]);
        atomic_max(&counts->most_diagonal, maxima[3]);
    }
}

template <class V, class I>
void count_values(const Executor& exec, CsrView<V, I> a, ValueCounts* counts)
{
    using D = device_type<V>;
    launch_on(exec, start_values_kernel, 1, 32, 0, counts);
    with_lanes_by_length(exec, a.rows, a.num_nonzeros, [&]<int L>() {
        launch_on(exec, values_kernel<L, D, I>, busy_blocks(exec, a.rows * L), column_block_threads, 0, as_device(a),
                  counts);
    });
}

}  // namespace

void register_statistics()
{
    for_each_index([]<class I>() { pattern_statistics<I>.bind(this_backend, count_pattern<I>); });
    for_each_value_index([]<class V, class I>() { csr_statistics<V, I>.bind(this_backend, count_values<V, I>); });
}

}  // namespace linden::LINDEN_GPU_NAMESPACE
