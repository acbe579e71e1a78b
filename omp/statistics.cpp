#include "core/kernels/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>

#include "core/base/math.hpp"
#include "omp/mirror_images.hpp"
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
    const I* const cols = a.col_idxs + a.row_ptrs[row];
    const auto add_column = [&](I col) {
        c.lower_bandwidth = std::max<size_type>(c.lower_bandwidth, row - col);
        c.upper_bandwidth = std::max<size_type>(c.upper_bandwidth, col - row);
    };
    bool is_malformed = length > 0 && (cols[0] < 0 || cols[length - 1] >= a.cols);
    for (size_type k = 0; k < length; ++k) {
        c.num_diagonal += cols[k] == row;
        is_malformed |= k > 0 && cols[k] <= cols[k - 1];
    }
    if (length > 0 && !is_malformed) {
        add_column(cols[0]);
        add_column(cols[length - 1]);
    } else {
        std::for_each_n(cols, length, add_column);
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

template <class V, class I>
void count_row(CsrView<V, I> a, size_type row, const MirrorImages<I>& images, ValueCounts& c)
{
    RowValues found{};
    for (I k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
        const V value = a.values[k];
        add_entry(static_cast<double>(magnitude(value)), static_cast<double>(real(value)), value == conj(value),
                  a.col_idxs[k] == row, found);
    }
    ValueCounts compared = no_value_counts();
    for (I k = a.row_ptrs[row]; a.rows == a.cols && k < a.row_ptrs[row + 1]; ++k) {
        const I at = images.find(static_cast<I>(row), a.col_idxs[k]);
        count_mirrored(a.values[k], at < 0 ? V{} : a.values[at], at >= 0, found.largest, compared);
    }
    join(c, compared);
    const auto length = a.row_ptrs[row + 1] - a.row_ptrs[row];
    count_row_values(found, length, row < a.cols, std::numeric_limits<real_t<V>>::epsilon(), c);
}

template <class V, class I>
void count_values(const Executor& exec, CsrView<V, I> a, ValueCounts* counts)
{
    *counts = no_value_counts();
    std::mutex joining;
    const auto partition = by_nonzeros(a);
    const int parts = num_parts(exec, partition);
    MirrorSearch<I> search(a, a.rows == a.cols ? parts : 0);
    run_parts(partition, parts, [&](int part, size_type begin, size_type end) {
        const auto images = search.of_part(part);
        ValueCounts mine = no_value_counts();
        for (size_type row = begin; row < end; ++row) {
            count_row(a, row, images, mine);
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
