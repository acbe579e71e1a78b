#include "core/kernels/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/math.hpp"

namespace linden::reference {
namespace {

template <class I>
void count_pattern(const Executor&, PatternView<I> a, PatternCounts* counts)
{
    auto& c = *counts = no_counts();
    for (size_type row = 0; row < a.rows; ++row) {
        const size_type length = a.row_ptrs[row + 1] - a.row_ptrs[row];
        c.shortest_row = std::min(c.shortest_row, length);
        c.longest_row = std::max(c.longest_row, length);
        c.squared_lengths += length * length;
        ++c.rows_of_class[length_class(length)];
        for (I k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
            const size_type col = a.col_idxs[k];
            c.lower_bandwidth = std::max(c.lower_bandwidth, row - col);
            c.upper_bandwidth = std::max(c.upper_bandwidth, col - row);
            c.num_diagonal += col == row;
            const bool is_right_of_last = k == a.row_ptrs[row] || col > a.col_idxs[k - 1];
            if (!is_right_of_last || col < 0 || col >= a.cols) {
                c.first_malformed = std::min(c.first_malformed, row);
            }
        }
    }
}

/// The value at (row, col) and whether there is an entry.
template <class V, class I>
std::pair<V, bool> find_entry(CsrView<V, I> a, size_type row, size_type col)
{
    if (row >= 0 && row < a.rows) {
        for (I k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
            if (a.col_idxs[k] == col) {
                return {a.values[k], true};
            }
        }
    }
    return {V{}, false};
}

template <class V, class I>
RowValues values_of_row(CsrView<V, I> a, size_type row)
{
    RowValues found{};
    for (I k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
        const V value = a.values[k];
        add_entry(static_cast<double>(magnitude(value)), static_cast<double>(real(value)), value == conj(value),
                  a.col_idxs[k] == row, found);
    }
    return found;
}

template <class V, class I>
void count_values(const Executor&, CsrView<V, I> a, ValueCounts* counts)
{
    constexpr double eps = std::numeric_limits<real_t<V>>::epsilon();
    auto& c = *counts = no_value_counts();
    for (size_type row = 0; row < a.rows; ++row) {
        const RowValues found = values_of_row(a, row);
        for (I k = a.row_ptrs[row]; a.rows == a.cols && k < a.row_ptrs[row + 1]; ++k) {
            const auto [mirrored, is_there] = find_entry(a, a.col_idxs[k], row);
            c.num_unmirrored += !is_there;
            c.num_unsymmetric += a.values[k] != mirrored;
            c.num_not_hermitian += a.values[k] != conj(mirrored);
            c.num_skew += static_cast<double>(magnitude(a.values[k] - conj(mirrored))) > 1024 * eps * found.largest;
        }
        count_row_values(found, a.row_ptrs[row + 1] - a.row_ptrs[row], row < a.cols, eps, c);
    }
}

}  // namespace

void register_statistics()
{
    for_each_index([]<class I>() { pattern_statistics<I>.bind(Backend::reference, count_pattern<I>); });
    for_each_value_index([]<class V, class I>() { csr_statistics<V, I>.bind(Backend::reference, count_values<V, I>); });
}

}  // namespace linden::reference
