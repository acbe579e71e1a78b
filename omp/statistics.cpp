#include "core/kernels/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <vector>

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

/// Finds mirror images of the entries of rows, which are visited in their order.
template <class V, class I>
class MirrorImages {
public:
    /// next_of_columns: for each row of A its first entry that no row visited so far has asked for, in the beginning
    /// -1; null: there is no room for that, and each search begins anew.
    MirrorImages(CsrView<V, I> a, I* next_of_columns) : a_(a), next_(next_of_columns) {}

    /// The place of entry (col, row) if there is one, else -1.
    I find(I row, I col) const
    {
        if (col < 0 || col >= a_.rows) {
            return -1;
        }
        const I end = a_.row_ptrs[col + 1];
        if (next_ == nullptr || next_[col] < 0) {
            const I* const at = std::lower_bound(a_.col_idxs + a_.row_ptrs[col], a_.col_idxs + end, row);
            return found(row, col, static_cast<I>(at - a_.col_idxs), end);
        }
        I at = next_[col];
        while (at < end && a_.col_idxs[at] < row) {
            ++at;
        }
        return found(row, col, at, end);
    }

private:
    I found(I row, I col, I at, I end) const
    {
        if (next_ != nullptr) {
            next_[col] = at;
        }
        return at < end && a_.col_idxs[at] == row ? at : I{-1};
    }

    CsrView<V, I> a_;
    I* next_;
};

template <class V, class I>
void count_row(CsrView<V, I> a, size_type row, const MirrorImages<V, I>& images, ValueCounts& c)
{
    RowValues found{};
    for (I k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
        const V value = a.values[k];
        add_entry(static_cast<double>(std::abs(value)), static_cast<double>(real(value)), value == conj(value),
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

/// Each part notes where the search in a row of A ended, since the next one goes on from there, unless that would take
/// more memory than the columns of A.
template <class V, class I>
void count_values(const Executor& exec, CsrView<V, I> a, ValueCounts* counts)
{
    *counts = no_value_counts();
    std::mutex joining;
    const auto partition = by_nonzeros(a);
    const int parts = num_parts(exec, partition);
    const bool has_room = a.rows == a.cols && parts * a.rows <= a.num_nonzeros;
    std::vector<I> next(static_cast<std::size_t>(has_room ? parts * a.rows : 0), I{-1});
    run_parts(partition, parts, [&](int part, size_type begin, size_type end) {
        const MirrorImages<V, I> images(a, has_room ? next.data() + part * a.rows : nullptr);
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
