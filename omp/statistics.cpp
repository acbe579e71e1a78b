#include "core/kernels/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>

#include "core/base/math.hpp"
#include "omp/parallel.hpp"

namespace linden::omp {
namespace {

template <class I>
void count_row(PatternView<I> a, size_type row, PatternCounts& c)
{
    const size_type length = a.row_ptrs[row + 1] - a.row_ptrs[row];
    c.shortest_row = std::min(c.shortest_row, length);
    c.longest_row = std::max(c.longest_row, length);
    c.squared_lengths += length * length;
    ++c.rows_of_class[length_class(length)];
    size_type last = -1;
    bool is_malformed = false;
    for (I k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
        const size_type col = a.col_idxs[k];
        c.lower_bandwidth = std::max(c.lower_bandwidth, row - col);
        c.upper_bandwidth = std::max(c.upper_bandwidth, col - row);
        c.num_diagonal += col == row;
        is_malformed |= col <= last || col >= a.cols;
        last = col;
    }
    c.first_malformed = is_malformed ? std::min(c.first_malformed, row) : c.first_malformed;
}

template <class I>
void count_pattern(const Executor& exec, PatternView<I> a, PatternCounts* counts)
{
    *counts = no_counts();
    std::mutex joining;
    parallel_parts(exec, NonzeroPartition<I>{a.row_ptrs, a.rows}, [&](size_type begin, size_type end) {
        auto mine = no_counts();
        for (size_type row = begin; row < end; ++row) {
            count_row(a, row, mine);
        }
        const std::lock_guard lock(joining);
        join(*counts, mine);
    });
}

/// Compares entry k of `row`, whose largest magnitude is given, with its mirror image.
template <class V, class I>
void count_mirrored(CsrView<V, I> a, size_type row, I k, double largest, ValueCounts& c)
{
    V mirrored{};
    bool is_there = false;
    if (const I col = a.col_idxs[k]; col >= 0 && col < a.rows) {
        const I* const end = a.col_idxs + a.row_ptrs[col + 1];
        const I* const at = std::lower_bound(a.col_idxs + a.row_ptrs[col], end, row);
        is_there = at != end && *at == row;
        mirrored = is_there ? a.values[at - a.col_idxs] : V{};
    }
    linden::count_mirrored(a.values[k], mirrored, is_there, largest, c);
}

template <class V, class I>
void count_row(CsrView<V, I> a, size_type row, ValueCounts& c)
{
    RowValues found{};
    for (I k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
        const V value = a.values[k];
        add_entry(static_cast<double>(std::abs(value)), static_cast<double>(real(value)), value == conj(value),
                  a.col_idxs[k] == row, found);
    }
    for (I k = a.row_ptrs[row]; a.rows == a.cols && k < a.row_ptrs[row + 1]; ++k) {
        count_mirrored(a, row, k, found.largest, c);
    }
    const auto length = a.row_ptrs[row + 1] - a.row_ptrs[row];
    count_row_values(found, length, row < a.cols, std::numeric_limits<real_t<V>>::epsilon(), c);
}

template <class V, class I>
void count_values(const Executor& exec, CsrView<V, I> a, ValueCounts* counts)
{
    *counts = no_value_counts();
    std::mutex joining;
    parallel_parts(exec, by_nonzeros(a), [&](size_type begin, size_type end) {
        ValueCounts mine = no_value_counts();
        for (size_type row = begin; row < end; ++row) {
            count_row(a, row, mine);
        }
        const std::lock_guard lock(joining);
        join(*counts, mine);
    });
}

}  // namespace

void register_statistics()
{
    for_each_index([]<class I>() { pattern_statistics<I>.bind(Backend::omp, count_pattern<I>); });
    for_each_value_index([]<class V, class I>() { csr_statistics<V, I>.bind(Backend::omp, count_values<V, I>); });
}

}  // namespace linden::omp
