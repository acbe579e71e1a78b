#include "core/kernels/pattern.hpp"

#include <algorithm>
#include <numeric>

namespace linden::reference {
namespace {

template <class I>
struct Entry {
    I col;
    I source;

    friend bool operator<(Entry a, Entry b) { return a.col != b.col ? a.col < b.col : a.source < b.source; }
};

/// Sorts each row by (column, source).
template <class I>
void sort_by_column(size_type rows, const I* row_ptrs, I* col_idxs, I* source, WorkspaceView workspace)
{
    auto* const entries = reinterpret_cast<Entry<I>*>(workspace.data);
    for (size_type row = 0; row < rows; ++row) {
        const I begin = row_ptrs[row];
        const I length = row_ptrs[row + 1] - begin;
        for (I k = 0; k < length; ++k) {
            entries[k] = {col_idxs[begin + k], source[begin + k]};
        }
        std::sort(entries, entries + length);
        for (I k = 0; k < length; ++k) {
            col_idxs[begin + k] = entries[k].col;
            source[begin + k] = entries[k].source;
        }
    }
}

template <class I>
void sort_rows(const Executor&, size_type rows, size_type num_nonzeros, const I* row_ptrs, I* col_idxs, I* source,
               WorkspaceView workspace)
{
    std::iota(source, source + num_nonzeros, I{0});
    sort_by_column(rows, row_ptrs, col_idxs, source, workspace);
}

template <class I>
void count_columns(const Executor&, PatternView<I> a, I* counts)
{
    std::fill_n(counts, a.cols, I{0});
    for (size_type k = 0; k < a.num_nonzeros; ++k) {
        ++counts[a.col_idxs[k]];
    }
}

template <class I>
void transpose(const Executor&, PatternView<I> a, const I* row_ptrs, I* col_idxs, I* source, WorkspaceView workspace)
{
    I* const next = reinterpret_cast<I*>(workspace.data);
    std::copy_n(row_ptrs, a.cols, next);
    for (size_type row = 0; row < a.rows; ++row) {
        for (I k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
            const I at = next[a.col_idxs[k]]++;
            col_idxs[at] = static_cast<I>(row);
            source[at] = k;
        }
    }
}

template <class I>
void select_count(const Executor&, PatternView<I> a, PatternSelection which, I* counts)
{
    for (size_type row = which.row_begin; row < which.row_end; ++row) {
        I& count = counts[row - which.row_begin];
        count = 0;
        for (I k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
            count += which.keeps(row, a.col_idxs[k]) ? 1 : 0;
        }
    }
}

template <class I>
void select_fill(const Executor&, PatternView<I> a, PatternSelection which, const I* row_ptrs, I* col_idxs, I* source)
{
    for (size_type row = which.row_begin; row < which.row_end; ++row) {
        I at = row_ptrs[row - which.row_begin];
        for (I k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
            if (which.keeps(row, a.col_idxs[k])) {
                col_idxs[at] = static_cast<I>(a.col_idxs[k] - which.col_begin);
                source[at] = k;
                ++at;
            }
        }
    }
}

template <class I>
void permute_count(const Executor&, PatternView<I> a, const I* p, I* counts)
{
    for (size_type i = 0; i < a.rows; ++i) {
        const size_type row = p == nullptr ? i : size_type{p[i]};
        counts[i] = a.row_ptrs[row + 1] - a.row_ptrs[row];
    }
}

template <class I>
void permute_fill(const Executor&, PatternView<I> a, const I* p, const I* label, const I* row_ptrs, I* col_idxs,
                  I* source, WorkspaceView workspace)
{
    for (size_type i = 0; i < a.rows; ++i) {
        const size_type row = p == nullptr ? i : size_type{p[i]};
        I at = row_ptrs[i];
        for (I k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k, ++at) {
            col_idxs[at] = label == nullptr ? a.col_idxs[k] : label[a.col_idxs[k]];
            source[at] = k;
        }
    }
    sort_by_column(a.rows, row_ptrs, col_idxs, source, workspace);
}

template <class I>
void add_diagonal_count(const Executor&, PatternView<I> a, I* counts)
{
    for (size_type row = 0; row < a.rows; ++row) {
        const I* const begin = a.col_idxs + a.row_ptrs[row];
        const I* const end = a.col_idxs + a.row_ptrs[row + 1];
        const bool is_missing = row < a.cols && std::find(begin, end, static_cast<I>(row)) == end;
        counts[row] = static_cast<I>(end - begin + is_missing);
    }
}

template <class I>
void add_diagonal_fill(const Executor&, PatternView<I> a, const I* row_ptrs, I* col_idxs, I* source)
{
    for (size_type row = 0; row < a.rows; ++row) {
        I at = row_ptrs[row];
        const auto add = [&](I col, I k) {
            col_idxs[at] = col;
            source[at] = k;
            ++at;
        };
        bool is_missing = row_ptrs[row + 1] - row_ptrs[row] != a.row_ptrs[row + 1] - a.row_ptrs[row];
        for (I k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
            if (is_missing && a.col_idxs[k] > row) {
                add(static_cast<I>(row), I{-1});
                is_missing = false;
            }
            add(a.col_idxs[k], k);
        }
        if (is_missing) {
            add(static_cast<I>(row), I{-1});
        }
    }
}

template <class I>
bool begins_run(PatternView<I> a, size_type row, I k)
{
    return k == a.row_ptrs[row] || a.col_idxs[k] != a.col_idxs[k - 1];
}

template <class I>
void unique_count(const Executor&, PatternView<I> a, I* counts)
{
    for (size_type row = 0; row < a.rows; ++row) {
        counts[row] = 0;
        for (I k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
            counts[row] += begins_run(a, row, k) ? 1 : 0;
        }
    }
}

template <class I>
void unique_fill(const Executor&, PatternView<I> a, const I* row_ptrs, I* col_idxs, I* run_begins)
{
    for (size_type row = 0; row < a.rows; ++row) {
        I at = row_ptrs[row];
        for (I k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
            if (begins_run(a, row, k)) {
                col_idxs[at] = a.col_idxs[k];
                run_begins[at] = k;
                ++at;
            }
        }
    }
}

template <class I>
void expand_rows(const Executor&, size_type rows, size_type, const I* row_ptrs, I* row_idxs)
{
    for (size_type row = 0; row < rows; ++row) {
        std::fill(row_idxs + row_ptrs[row], row_idxs + row_ptrs[row + 1], static_cast<I>(row));
    }
}

template <class I>
void compress_rows(const Executor&, size_type rows, size_type num_nonzeros, const I* row_idxs, I* row_ptrs)
{
    size_type k = 0;
    for (size_type row = 0; row <= rows; ++row) {
        while (k < num_nonzeros && row_idxs[k] < row) {
            ++k;
        }
        row_ptrs[row] = static_cast<I>(k);
    }
}

template <class I>
void count_triplets(const Executor&, TripletsView<I> t, I* counts, size_type* first_outside)
{
    std::fill_n(counts, t.size.rows, I{0});
    *first_outside = INT64_MAX;
    for (size_type k = 0; k < t.count; ++k) {
        if (t.is_inside(k)) {
            ++counts[t.rows[k]];
        } else {
            *first_outside = std::min(*first_outside, k);
        }
    }
}

template <class I>
void group_triplets(const Executor&, TripletsView<I> t, const I* row_ptrs, I* col_idxs, I* source,
                    WorkspaceView workspace)
{
    I* const next = reinterpret_cast<I*>(workspace.data);
    std::copy_n(row_ptrs, t.size.rows, next);
    for (size_type k = 0; k < t.count; ++k) {
        const I at = next[t.rows[k]]++;
        col_idxs[at] = t.cols[k];
        source[at] = static_cast<I>(k);
    }
    sort_by_column(t.size.rows, row_ptrs, col_idxs, source, workspace);
}

}  // namespace

void register_pattern()
{
    for_each_index([]<class I>() {
        constexpr auto here = Backend::reference;
        pattern_sort_rows<I>.bind(here, sort_rows<I>);
        pattern_count_columns<I>.bind(here, count_columns<I>);
        pattern_transpose<I>.bind(here, transpose<I>);
        pattern_select_count<I>.bind(here, select_count<I>);
        pattern_select_fill<I>.bind(here, select_fill<I>);
        pattern_permute_count<I>.bind(here, permute_count<I>);
        pattern_permute_fill<I>.bind(here, permute_fill<I>);
        pattern_add_diagonal_count<I>.bind(here, add_diagonal_count<I>);
        pattern_add_diagonal_fill<I>.bind(here, add_diagonal_fill<I>);
        pattern_unique_count<I>.bind(here, unique_count<I>);
        pattern_unique_fill<I>.bind(here, unique_fill<I>);
        pattern_expand_rows<I>.bind(here, expand_rows<I>);
        pattern_compress_rows<I>.bind(here, compress_rows<I>);
        pattern_count_triplets<I>.bind(here, count_triplets<I>);
        pattern_group_triplets<I>.bind(here, group_triplets<I>);
    });
}

}  // namespace linden::reference
