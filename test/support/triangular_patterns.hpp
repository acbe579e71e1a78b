#pragma once

#include "test/support/patterns.hpp"

/// Patterns of triangular matrices of chosen levels.
namespace linden::test {

/// A lower triangle whose levels have these numbers of rows: a row needs one of the level before its own, and up to
/// `extra` more of any level. Rows of a level follow each other.
template <class I>
HostPattern<I> layered_pattern(Random& random, const std::vector<size_type>& widths, size_type extra)
{
    HostPattern<I> a{{0, 0}, {0}, {}};
    size_type before = 0;
    for (const auto width : widths) {
        const size_type first = a.size.rows;
        for (size_type i = 0; i < width; ++i) {
            std::vector<I> cols;
            for (size_type j = first == 0 ? 0 : random.integer(0, extra + 1); j > 0; --j) {
                cols.push_back(static_cast<I>(random.integer(0, first)));
            }
            if (first > 0) {
                cols.push_back(static_cast<I>(random.integer(before, first)));
            }
            std::sort(cols.begin(), cols.end());
            cols.erase(std::unique(cols.begin(), cols.end()), cols.end());
            a.col_idxs.insert(a.col_idxs.end(), cols.begin(), cols.end());
            a.row_ptrs.push_back(static_cast<I>(a.col_idxs.size()));
        }
        before = first;
        a.size = {first + width, first + width};
    }
    return a;
}

/// A random strict lower triangle. `empty_rows`: two rows of three are empty; `dense_row`: the last but one is full;
/// `dense_column`: so is the first column.
template <class I>
HostPattern<I> random_strict_pattern(Random& random, size_type n, Pattern kind, bool dense_column)
{
    HostPattern<I> a{{n, n}, {0}, {}};
    for (size_type row = 0; row < n; ++row) {
        size_type count = std::min(row, random.integer(0, 9));
        count = kind == Pattern::empty_rows && row % 3 != 1 ? 0 : count;
        count = kind == Pattern::dense_row && row + 2 == n ? row : count;
        auto cols = detail::distinct_columns(random, row, count);
        if (dense_column && row > 0 && (cols.empty() || cols.front() != 0)) {
            cols.insert(cols.begin(), 0);
        }
        a.col_idxs.insert(a.col_idxs.end(), cols.begin(), cols.end());
        a.row_ptrs.push_back(static_cast<I>(a.col_idxs.size()));
    }
    return a;
}

/// A strict lower triangle of `num_runs` runs of rows that each need the row before. Rows also need one of the row's
/// place in a run that is `distance` runs earlier, so that so many runs form a level; every third run is half as long.
template <class I>
HostPattern<I> pattern_of_runs(size_type num_runs, size_type length, size_type distance)
{
    HostPattern<I> a{{0, 0}, {0}, {}};
    std::vector<size_type> begins;
    for (size_type run = 0; run < num_runs; ++run) {
        begins.push_back(a.size.rows);
        for (size_type i = 0; i < (run % 3 == 2 ? length / 2 : length); ++i) {
            if (run >= distance) {
                a.col_idxs.push_back(static_cast<I>(begins[run - distance] + i / 2));
            }
            if (i > 0) {
                a.col_idxs.push_back(static_cast<I>(a.size.rows - 1));
            }
            a.row_ptrs.push_back(static_cast<I>(a.col_idxs.size()));
            a.size = {a.size.rows + 1, a.size.rows + 1};
        }
    }
    return a;
}

/// Row i becomes row n - 1 - i, and column j column n - 1 - j.
template <class I>
HostPattern<I> mirrored(const HostPattern<I>& a)
{
    HostPattern<I> result{a.size, {0}, {}};
    const auto n = static_cast<I>(a.size.rows);
    for (I row = n - 1; row >= 0; --row) {
        for (I k = a.row_ptrs[row + 1] - 1; k >= a.row_ptrs[row]; --k) {
            result.col_idxs.push_back(n - 1 - a.col_idxs[k]);
        }
        result.row_ptrs.push_back(static_cast<I>(result.col_idxs.size()));
    }
    return result;
}

/// Calls f(pattern) for strict lower triangles of small sizes and of every kind.
template <class I, class F>
void for_each_small_triangle(Random& random, const F& f)
{
    for (const size_type n : {0, 1, 31, 32, 33, 597}) {
        SCOPED_TRACE(std::to_string(n) + " rows");
        for (const auto kind : all_patterns) {
            f(random_strict_pattern<I>(random, n, kind, false));
        }
        f(random_strict_pattern<I>(random, n, Pattern::empty_rows, true));
        f(layered_pattern<I>(random, std::vector<size_type>(static_cast<std::size_t>(n), 1), 0));  // a chain
        f(layered_pattern<I>(random, {n}, 0));                                                     // a diagonal
    }
}

/// Calls f(pattern) for strict lower triangles of many rows: with wide levels, with thin ones, with both in turns, also
/// about as wide as one block of a device takes.
template <class I, class F>
void for_each_large_triangle(Random& random, const F& f)
{
    const auto call = [&](const char* what, const std::vector<size_type>& widths) {
        SCOPED_TRACE(what);
        f(layered_pattern<I>(random, widths, 4));
    };
    call("wide levels", {5000, 1100, 7000, 2500, 4403});
    call("thin levels", std::vector<size_type>(500, 37));
    call("both", {3, 1, 1023, 1024, 1025, 2, 2, 9000, 1, 1, 1, 70, 3000, 5});
}

}  // namespace linden::test
