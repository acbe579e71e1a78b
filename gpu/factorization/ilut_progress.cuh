#pragma once

#include "core/kernels/ilut.hpp"
#include "core/kernels/prefix_sum.hpp"
#include "gpu/factorization/ilut_rows.cuh"
#include "gpu/vector/row_groups.cuh"

/// Who takes which row of ILUT and of ICT, and which rows are done.
///
/// Rows are cut into runs, which end before a row without the entry beside its diagonal; on grids these are lines. A
/// block takes a run, and its subgroups take the rows of it in order. So the rows in flight are the beginnings of many
/// lines, each a few points behind the line before, and while a row waits for the one before it, it has done with all
/// the others. In the order of rows alone, whole lines would wait for each other.
namespace linden::LINDEN_GPU_NAMESPACE::ilut {

inline constexpr size_type longest_run = 1024;

/// Where the entries of a row that is done stand in its room: the number of those before the diagonal, and of all.
struct Finished {
    std::uint64_t bits = 0;

    __device__ size_type diagonal() const { return static_cast<size_type>(bits >> 32); }
    __device__ size_type end() const { return static_cast<size_type>(bits & 0xffffffffu); }
};

/// What rows tell each other, at the beginning of the workspace.
template <class I>
struct Progress {
    size_type n;
    std::uint64_t* tickets;  ///< how many runs were taken; 0 at first, as the two that follow
    size_type* first;        ///< rows before it are done
    std::uint64_t* done;     ///< per row, as in Finished
    std::int64_t* num_runs;
    I* starts;  ///< of the runs, and n
    I* run_of;  ///< per row, what is needed to number runs

    static constexpr size_type header_words = 8;
    /// A multiple of 16, within the three words for each row of ilut_workspace_bytes.
    static constexpr size_type bytes(size_type n) { return (n * 24 + (header_words + 2) * 8 + 15) / 16 * 16; }

    Progress(size_type rows, WorkspaceView workspace)
        : n(rows),
          tickets(reinterpret_cast<std::uint64_t*>(workspace.data)),
          first(reinterpret_cast<size_type*>(tickets + 1)),
          done(tickets + header_words),
          num_runs(reinterpret_cast<std::int64_t*>(tickets + 2)),
          starts(reinterpret_cast<I*>(done + n)),
          run_of(starts + n + 1)
    {
    }

    /// Whether all rows before `row` are done.
    __device__ bool is_first(size_type row) const
    {
        const size_type known = Lanes::shuffle(load_acquire(first), 0);
        size_type begin = known;
        while (begin < row) {
            const size_type at = begin + Lanes::lane();
            const LaneMask waiting = Lanes::ballot(at < row && load_acquire(done + at) == 0);
            if (waiting != 0) {
                begin += lowest_bit(static_cast<std::uint32_t>(waiting));
                break;
            }
            begin = begin + Lanes::size < row ? begin + Lanes::size : row;
        }
        if (Lanes::lane() == 0 && begin > known) {
            atomic_max(first, begin);
        }
        return begin >= row;
    }
};

/// Marks the rows at which runs begin.
template <class I>
struct MarkRun {
    PatternView<I> a;
    I* begins;

    template <class Group>
    __device__ void operator()(Group, size_type row) const
    {
        bool is_linked = false;
        for (I k = a.row_ptrs[row] + Group::lane(); k < a.row_ptrs[row + 1]; k += Group::size) {
            is_linked = is_linked || a.col_idxs[k] == row - 1;
        }
        const bool begins_here = !Group::any(is_linked) || row % longest_run == 0;
        if (Group::lane() == 0) {
            begins[row] = begins_here ? 1 : 0;
        }
    }
};

template <class I>
struct ListRun : NothingToPrepare {
    Progress<I> progress;

    __device__ void operator()(Place<1> at, Nothing) const
    {
        const I run = progress.run_of[at.row];
        const I next = progress.run_of[at.row + 1];
        if (run != next) {
            progress.starts[run] = static_cast<I>(at.row);
        }
        if (at.row == progress.n - 1) {
            progress.starts[next] = static_cast<I>(progress.n);
        }
    }
};

/// Nothing is taken, and nothing done.
template <class I>
Progress<I> start_progress(const Executor& exec, PatternView<I> a, WorkspaceView workspace)
{
    const Progress<I> progress(a.rows, workspace);
    exec.state().fill_zero(workspace.data,
                           static_cast<std::size_t>(a.rows + Progress<I>::header_words) * sizeof(std::uint64_t));
    map_rows(exec, a.rows, a.num_nonzeros, MarkRun<I>{a, progress.run_of});
    prefix_sum<I>(exec, a.rows, progress.run_of, progress.num_runs,
                  {workspace.data + Progress<I>::bytes(a.rows), prefix_sum_workspace_bytes});
    map_elements(exec, a.rows, 1, ListRun<I>{{}, progress});
    return progress;
}

/// The rows of a block: a run, and how many of its rows were taken, in one word of shared memory.
template <class I>
class Team {
public:
    /// Takes a run. Called by all threads of the block; contains a barrier.
    __device__ Team(const Progress<I>& progress, std::uint64_t* word)
        : progress_(progress),
          num_runs_(*progress.num_runs),
          word_(word)
    {
        if (thread_id() == 0) {
            *word_ = word_of(draw(), 0);
        }
        block_barrier();
    }

    static constexpr size_type none_yet = -1;

    /// The next row, for one lane; n if there are no more; `none_yet` if others of the team are taking theirs.
    __device__ size_type take_row() const
    {
        const std::uint64_t seen = load_shared_relaxed(word_);
        if (seen == drawing) {
            return none_yet;
        }
        const auto run = static_cast<size_type>(seen >> 32);
        if (run == num_runs_) {
            return progress_.n;
        }
        const size_type row = progress_.starts[run] + static_cast<size_type>(seen & 0xffffffffu);
        const bool is_in_run = row < progress_.starts[run + 1];
        if (atomic_cas(word_, seen, is_in_run ? seen + 1 : drawing) != seen) {
            return none_yet;
        }
        if (is_in_run) {
            return row;
        }
        const size_type next = draw();
        store_shared_relaxed(word_, word_of(next, 1));
        return progress_.starts[next];
    }

private:
    static constexpr std::uint64_t drawing = ~std::uint64_t{0};

    __device__ static std::uint64_t word_of(size_type run, std::uint64_t num_taken)
    {
        return static_cast<std::uint64_t>(run) << 32 | num_taken;
    }
    __device__ size_type draw() const
    {
        const auto run = static_cast<size_type>(atomic_add(progress_.tickets, 1));
        return run < num_runs_ ? run : num_runs_;
    }

    const Progress<I>& progress_;
    size_type num_runs_;
    std::uint64_t* word_;
};

}  // namespace linden::LINDEN_GPU_NAMESPACE::ilut
