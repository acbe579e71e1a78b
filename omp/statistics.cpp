#include "core/kernels/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>

#include "core/base/math.hpp"
#include "omp/parallel.hpp"

namespace linden::omp {
namespace {

void join(PatternCounts& all, const PatternCounts& some)
{
    all.shortest_row = std::min(all.shortest_row, some.shortest_row);
    all.longest_row = std::max(all.longest_row, some.longest_row);
    all.squared_lengths += some.squared_lengths;
    for (int i = 0; i < num_length_classes; ++i) {
        all.rows_of_class[i] += some.rows_of_class[i];
    }
    all.lower_bandwidth = std::max(all.lower_bandwidth, some.lower_bandwidth);
    all.upper_bandwidth = std::max(all.upper_bandwidth, some.upper_bandwidth);
    all.num_diagonal += some.num_diagonal;
    all.first_malformed = std::min(all.first_malformed, some.first_malformed);
}

void join(ValueCounts& all, const ValueCounts& some)
{
    all.num_unmirrored += some.num_unmirrored;
    all.num_unsymmetric += some.num_unsymmetric;
    all.num_not_hermitian += some.num_not_hermitian;
    all.num_dominant += some.num_dominant;
    all.num_strictly_dominant += some.num_strictly_dominant;
    all.num_skew += some.num_skew;
    all.num_zero_diagonal += some.num_zero_diagonal;
    all.num_tiny_diagonal += some.num_tiny_diagonal;
    all.num_negative_diagonal += some.num_negative_diagonal;
    all.num_sign_rows += some.num_sign_rows;
    all.least_exponent = std::min(all.least_exponent, some.least_exponent);
    all.most_exponent = std::max(all.most_exponent, some.most_exponent);
}

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
    constexpr double eps = std::numeric_limits<real_t<V>>::epsilon();
    V mirrored{};
    bool is_there = false;
    if (const I col = a.col_idxs[k]; col >= 0 && col < a.rows) {
        const I* const end = a.col_idxs + a.row_ptrs[col + 1];
        const I* const at = std::lower_bound(a.col_idxs + a.row_ptrs[col], end, row);
        is_there = at != end && *at == row;
        mirrored = is_there ? a.values[at - a.col_idxs] : V{};
    }
    c.num_unmirrored += !is_there;
    c.num_unsymmetric += a.values[k] != mirrored;
    c.num_not_hermitian += a.values[k] != conj(mirrored);
    c.num_skew += static_cast<double>(std::abs(a.values[k] - conj(mirrored))) > 1024 * eps * largest;
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
