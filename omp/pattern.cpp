#include "core/kernels/pattern.hpp"

#include <algorithm>
#include <mutex>
#include <numeric>
#include <type_traits>
#include <utility>

#include "omp/parallel.hpp"
#include "omp/rank_sort.hpp"

namespace linden::omp {
namespace {

/// Calls body(row) for all rows of a, in parts with equally many entries.
template <class I, class Body>
void for_each_row(const Executor& exec, size_type rows, const I* row_ptrs, const Body& body)
{
    parallel_parts(exec, NonzeroPartition<I>{row_ptrs, rows}, [&](size_type begin, size_type end) {
        for (size_type row = begin; row < end; ++row) {
            body(row);
        }
    });
}

template <class I, class Body>
void for_each_row(const Executor& exec, PatternView<I> a, const Body& body)
{
    for_each_row(exec, a.rows, a.row_ptrs, body);
}

/// The key of a column and its source, in whose order both are.
[[maybe_unused]] inline std::int64_t key_of(std::int32_t col, std::int32_t source)
{
    return (std::int64_t{col} << 32) + source;
}
[[maybe_unused]] inline std::int32_t col_of(std::int64_t key) { return static_cast<std::int32_t>(key >> 32); }
[[maybe_unused]] inline std::int32_t source_of(std::int64_t key) { return static_cast<std::int32_t>(key); }

using LongKey = std::pair<std::int64_t, std::int64_t>;
[[maybe_unused]] inline LongKey key_of(std::int64_t col, std::int64_t source) { return {col, source}; }
[[maybe_unused]] inline std::int64_t col_of(const LongKey& key) { return key.first; }
[[maybe_unused]] inline std::int64_t source_of(const LongKey& key) { return key.second; }

/// Sorts n different keys; there is room for eight.
template <class Key>
void sort_keys(Key* keys, size_type n)
{
    if constexpr (std::is_integral_v<Key>) {
        if (n <= 8) {
            sort_by_ranks<8>(keys, static_cast<int>(n));
            return;
        }
    }
    std::sort(keys, keys + n);
}

/// Sorts each row by (column, source), long ones at their place in the workspace.
template <class I>
void sort_by_column(const Executor& exec, size_type rows, const I* row_ptrs, I* col_idxs, I* source,
                    WorkspaceView workspace)
{
    using Key = decltype(key_of(I{}, I{}));
    for_each_row(exec, rows, row_ptrs, [&](size_type row) {
        const I begin = row_ptrs[row];
        const I n = row_ptrs[row + 1] - begin;
        I* const cols = col_idxs + begin;
        I* const sources = source + begin;
        bool is_sorted = true;
        for (I k = 1; k < n && is_sorted; ++k) {
            is_sorted = key_of(cols[k - 1], sources[k - 1]) < key_of(cols[k], sources[k]);
        }
        if (is_sorted) {
            return;
        }
        Key few[8] = {};
        Key* const keys = n <= 8 ? few : reinterpret_cast<Key*>(workspace.data) + begin;
        for (I k = 0; k < n; ++k) {
            keys[k] = key_of(cols[k], sources[k]);
        }
        sort_keys(keys, n);
        for (I k = 0; k < n; ++k) {
            cols[k] = col_of(keys[k]);
            sources[k] = source_of(keys[k]);
        }
    });
}

template <class I>
void sort_rows(const Executor& exec, size_type rows, size_type num_nonzeros, const I* row_ptrs, I* col_idxs, I* source,
               WorkspaceView workspace)
{
    parallel_rows(exec, num_nonzeros, [&](size_type begin, size_type end) {
        std::iota(source + begin, source + end, static_cast<I>(begin));
    });
    sort_by_column(exec, rows, row_ptrs, col_idxs, source, workspace);
}

/// Puts items into the buckets that start at begins[key] and end where the next ones start, those of one bucket in
/// their order, and writes with `put(at, item)`. `items.forward(begin, end, use)` calls use(key, item) for the items of
/// the partition's rows [begin, end), `items.backward` the same in reverse. The first part fills buckets from their
/// starts and the last one from their ends; for parts between them those before count their items per bucket.
/// Workspace: num_buckets I at least; what more there is allows so many parts.
template <class I, class Partition, class Items, class Put>
void distribute(const Executor& exec, const Partition& partition, size_type num_buckets, const I* begins,
                WorkspaceView workspace, const Items& items, const Put& put)
{
    if (num_buckets == 0) {
        return;
    }
    I* const next = reinterpret_cast<I*>(workspace.data);
    const size_type room = workspace.bytes / (num_buckets * static_cast<size_type>(sizeof(I)));
    const int parts =
        static_cast<int>(std::clamp<size_type>(room, 1, static_cast<size_type>(num_parts(exec, partition))));
    const int last = parts - 1;
    if (parts > 2) {
        run_parts(partition, parts, [&](int part, size_type begin, size_type end) {
            I* const mine = next + part * num_buckets;
            std::fill_n(mine, num_buckets, I{0});
            if (part < last - 1) {
                items.forward(begin, end, [&](I key, auto) { ++mine[key]; });
            }
        });
    }
    parallel_rows(exec, {num_buckets, parts}, [&](size_type begin, size_type end) {
        for (size_type bucket = begin; bucket < end; ++bucket) {
            I at = begins[bucket];
            for (int part = 0; part < last; ++part) {
                const I count = part < last - 1 ? next[part * num_buckets + bucket] : I{0};
                next[part * num_buckets + bucket] = at;
                at += count;
            }
            next[last * num_buckets + bucket] = last == 0 ? at : begins[bucket + 1];
        }
    });
    run_parts(partition, parts, [&](int part, size_type begin, size_type end) {
        I* const mine = next + part * num_buckets;
        if (part == 0 || part < last) {
            items.forward(begin, end, [&](I key, auto item) { put(mine[key]++, item); });
        } else {
            items.backward(begin, end, [&](I key, auto item) { put(--mine[key], item); });
        }
    });
}

/// An increment that other threads may see in the making takes some three times as long as a plain one.
inline constexpr int min_threads_for_atomics = 3;

/// counts[i] := how often i is among the n keys, for the keys that `counts_key(k)` accepts.
template <class I, class Accept>
void count_keys(const Executor& exec, size_type n, const I* keys, size_type num_keys, I* counts, const Accept& accept)
{
    parallel_rows(exec, num_keys,
                  [&](size_type begin, size_type end) { std::fill(counts + begin, counts + end, I{0}); });
    if (num_threads(exec) < min_threads_for_atomics) {
        for (size_type k = 0; k < n; ++k) {
            if (accept(k)) {
                ++counts[keys[k]];
            }
        }
        return;
    }
    parallel_rows(exec, n, [&](size_type begin, size_type end) {
        for (size_type k = begin; k < end; ++k) {
            if (accept(k)) {
#pragma omp atomic
                counts[keys[k]] += 1;
            }
        }
    });
}

template <class I>
void count_columns(const Executor& exec, PatternView<I> a, I* counts)
{
    count_keys(exec, a.num_nonzeros, a.col_idxs, a.cols, counts, [](size_type) { return true; });
}

/// The entries of a, with their columns as keys.
template <class I>
struct EntriesByColumn {
    struct Entry {
        I row, k;
    };

    PatternView<I> a;

    template <class Use>
    void forward(size_type begin, size_type end, const Use& use) const
    {
        for (size_type row = begin; row < end; ++row) {
            for (I k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
                use(a.col_idxs[k], Entry{static_cast<I>(row), k});
            }
        }
    }
    template <class Use>
    void backward(size_type begin, size_type end, const Use& use) const
    {
        for (size_type row = end; row-- > begin;) {
            for (I k = a.row_ptrs[row + 1]; k-- > a.row_ptrs[row];) {
                use(a.col_idxs[k], Entry{static_cast<I>(row), k});
            }
        }
    }
};

template <class I>
void transpose(const Executor& exec, PatternView<I> a, const I* row_ptrs, I* col_idxs, I* source,
               WorkspaceView workspace)
{
    distribute(exec, NonzeroPartition<I>{a.row_ptrs, a.rows}, a.cols, row_ptrs, workspace, EntriesByColumn<I>{a},
               [&](I at, const auto& entry) {
                   col_idxs[at] = entry.row;
                   source[at] = entry.k;
               });
}

template <class I>
void select_count(const Executor& exec, PatternView<I> a, PatternSelection which, I* counts)
{
    const auto first = which.row_begin;
    for_each_row(exec, which.row_end - first, a.row_ptrs + first, [&](size_type i) {
        I count = 0;
        for (I k = a.row_ptrs[first + i]; k < a.row_ptrs[first + i + 1]; ++k) {
            count += which.keeps(first + i, a.col_idxs[k]) ? 1 : 0;
        }
        counts[i] = count;
    });
}

template <class I>
void select_fill(const Executor& exec, PatternView<I> a, PatternSelection which, const I* row_ptrs, I* col_idxs,
                 I* source)
{
    const auto first = which.row_begin;
    for_each_row(exec, which.row_end - first, a.row_ptrs + first, [&](size_type i) {
        I at = row_ptrs[i];
        for (I k = a.row_ptrs[first + i]; k < a.row_ptrs[first + i + 1]; ++k) {
            if (which.keeps(first + i, a.col_idxs[k])) {
                col_idxs[at] = static_cast<I>(a.col_idxs[k] - which.col_begin);
                source[at] = k;
                ++at;
            }
        }
    });
}

template <class I>
void permute_count(const Executor& exec, PatternView<I> a, const I* p, I* counts)
{
    parallel_rows(exec, a.rows, [&](size_type begin, size_type end) {
        for (size_type i = begin; i < end; ++i) {
            const size_type row = p == nullptr ? i : size_type{p[i]};
            counts[i] = a.row_ptrs[row + 1] - a.row_ptrs[row];
        }
    });
}

template <class I>
void permute_fill(const Executor& exec, PatternView<I> a, const I* p, const I* label, const I* row_ptrs, I* col_idxs,
                  I* source, WorkspaceView workspace)
{
    for_each_row(exec, a.rows, row_ptrs, [&](size_type i) {
        const size_type row = p == nullptr ? i : size_type{p[i]};
        I at = row_ptrs[i];
        for (I k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k, ++at) {
            col_idxs[at] = label == nullptr ? a.col_idxs[k] : label[a.col_idxs[k]];
            source[at] = k;
        }
    });
    sort_by_column(exec, a.rows, row_ptrs, col_idxs, source, workspace);
}

/// Where the diagonal entry of a sorted row stands or belongs.
template <class I>
I diagonal_position(PatternView<I> a, size_type row)
{
    const I* const at = std::lower_bound(a.col_idxs + a.row_ptrs[row], a.col_idxs + a.row_ptrs[row + 1], row);
    return static_cast<I>(at - a.col_idxs);
}

template <class I>
void add_diagonal_count(const Executor& exec, PatternView<I> a, I* counts)
{
    parallel_rows(exec, a.rows, [&](size_type begin, size_type end) {
        for (size_type row = begin; row < end; ++row) {
            const I last = a.row_ptrs[row + 1];
            const I at = diagonal_position(a, row);
            const bool is_missing = row < a.cols && (at == last || a.col_idxs[at] != row);
            counts[row] = last - a.row_ptrs[row] + (is_missing ? 1 : 0);
        }
    });
}

template <class I>
void add_diagonal_fill(const Executor& exec, PatternView<I> a, const I* row_ptrs, I* col_idxs, I* source)
{
    for_each_row(exec, a.rows, row_ptrs, [&](size_type row) {
        const I begin = a.row_ptrs[row];
        const I end = a.row_ptrs[row + 1];
        const bool is_missing = row_ptrs[row + 1] - row_ptrs[row] != end - begin;
        const I middle = is_missing ? diagonal_position(a, row) : end;
        I at = row_ptrs[row];
        for (I k = begin; k < middle; ++k, ++at) {
            col_idxs[at] = a.col_idxs[k];
            source[at] = k;
        }
        if (is_missing) {
            col_idxs[at] = static_cast<I>(row);
            source[at] = -1;
            ++at;
        }
        for (I k = middle; k < end; ++k, ++at) {
            col_idxs[at] = a.col_idxs[k];
            source[at] = k;
        }
    });
}

template <class I>
bool begins_run(PatternView<I> a, size_type row, I k)
{
    return k == a.row_ptrs[row] || a.col_idxs[k] != a.col_idxs[k - 1];
}

template <class I>
void unique_count(const Executor& exec, PatternView<I> a, I* counts)
{
    for_each_row(exec, a, [&](size_type row) {
        I count = 0;
        for (I k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
            count += begins_run(a, row, k) ? 1 : 0;
        }
        counts[row] = count;
    });
}

template <class I>
void unique_fill(const Executor& exec, PatternView<I> a, const I* row_ptrs, I* col_idxs, I* run_begins)
{
    for_each_row(exec, a, [&](size_type row) {
        I at = row_ptrs[row];
        for (I k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
            if (begins_run(a, row, k)) {
                col_idxs[at] = a.col_idxs[k];
                run_begins[at] = k;
                ++at;
            }
        }
    });
}

template <class I>
void expand_rows(const Executor& exec, size_type rows, size_type, const I* row_ptrs, I* row_idxs)
{
    for_each_row(exec, rows, row_ptrs, [&](size_type row) {
        std::fill(row_idxs + row_ptrs[row], row_idxs + row_ptrs[row + 1], static_cast<I>(row));
    });
}

template <class I>
void compress_rows(const Executor& exec, size_type rows, size_type num_nonzeros, const I* row_idxs, I* row_ptrs)
{
    parallel_rows(exec, rows + 1, [&](size_type begin, size_type end) {
        for (size_type row = begin; row < end; ++row) {
            row_ptrs[row] = static_cast<I>(std::lower_bound(row_idxs, row_idxs + num_nonzeros, row) - row_idxs);
        }
    });
}

template <class I>
void count_triplets(const Executor& exec, TripletsView<I> t, I* counts, size_type* first_outside)
{
    count_keys(exec, t.count, t.rows, t.size.rows, counts, [&](size_type k) { return t.is_inside(k); });
    *first_outside = INT64_MAX;
    std::mutex joining;
    parallel_rows(exec, t.count, [&](size_type begin, size_type end) {
        for (size_type k = begin; k < end; ++k) {
            if (!t.is_inside(k)) {
                const std::lock_guard lock(joining);
                *first_outside = std::min(*first_outside, k);
                return;
            }
        }
    });
}

template <class I>
struct TripletsByRow {
    TripletsView<I> t;

    template <class Use>
    void forward(size_type begin, size_type end, const Use& use) const
    {
        for (size_type k = begin; k < end; ++k) {
            use(t.rows[k], k);
        }
    }
    template <class Use>
    void backward(size_type begin, size_type end, const Use& use) const
    {
        for (size_type k = end; k-- > begin;) {
            use(t.rows[k], k);
        }
    }
};

template <class I>
void group_triplets(const Executor& exec, TripletsView<I> t, const I* row_ptrs, I* col_idxs, I* source,
                    WorkspaceView workspace)
{
    distribute(exec, RowPartition(t.count), t.size.rows, row_ptrs, workspace, TripletsByRow<I>{t},
               [&](I at, size_type k) {
                   col_idxs[at] = t.cols[k];
                   source[at] = static_cast<I>(k);
               });
    sort_by_column(exec, t.size.rows, row_ptrs, col_idxs, source, workspace);
}

}  // namespace

void register_pattern()
{
    for_each_index([]<class I>() {
        constexpr auto here = Backend::omp;
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

}  // namespace linden::omp
