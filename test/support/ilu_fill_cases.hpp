#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "core/kernels/ilu_fill.hpp"
#include "test/support/host_kernels.hpp"
#include "test/support/patterns.hpp"

/// The upper triangle of ILU(k)'s pattern by the kernels, and by definition.
namespace linden::test {

template <class I>
std::vector<I> fill_counts(const Executor& exec, const HostPattern<I>& host, size_type k, size_type parts)
{
    const PatternOn<I> a(exec, host);
    auto workspace = dirty_workspace(exec, ilu_fill_workspace_bytes(host.size.rows, parts));
    Array<I> counts(exec, host.size.rows);
    ilu_fill_count<I>(exec, a.view(), k, counts.data(), {workspace.data(), workspace.size()});
    return counts.to_host();
}

/// Its rows, from counts that are right.
template <class I>
HostPattern<I> fill_pattern(const Executor& exec, const HostPattern<I>& host, size_type k, size_type parts)
{
    HostPattern<I> result{host.size, {0}, {}};
    for (const auto count : fill_counts(reference_executor(), host, k, 1)) {
        result.row_ptrs.push_back(result.row_ptrs.back() + count);
    }
    const PatternOn<I> a(exec, host);
    auto workspace = dirty_workspace(exec, ilu_fill_workspace_bytes(host.size.rows, parts));
    const Array<I> row_ptrs(exec, result.row_ptrs);
    Array<I> col_idxs(exec, std::vector<I>(static_cast<std::size_t>(result.row_ptrs.back()), I{-1}));
    ilu_fill<I>(exec, a.view(), k, row_ptrs.data(), col_idxs.data(), {workspace.data(), workspace.size()});
    result.col_idxs = col_idxs.to_host();
    return result;
}

/// The levels of fill by Gaussian elimination: 0 on A's pattern and the diagonal, and
/// lev_ij := min(lev_ij, lev_ik + lev_kj + 1) for k < min(i, j).  [Saad03, 10.3.3]
template <class I>
std::vector<std::vector<size_type>> fill_levels(const HostPattern<I>& a)
{
    constexpr auto far = std::numeric_limits<size_type>::max() / 4;
    const auto n = static_cast<std::size_t>(a.size.rows);
    std::vector<std::vector<size_type>> level(n, std::vector<size_type>(n, far));
    for (std::size_t i = 0; i < n; ++i) {
        level[i][i] = 0;
        for (auto e = a.row_ptrs[i]; e < a.row_ptrs[i + 1]; ++e) {
            level[i][static_cast<std::size_t>(a.col_idxs[e])] = 0;
        }
    }
    for (std::size_t k = 0; k < n; ++k) {
        for (std::size_t i = k + 1; i < n; ++i) {
            for (std::size_t j = k + 1; j < n; ++j) {
                level[i][j] = std::min(level[i][j], level[i][k] + level[k][j] + 1);
            }
        }
    }
    return level;
}

/// The upper triangle of the levels up to k.
template <class I>
HostPattern<I> pattern_of_levels(Dim size, const std::vector<std::vector<size_type>>& level, size_type k)
{
    HostPattern<I> result{size, {0}, {}};
    for (size_type i = 0; i < size.rows; ++i) {
        for (size_type j = i; j < size.cols; ++j) {
            if (level[i][j] <= k) {
                result.col_idxs.push_back(static_cast<I>(j));
            }
        }
        result.row_ptrs.push_back(static_cast<I>(result.col_idxs.size()));
    }
    return result;
}

/// The 5-point grid of 3 x 2 points, 0 to 2 over 3 to 5; rows in disorder, row 4 without its diagonal entry.
template <class I>
HostPattern<I> small_grid()
{
    return {{6, 6}, {0, 3, 7, 10, 13, 16, 19}, {1, 0, 3, 0, 1, 4, 2, 2, 5, 1, 4, 3, 0, 3, 1, 5, 5, 4, 2}};
}

/// The 5-point grid of n x n points.
template <class I>
HostPattern<I> grid_pattern(size_type n)
{
    HostPattern<I> a{{n * n, n * n}, {0}, {}};
    for (size_type i = 0; i < n * n; ++i) {
        for (const size_type j : {i - n, i % n == 0 ? -1 : i - 1, i, (i + 1) % n == 0 ? -1 : i + 1, i + n}) {
            if (j >= 0 && j < n * n) {
                a.col_idxs.push_back(static_cast<I>(j));
            }
        }
        a.row_ptrs.push_back(static_cast<I>(a.col_idxs.size()));
    }
    return a;
}

/// Calls f(pattern, k) for square patterns of all sizes and kinds, also in disorder, and a grid.
template <class I, class F>
void for_each_fill_case(const F& f)
{
    Random random(901);
    for (const size_type n : {0, 1, 31, 33, 597, 3000}) {
        for (const auto kind : all_patterns) {
            for (const size_type k : {0, 1, 2, 3}) {
                SCOPED_TRACE(std::to_string(n) + " rows, k = " + std::to_string(k));
                f(random_pattern<I>(random, {n, n}, 3, kind), k);
                f(random_disorder<I>(random, {n, n}, 2, kind), k);
            }
        }
    }
    f(grid_pattern<I>(50), 3);
}

}  // namespace linden::test
