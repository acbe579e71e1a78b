#pragma once

#include <linden/matrix/csr.hpp>
#include <linden/matrix/dense.hpp>
#include <linden/matrix_data.hpp>

#include <algorithm>
#include <numeric>
#include <vector>

#include "test/support/random.hpp"

/// Random operands.
namespace linden::test {

enum class Pattern { uniform, empty_rows, dense_row };
inline constexpr Pattern all_patterns[] = {Pattern::uniform, Pattern::empty_rows, Pattern::dense_row};

namespace detail {

/// `count` different columns in increasing order.
inline std::vector<size_type> distinct_columns(Random& random, size_type cols, size_type count)
{
    std::vector<size_type> chosen;
    if (2 * count >= cols) {
        chosen.resize(static_cast<std::size_t>(cols));
        std::iota(chosen.begin(), chosen.end(), size_type{0});
        for (auto left = cols; left > count; --left) {
            chosen.erase(chosen.begin() + random.integer(0, left));
        }
        return chosen;
    }
    while (static_cast<size_type>(chosen.size()) < count) {
        const auto col = random.integer(0, cols);
        const auto at = std::lower_bound(chosen.begin(), chosen.end(), col);
        if (at == chosen.end() || *at != col) {
            chosen.insert(at, col);
        }
    }
    return chosen;
}

}  // namespace detail

/// A random matrix, columns sorted and unique, values in [-1, 1): each row holds 0 to 2 `mean` entries.
/// `empty_rows`: two rows of three are empty, among them the first and the last. `dense_row`: the row in the middle is
/// full.
template <class V, class I>
CsrData<V, I> random_csr(Random& random, Dim size, size_type mean, Pattern pattern = Pattern::uniform)
{
    CsrData<V, I> a{size, {0}, {}, {}};
    for (size_type row = 0; row < size.rows; ++row) {
        size_type count = size.cols == 0 ? 0 : std::min(size.cols, random.integer(0, 2 * mean + 1));
        if (pattern == Pattern::empty_rows && (row % 3 != 1 || row + 1 == size.rows)) {
            count = 0;
        } else if (pattern == Pattern::dense_row && row == size.rows / 2) {
            count = size.cols;
        }
        for (const auto col : detail::distinct_columns(random, size.cols, count)) {
            a.col_idxs.push_back(static_cast<I>(col));
            a.values.push_back(random.value<V>());
        }
        a.row_ptrs.push_back(static_cast<I>(a.values.size()));
    }
    return a;
}

/// A random Hermitian, strictly diagonally dominant, hence positive definite matrix with a full diagonal; about `mean`
/// entries per row.
template <class V, class I>
CsrData<V, I> random_hpd_csr(Random& random, size_type rows, size_type mean)
{
    std::vector<std::vector<std::pair<I, V>>> entries(static_cast<std::size_t>(rows));
    std::vector<real_t<V>> weight(static_cast<std::size_t>(rows), real_t<V>{1});
    for (size_type row = 1; row < rows; ++row) {
        const auto count = std::min(row, random.integer(0, std::max<size_type>(mean, 1)));
        for (const auto col : detail::distinct_columns(random, row, count)) {
            const V value = random.value<V>();
            V mirrored = value;
            if constexpr (is_complex<V>) {
                mirrored = std::conj(value);
            }
            const auto r = static_cast<std::size_t>(row);
            const auto c = static_cast<std::size_t>(col);
            entries[r].emplace_back(static_cast<I>(col), value);
            entries[c].emplace_back(static_cast<I>(row), mirrored);
            weight[r] += std::abs(value);
            weight[c] += std::abs(value);
        }
    }
    CsrData<V, I> a{{rows, rows}, {0}, {}, {}};
    for (std::size_t row = 0; row < entries.size(); ++row) {
        entries[row].emplace_back(static_cast<I>(row), V{weight[row]});
        std::sort(entries[row].begin(), entries[row].end(), [](auto& l, auto& r) { return l.first < r.first; });
        for (const auto& [col, value] : entries[row]) {
            a.col_idxs.push_back(col);
            a.values.push_back(value);
        }
        a.row_ptrs.push_back(static_cast<I>(a.values.size()));
    }
    return a;
}

/// A random block in host memory, values in [-1, 1); `padding` values at the end of each row, which are random, too.
template <class V>
Dense<V> random_dense(Random& random, const Executor& exec, Dim size, size_type padding = 0)
{
    std::vector<V> values(static_cast<std::size_t>(size.rows * (size.cols + padding)));
    for (auto& value : values) {
        value = random.value<V>();
    }
    Dense<V> block(exec, size, size.cols + padding);
    copy_bytes(::linden::detail::host(), values.data(), exec, block.data(), values.size() * sizeof(V));
    return block;
}

}  // namespace linden::test
