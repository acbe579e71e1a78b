#include "core/kernels/pattern.hpp"

#include "gpu/pattern/arrived_rows.cuh"
#include "gpu/pattern/count_columns.cuh"
#include "gpu/pattern/transposed_entries.cuh"

namespace linden::LINDEN_GPU_NAMESPACE {
namespace {

/// How many entries so many rows of a have if they are like the average.
template <class I>
size_type expected_entries(PatternView<I> a, size_type rows)
{
    return a.rows == 0 ? 0 : a.num_nonzeros / a.rows * rows;
}

template <class I>
struct Numbers : NothingToPrepare {
    I* values;

    __device__ void operator()(Place<1> at, Nothing) const { values[at.row] = static_cast<I>(at.row); }
};

template <class I>
void sort_rows(const Executor& exec, size_type rows, size_type num_nonzeros, const I* row_ptrs, I* col_idxs, I* source,
               WorkspaceView workspace)
{
    const RowWorkspace<I> work(rows, num_nonzeros, workspace);
    work.clear(exec, 0);
    map_elements(exec, num_nonzeros, 1, Numbers<I>{{}, source});
    sort_by_column(exec, rows, num_nonzeros, row_ptrs, EntryArrays<I>{col_idxs, source}, work);
}

template <class I>
struct CountKey : NothingToPrepare {
    const I* keys;
    I* counts;

    __device__ void operator()(Place<1> at, Nothing) const { atomic_add(counts + keys[at.row], 1); }
};

template <class I>
void count_columns(const Executor& exec, PatternView<I> a, I* counts)
{
    exec.state().fill_zero(counts, static_cast<std::size_t>(a.cols) * sizeof(I));
    if (const size_type chunk_rows = tallied_rows(a); chunk_rows > 0) {
        const size_type chunks = (a.rows + chunk_rows - 1) / chunk_rows;
        launch_overlapped_on(exec, count_tallied_columns<I>, busy_blocks(exec, chunks * column_block_threads),
                             column_block_threads, 0, a, chunk_rows, counts);
    } else {
        map_elements(exec, a.num_nonzeros, 1, CountKey<I>{{}, a.col_idxs, counts});
    }
}

/// Puts entry k of `row` at the next free place of row `key`; the sort brings the places into their order.
template <class I>
__device__ void scatter(const I* row_ptrs, RowWorkspace<I> work, EntryArrays<I> out, I key, Entry<I> entry)
{
    out.set(row_ptrs[key] + atomic_add(work.next + key, 1), entry);
}

template <class I>
void transpose(const Executor& exec, PatternView<I> a, const I* row_ptrs, I* col_idxs, I* source,
               WorkspaceView workspace)
{
    const RowWorkspace<I> work(a.cols, a.num_nonzeros, workspace);
    work.clear(exec, a.cols);
    if (const size_type chunk_rows = tallied_rows(a); chunk_rows > 0) {
        const size_type chunks = (a.rows + chunk_rows - 1) / chunk_rows;
        launch_overlapped_on(exec, transpose_tallied_rows<I>, busy_blocks(exec, chunks * column_block_threads),
                             column_block_threads, 0, a, chunk_rows, row_ptrs, work);
    } else {
        map_rows_by_length(exec, a.rows, a.num_nonzeros, TransposeRow<I>{a, row_ptrs, work});
    }
    sort_rows_by<I>(exec, a.cols, a.num_nonzeros, PlaceArrivedRow<I>{row_ptrs, {col_idxs, source}, work});
}

/// Counts the entries that are kept, or writes them where `row_ptrs` says.
template <class I>
struct SelectRow {
    PatternView<I> a;
    PatternSelection which;
    I* counts;
    const I* row_ptrs;
    EntryArrays<I> out;

    template <class Group>
    __device__ void operator()(Group group, size_type i) const
    {
        const size_type row = which.row_begin + i;
        const auto keep = [&](size_type k) { return which.keeps(row, a.col_idxs[k]); };
        const auto write = [&](size_type at, size_type k) {
            if (counts == nullptr) {
                out.set(at, {static_cast<I>(a.col_idxs[k] - which.col_begin), static_cast<I>(k)});
            }
        };
        const size_type first = counts == nullptr ? row_ptrs[i] : 0;
        const size_type end = compact(group, a.row_ptrs[row], a.row_ptrs[row + 1], first, keep, write);
        if (counts != nullptr && Group::lane() == 0) {
            counts[i] = static_cast<I>(end);
        }
    }
};

template <class I>
void select_count(const Executor& exec, PatternView<I> a, PatternSelection which, I* counts)
{
    const size_type rows = which.row_end - which.row_begin;
    map_rows(exec, rows, expected_entries(a, rows), SelectRow<I>{a, which, counts, nullptr, {}});
}

template <class I>
void select_fill(const Executor& exec, PatternView<I> a, PatternSelection which, const I* row_ptrs, I* col_idxs,
                 I* source)
{
    const size_type rows = which.row_end - which.row_begin;
    map_rows(exec, rows, expected_entries(a, rows), SelectRow<I>{a, which, nullptr, row_ptrs, {col_idxs, source}});
}

template <class I>
struct PermuteCount : NothingToPrepare {
    const I* row_ptrs;
    const I* p;
    I* counts;

    __device__ void operator()(Place<1> at, Nothing) const
    {
        const size_type row = p == nullptr ? at.row : size_type{p[at.row]};
        counts[at.row] = row_ptrs[row + 1] - row_ptrs[row];
    }
};

template <class I>
void permute_count(const Executor& exec, PatternView<I> a, const I* p, I* counts)
{
    map_elements(exec, a.rows, 1, PermuteCount<I>{{}, a.row_ptrs, p, counts});
}

template <class I>
struct PermuteRow {
    PatternView<I> a;
    const I* p;
    const I* label;
    const I* row_ptrs;
    EntryArrays<I> out;

    template <class Group>
    __device__ void operator()(Group, size_type i) const
    {
        const size_type begin = a.row_ptrs[p == nullptr ? i : size_type{p[i]}];
        const size_type first = row_ptrs[i];
        const size_type length = row_ptrs[i + 1] - first;
        for (size_type k = Group::lane(); k < length; k += Group::size) {
            const I col = a.col_idxs[begin + k];
            out.set(first + k, {label == nullptr ? col : label[col], static_cast<I>(begin + k)});
        }
    }
};

template <class I>
void permute_fill(const Executor& exec, PatternView<I> a, const I* p, const I* label, const I* row_ptrs, I* col_idxs,
                  I* source, WorkspaceView workspace)
{
    const EntryArrays<I> out{col_idxs, source};
    const RowWorkspace<I> work(a.rows, a.num_nonzeros, workspace);
    work.clear(exec, 0);
    map_rows(exec, a.rows, a.num_nonzeros, PermuteRow<I>{a, p, label, row_ptrs, out});
    sort_by_column(exec, a.rows, a.num_nonzeros, row_ptrs, out, work);
}

template <class I>
struct CountWithDiagonal : NothingToPrepare {
    PatternView<I> a;
    I* counts;

    __device__ void operator()(Place<1> place, Nothing) const
    {
        const size_type row = place.row;
        const size_type begin = a.row_ptrs[row];
        const size_type end = a.row_ptrs[row + 1];
        const size_type at = lower_bound(a.col_idxs, begin, end, row);
        const bool is_missing = row < a.cols && (at == end || a.col_idxs[at] != row);
        counts[row] = static_cast<I>(end - begin + (is_missing ? 1 : 0));
    }
};

template <class I>
void add_diagonal_count(const Executor& exec, PatternView<I> a, I* counts)
{
    map_elements(exec, a.rows, 1, CountWithDiagonal<I>{{}, a, counts});
}

/// Entries right of the diagonal move by one place if it was missing.
template <class I>
struct AddDiagonalToRow {
    PatternView<I> a;
    const I* row_ptrs;
    EntryArrays<I> out;

    template <class Group>
    __device__ void operator()(Group, size_type row) const
    {
        const size_type begin = a.row_ptrs[row];
        const size_type length = a.row_ptrs[row + 1] - begin;
        const size_type first = row_ptrs[row];
        const bool is_missing = row_ptrs[row + 1] - first != length;
        for (size_type k = Group::lane(); k < length; k += Group::size) {
            const I col = a.col_idxs[begin + k];
            out.set(first + k + (is_missing && col > row ? 1 : 0), {col, static_cast<I>(begin + k)});
        }
        if (is_missing && Group::lane() == 0) {
            out.set(first + lower_bound(a.col_idxs, begin, begin + length, row) - begin, {static_cast<I>(row), -1});
        }
    }
};

template <class I>
void add_diagonal_fill(const Executor& exec, PatternView<I> a, const I* row_ptrs, I* col_idxs, I* source)
{
    map_rows(exec, a.rows, a.num_nonzeros, AddDiagonalToRow<I>{a, row_ptrs, {col_idxs, source}});
}

/// Counts the runs of equal columns, or writes them where `row_ptrs` says.
template <class I>
struct UniqueRow {
    PatternView<I> a;
    I* counts;
    const I* row_ptrs;
    EntryArrays<I> out;

    template <class Group>
    __device__ void operator()(Group group, size_type row) const
    {
        const size_type begin = a.row_ptrs[row];
        const auto keep = [&](size_type k) { return k == begin || a.col_idxs[k] != a.col_idxs[k - 1]; };
        const auto write = [&](size_type at, size_type k) {
            if (counts == nullptr) {
                out.set(at, {a.col_idxs[k], static_cast<I>(k)});
            }
        };
        const size_type first = counts == nullptr ? row_ptrs[row] : 0;
        const size_type end = compact(group, begin, a.row_ptrs[row + 1], first, keep, write);
        if (counts != nullptr && Group::lane() == 0) {
            counts[row] = static_cast<I>(end);
        }
    }
};

template <class I>
void unique_count(const Executor& exec, PatternView<I> a, I* counts)
{
    map_rows(exec, a.rows, a.num_nonzeros, UniqueRow<I>{a, counts, nullptr, {}});
}

template <class I>
void unique_fill(const Executor& exec, PatternView<I> a, const I* row_ptrs, I* col_idxs, I* run_begins)
{
    map_rows(exec, a.rows, a.num_nonzeros, UniqueRow<I>{a, nullptr, row_ptrs, {col_idxs, run_begins}});
}

template <class I>
struct ExpandRow {
    const I* row_ptrs;
    I* row_idxs;

    template <class Group>
    __device__ void operator()(Group, size_type row) const
    {
        const size_type end = row_ptrs[row + 1];
        for (size_type k = row_ptrs[row] + Group::lane(); k < end; k += Group::size) {
            row_idxs[k] = static_cast<I>(row);
        }
    }
};

template <class I>
void expand_rows(const Executor& exec, size_type rows, size_type num_nonzeros, const I* row_ptrs, I* row_idxs)
{
    map_rows(exec, rows, num_nonzeros, ExpandRow<I>{row_ptrs, row_idxs});
}

template <class I>
struct CompressRow : NothingToPrepare {
    size_type num_nonzeros;
    const I* row_idxs;
    I* row_ptrs;

    __device__ void operator()(Place<1> at, Nothing) const
    {
        row_ptrs[at.row] = static_cast<I>(lower_bound(row_idxs, 0, num_nonzeros, at.row));
    }
};

template <class I>
void compress_rows(const Executor& exec, size_type rows, size_type num_nonzeros, const I* row_idxs, I* row_ptrs)
{
    map_elements(exec, rows + 1, 1, CompressRow<I>{{}, num_nonzeros, row_idxs, row_ptrs});
}

__global__ void set_value(size_type* target, size_type value)
{
    if (thread_id() == 0) {
        *target = value;
    }
}

template <class I>
struct CountTriplet : NothingToPrepare {
    TripletsView<I> t;
    I* counts;
    size_type* first_outside;

    __device__ void operator()(Place<1> at, Nothing) const
    {
        if (t.is_inside(at.row)) {
            atomic_add(counts + t.rows[at.row], 1);
        } else {
            atomic_min(first_outside, at.row);
        }
    }
};

template <class I>
void count_triplets(const Executor& exec, TripletsView<I> t, I* counts, size_type* first_outside)
{
    exec.state().fill_zero(counts, static_cast<std::size_t>(t.size.rows) * sizeof(I));
    launch_on(exec, set_value, 1, 32, 0, first_outside, INT64_MAX);
    map_elements(exec, t.count, 1, CountTriplet<I>{{}, t, counts, first_outside});
}

template <class I>
struct ScatterTriplet : NothingToPrepare {
    TripletsView<I> t;
    const I* row_ptrs;
    EntryArrays<I> out;
    RowWorkspace<I> work;

    __device__ void operator()(Place<1> at, Nothing) const
    {
        scatter(row_ptrs, work, out, t.rows[at.row], Entry<I>{t.cols[at.row], static_cast<I>(at.row)});
    }
};

template <class I>
void group_triplets(const Executor& exec, TripletsView<I> t, const I* row_ptrs, I* col_idxs, I* source,
                    WorkspaceView workspace)
{
    const RowWorkspace<I> work(t.size.rows, t.count, workspace);
    const EntryArrays<I> out{col_idxs, source};
    work.clear(exec, t.size.rows);
    map_elements(exec, t.count, 1, ScatterTriplet<I>{{}, t, row_ptrs, out, work});
    sort_by_column(exec, t.size.rows, t.count, row_ptrs, out, work);
}

}  // namespace

void register_pattern()
{
    for_each_index([]<class I>() {
        constexpr auto here = this_backend;
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

}  // namespace linden::LINDEN_GPU_NAMESPACE
