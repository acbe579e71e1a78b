#pragma once

#include <linden/views.hpp>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "core/kernels/reduction.hpp"
#include "omp/executor.hpp"
#include "omp/team/team.hpp"

/// How kernels of this folder are spread over threads: one parallel region per kernel, rows in contiguous parts, as
/// many parts as the executor has threads. What a part is depends on the problem and on the executor alone, so that
/// sums have the same bits in every run, also where fewer threads run them (team.hpp).
namespace linden::omp {

inline constexpr size_type cache_line_bytes = 64;
/// Below so many values read or written a kernel runs on the calling thread: waking the team takes longer, some
/// microseconds.
inline constexpr size_type min_parallel_work = 8192;

/// Rows in parts of equal length. Boundaries are multiples of 64 rows, so that no two parts write to a cache line.
struct RowPartition {
    size_type rows;
    size_type values_per_row;

    RowPartition(size_type num_rows, size_type num_values_per_row = 1)
        : rows(num_rows),
          values_per_row(num_values_per_row)
    {
    }

    size_type work() const { return rows * values_per_row; }
    /// The first row of `part`; the end of the last part is first(parts, parts).
    size_type first(int part, int parts) const
    {
        constexpr size_type granule = 64;
        const size_type granules = (rows + granule - 1) / granule;
        return std::min(rows, granules * part / parts * granule);
    }
};

/// Rows of a compressed matrix in parts with equally many nonzeros and row pointers. A range of rows is a matrix too:
/// its pointers need not begin with 0.
template <class I>
struct NonzeroPartition {
    const I* row_ptrs;
    size_type rows;

    size_type work() const { return rows == 0 ? 0 : size_type{row_ptrs[rows]} - row_ptrs[0] + rows; }
    size_type first(int part, int parts) const
    {
        if (part == parts) {
            return rows;
        }
        const size_type target = work() / parts * part;
        size_type low = 0;
        size_type high = rows;
        while (low < high) {
            const size_type middle = (low + high) / 2;
            if (row_ptrs[middle] - row_ptrs[0] + middle < target) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }
};

template <class V, class I>
NonzeroPartition<I> by_nonzeros(CsrView<V, I> a)
{
    return {a.row_ptrs, a.rows};
}

/// Calls body(part, begin, end) for each of `parts` parts, in one parallel region, with as many threads as there are
/// processors for at the time: a thread may get several parts, in increasing order, and one may get all. A part that
/// waits for another's work must allow for that.
template <class Partition, class Body>
void run_parts(const Partition& partition, int parts, const Body& body)
{
    if (parts == 1) {
        body(0, size_type{0}, partition.rows);
        return;
    }
    run_team(parts, [&](int thread, int threads) {
        for (int part = thread; part < parts; part += threads) {
            body(part, partition.first(part, parts), partition.first(part + 1, parts));
        }
    });
}

template <class Partition>
int num_parts(const Executor& exec, const Partition& partition)
{
    return partition.work() < min_parallel_work ? 1 : num_threads(exec);
}

/// Calls body(begin, end) for the parts of the rows, each on a thread of its own.
template <class Partition, class Body>
void parallel_parts(const Executor& exec, const Partition& partition, const Body& body)
{
    run_parts(partition, num_parts(exec, partition), [&](int, size_type begin, size_type end) { body(begin, end); });
}

/// `parallel_parts` for rows of equal work: parallel_rows(exec, rows, body) or parallel_rows(exec, {rows, k}, body).
template <class Body>
void parallel_rows(const Executor& exec, RowPartition rows, const Body& body)
{
    parallel_parts(exec, rows, body);
}

/// A partition whose bounds are those of blocks.
template <class Partition>
struct PartitionInBlocks {
    const Partition& of;
    size_type rows;

    size_type first(int part, int parts) const
    {
        const auto row = of.first(part, parts);
        return part == parts ? row : row / sum_block_rows * sum_block_rows;
    }
};

/// The reproducible form of `reduce_parts`: body(begin, end, partials) is called for blocks of rows, whose sums are
/// added in the order of a tree that knows neither threads nor ranks.
template <class T, class Partition, class Body, class Finish, class Add>
void reduce_blocks(const Executor& exec, const Partition& partition, size_type values, RankSums& ranks,
                   const Body& body, const Finish& finish, const Add& add)
{
    const int parts = num_parts(exec, partition);
    std::vector<BlockSums<T>> trees(static_cast<std::size_t>(parts), BlockSums<T>(values));
    const auto do_part = [&](int part, size_type begin, size_type end) {
        BlockSums<T>& tree = trees[static_cast<std::size_t>(part)];
        std::vector<T> sums(static_cast<std::size_t>(values));
        std::int64_t block = ranks.first_block() + begin / sum_block_rows;
        for (size_type row = begin; row < end; row += sum_block_rows, ++block) {
            std::fill(sums.begin(), sums.end(), T{});
            body(row, std::min(row + sum_block_rows, end), sums.data());
            tree.append(block, sums.data(), add);
        }
    };
    run_parts(PartitionInBlocks<Partition>{partition, partition.rows}, parts, do_part);
    for (int part = 1; part < parts; ++part) {
        trees.front().append(trees[static_cast<std::size_t>(part)], add);
    }
    ranks.submit(trees.front(), values, add, finish, may_wait<Finish>);
}

/// Forms N sums per column in the same pass: body(begin, end, partials) adds its rows to partials[i * cols + col],
/// i < N, which starts as zeros; finish(sums) gets the totals in the same layout, on the calling thread, after all
/// bodies; of all ranks, if the workspace is of several, and then later where finish is `Later`. Partial sums lie on
/// cache lines of their own in `workspace` and are added in the order of the parts, so the result is the same in every
/// run. Workspace: reduction_workspace_bytes<T>(N * cols). `add(total, partial)` stands in for the sum where something
/// else is formed, e.g. a maximum (of zero and more).
template <class T, int N, class Partition, class Body, class Finish, class Add>
void reduce_parts(const Executor& exec, const Partition& partition, size_type cols, WorkspaceView workspace,
                  const Body& body, const Finish& finish, const Add& add)
{
    constexpr auto line = cache_line_bytes / static_cast<size_type>(sizeof(T));
    const size_type values = N * cols;
    if (RankSums* const ranks = rank_sums(workspace); ranks != nullptr && ranks->is_reproducible()) {
        reduce_blocks<T>(exec, partition, values, *ranks, body, finish, add);
        return;
    }
    const size_type stride = std::max((values + line - 1) / line, size_type{1}) * line;
    T* const first = reinterpret_cast<T*>(workspace.data + reduction_header_bytes);
    const size_type room = (workspace.bytes - reduction_header_bytes) / (stride * static_cast<size_type>(sizeof(T)));
    const int parts = static_cast<int>(std::clamp(room, size_type{1}, size_type{num_parts(exec, partition)}));
    run_parts(partition, parts, [&](int part, size_type begin, size_type end) {
        T* const partials = first + part * stride;
        std::fill_n(partials, values, T{});
        body(begin, end, partials);
    });
    for (int part = 1; part < parts; ++part) {
        for (size_type i = 0; i < values; ++i) {
            add(first[i], first[part * stride + i]);
        }
    }
    finish_sums(workspace, static_cast<const T*>(first), values, finish, add);
}

template <class T, int N, class Partition, class Body, class Finish>
void reduce_parts(const Executor& exec, const Partition& partition, size_type cols, WorkspaceView workspace,
                  const Body& body, const Finish& finish)
{
    reduce_parts<T, N>(exec, partition, cols, workspace, body, finish, AddParts{});
}

/// `reduce_parts` for rows of equal work.
template <class T, int N, class Body, class Finish>
void reduce_rows(const Executor& exec, size_type rows, size_type cols, WorkspaceView workspace, const Body& body,
                 const Finish& finish)
{
    reduce_parts<T, N>(exec, RowPartition{rows, cols}, cols, workspace, body, finish);
}

}  // namespace linden::omp
