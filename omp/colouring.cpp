#include "core/kernels/colouring.hpp"

#include <algorithm>
#include <atomic>
#include <bit>

#include "omp/mirror_images.hpp"
#include "omp/parallel.hpp"
#include "omp/wait.hpp"

namespace linden::omp {
namespace {

template <class I>
NonzeroPartition<I> by_nonzeros(PatternView<I> a)
{
    return {a.row_ptrs, a.rows};
}

template <class I>
void hashed_order(const Executor& exec, size_type n, std::uint64_t seed, I* order, I* rank)
{
    const HashedOrder hashed(n, seed);
    parallel_rows(exec, n, [&](size_type begin, size_type end) {
        for (size_type t = begin; t < end; ++t) {
            const size_type row = hashed(t);
            order[t] = static_cast<I>(row);
            rank[row] = static_cast<I>(t);
        }
    });
}

template <class I>
void scattered_order(const Executor& exec, size_type n, I* order, I* rank)
{
    const ScatteredOrder scattered{n};
    parallel_rows(exec, n, [&](size_type begin, size_type end) {
        for (size_type i = begin; i < end; ++i) {
            const size_type t = scattered.rank(i);
            rank[i] = static_cast<I>(t);
            order[t] = static_cast<I>(i);
        }
    });
}

/// *sum := the sum of count(row) over the rows.
template <class I, class Count>
void sum_over_rows(const Executor& exec, PatternView<I> a, size_type* sum, const Count& count)
{
    *sum = 0;
    parallel_parts(exec, by_nonzeros(a), [&](size_type begin, size_type end) {
        size_type of_part = 0;
        for (size_type row = begin; row < end; ++row) {
            of_part += count(row);
        }
#pragma omp atomic
        *sum += of_part;
    });
}

template <class I>
void count_unsymmetric(const Executor& exec, PatternView<I> a, size_type* count)
{
    *count = 0;
    const auto partition = by_nonzeros(a);
    const int parts = num_parts(exec, partition);
    MirrorSearch<I> search(a, parts);
    run_parts(partition, parts, [&](int part, size_type begin, size_type end) {
        const auto images = search.of_part(part);
        size_type of_part = 0;
        for (size_type row = begin; row < end; ++row) {
            for (I k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
                of_part += images.find(static_cast<I>(row), a.col_idxs[k]) < 0;
            }
        }
#pragma omp atomic
        *count += of_part;
    });
}

/// The search for the nearest earlier neighbours reads all entries; what then goes from row to row reads one.
template <class I>
void two_colouring(const Executor& exec, PatternView<I> a, I* sides, WorkspaceView workspace)
{
    I* const nearest = reinterpret_cast<I*>(workspace.data);
    parallel_parts(exec, by_nonzeros(a), [&](size_type begin, size_type end) {
        for (size_type row = begin; row < end; ++row) {
            nearest[row] = -1;
            for (I k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
                nearest[row] = a.col_idxs[k] < row ? std::max(nearest[row], a.col_idxs[k]) : nearest[row];
            }
        }
    });
    for (size_type row = 0; row < a.rows; ++row) {
        sides[row] = nearest[row] < 0 ? I{0} : static_cast<I>(1 - sides[nearest[row]]);
    }
}

/// What a row is to find, -1 while it has not.
template <class I>
void empty(const Executor& exec, size_type n, I* results)
{
    parallel_rows(exec, n, [&](size_type begin, size_type end) { std::fill(results + begin, results + end, I{-1}); });
}

template <class I>
I wait_for(I& result)
{
    const std::atomic_ref<I> shared(result);
    I value = shared.load(std::memory_order_relaxed);
    if (value < 0) [[unlikely]] {
        wait_until([&] { return (value = shared.load(std::memory_order_relaxed)) >= 0; });
    }
    return value;
}

/// results[row] := find(row) for all rows. Threads take rows in the order of their visit, some at a time, so that the
/// first of those under way never waits. In the order of rows most wait for the row before them: one thread takes all.
template <class I, class Find>
void visit_rows(const Executor& exec, PatternView<I> a, VisitView<I> visit, I* results, const Find& find)
{
    constexpr size_type chunk = 64;
    empty(exec, a.rows, results);
    const int threads = visit.order == nullptr ? 1 : num_parts(exec, by_nonzeros(a));
    std::atomic<size_type> next{0};
    Survivor survivor;
    run_team(threads, [&](int thread, int running) {
        TeamMember member(survivor, thread, running);
        for (size_type begin = 0;
             member.goes_on() && (begin = next.fetch_add(chunk, std::memory_order_relaxed)) < a.rows;) {
            for (size_type t = begin; t < std::min(begin + chunk, a.rows); ++t) {
                const size_type row = visit.row(t);
                std::atomic_ref<I>(results[row]).store(find(row), std::memory_order_relaxed);
            }
        }
    });
}

/// The least colour that earlier neighbours leave, from windows of 64 colours.
template <class I>
I least_colour(PatternView<I> a, VisitView<I> visit, size_type row, I* colours)
{
    constexpr I window = 64;
    for (I first = 0;; first += window) {
        std::uint64_t used = 0;
        for (I k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
            const I col = a.col_idxs[k];
            const I colour = visit.is_before(col, row) ? wait_for(colours[col]) - first : I{-1};
            used |= colour >= 0 && colour < window ? std::uint64_t{1} << colour : 0;
        }
        if (used != ~std::uint64_t{0}) {
            return first + static_cast<I>(std::countr_one(used));
        }
    }
}

template <class I>
void first_fit(const Executor& exec, PatternView<I> a, VisitView<I> visit, I* colours, size_type* num_colours,
               WorkspaceView)
{
    visit_rows(exec, a, visit, colours, [&](size_type row) { return least_colour(a, visit, row, colours); });
    *num_colours = 0;
    parallel_rows(exec, a.rows, [&](size_type begin, size_type end) {
        if (begin == end) {
            return;
        }
        const size_type needed = size_type{*std::max_element(colours + begin, colours + end)} + 1;
        const std::atomic_ref<size_type> most(*num_colours);
        size_type seen = most.load(std::memory_order_relaxed);
        while (needed > seen && !most.compare_exchange_weak(seen, needed, std::memory_order_relaxed)) {
        }
    });
}

template <class I>
void independent_set(const Executor& exec, PatternView<I> a, VisitView<I> visit, I* is_member, WorkspaceView)
{
    visit_rows(exec, a, visit, is_member, [&](size_type row) {
        const auto keeps_out = [&](I col) { return visit.is_before(col, row) && wait_for(is_member[col]) == 1; };
        return std::none_of(a.col_idxs + a.row_ptrs[row], a.col_idxs + a.row_ptrs[row + 1], keeps_out) ? I{1} : I{0};
    });
}

template <class I>
void validate(const Executor& exec, PatternView<I> a, size_type num_colours, const I* colours, size_type* num_conflicts)
{
    sum_over_rows(exec, a, num_conflicts, [&](size_type row) {
        size_type conflicts = colours[row] < 0 || colours[row] >= num_colours ? 1 : 0;
        for (I k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
            conflicts += a.col_idxs[k] != row && colours[a.col_idxs[k]] == colours[row];
        }
        return conflicts;
    });
}

template <class I>
void find_movable(const Executor& exec, PatternView<I> a, size_type count, const I* rows, I from, I to,
                  const I* colours, I* fits)
{
    const size_type mean = a.num_nonzeros / std::max<size_type>(a.rows, 1) + 1;
    parallel_rows(exec, {count, mean}, [&](size_type begin, size_type end) {
        for (size_type k = begin; k < end; ++k) {
            const auto has_target = [&](I col) { return colours[col] == to; };
            const I row = rows[k];
            fits[k] = colours[row] == from &&
                      std::none_of(a.col_idxs + a.row_ptrs[row], a.col_idxs + a.row_ptrs[row + 1], has_target);
        }
    });
}

template <class I>
void move_rows(const Executor& exec, size_type count, const I* rows, const I* before, size_type limit, I to, I* colours)
{
    parallel_rows(exec, count, [&](size_type begin, size_type end) {
        for (size_type k = begin; k < end; ++k) {
            if (before[k] < before[k + 1] && before[k] < limit) {
                colours[rows[k]] = to;
            }
        }
    });
}

template <class I>
void quotient(const Executor& exec, PatternView<I> a, size_type block_rows, I* row_ptrs, I* col_idxs)
{
    const size_type num_blocks = (a.rows + block_rows - 1) / block_rows;
    parallel_rows(exec, num_blocks + 1, [&](size_type begin, size_type end) {
        for (size_type block = begin; block < end; ++block) {
            row_ptrs[block] = a.row_ptrs[std::min(block * block_rows, a.rows)];
        }
    });
    parallel_rows(exec, a.num_nonzeros, [&](size_type begin, size_type end) {
        for (size_type k = begin; k < end; ++k) {
            col_idxs[k] = static_cast<I>(a.col_idxs[k] / block_rows);
        }
    });
}

template <class I>
void order_rows(const Executor& exec, ColouredBlocks<I> blocks, I* order, I* position)
{
    parallel_rows(exec, blocks.num_rows, [&](size_type begin, size_type end) {
        for (size_type row = begin; row < end; ++row) {
            const size_type at = blocks.position_of(row);
            position[row] = static_cast<I>(at);
            order[at] = static_cast<I>(row);
        }
    });
}

}  // namespace

void register_colouring()
{
    for_each_index([]<class I>() {
        colouring_hashed_order<I>.bind(Backend::omp, hashed_order<I>);
        colouring_scattered_order<I>.bind(Backend::omp, scattered_order<I>);
        colouring_two_colouring<I>.bind(Backend::omp, two_colouring<I>);
        colouring_count_unsymmetric<I>.bind(Backend::omp, count_unsymmetric<I>);
        colouring_first_fit<I>.bind(Backend::omp, first_fit<I>);
        colouring_independent_set<I>.bind(Backend::omp, independent_set<I>);
        colouring_validate<I>.bind(Backend::omp, validate<I>);
        colouring_find_movable<I>.bind(Backend::omp, find_movable<I>);
        colouring_move<I>.bind(Backend::omp, move_rows<I>);
        colouring_quotient<I>.bind(Backend::omp, quotient<I>);
        colouring_order_rows<I>.bind(Backend::omp, order_rows<I>);
    });
}

}  // namespace linden::omp
