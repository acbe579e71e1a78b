#include "core/kernels/levels.hpp"

#include "gpu/device/awaited.cuh"
#include "gpu/pattern/row_order.cuh"

namespace linden::LINDEN_GPU_NAMESPACE {
namespace {

// ---- levels: rows in their own order, each waits for those that it needs --------------------------------------------

#if defined(LINDEN_HIP_PLATFORM_HOST)
inline constexpr int find_threads = 128;
#else
inline constexpr int find_threads = 1024;
#endif
/// Lanes that wait together.
using Wave = Subgroup<32>;

/// The rows of a block: a run in the order in which they can be found, from the last row up for upper triangles.
/// Levels are counted from 1 here, so that 0 stands for one to come.
template <class I>
struct LevelSearch {
    PatternView<I> a;
    Side side;
    I* levels;

    /// The row at a place of that order, and the place of a row.
    __device__ I at(I place) const { return side == Side::lower ? place : static_cast<I>(a.rows) - 1 - place; }
    __device__ bool needs(I row, I col) const { return side == Side::lower ? col < row : col > row; }

    /// Where the level of a column is once it is known, and 0 before: in `mine` for the block's rows, from the place
    /// `first` on.
    __device__ const I* cell(I col, const I* mine, I first) const
    {
        const I place = at(col);
        return place >= first ? mine + (place - first) : levels + col;
    }
};

/// The columns that a row needs, in the order in which their levels can be found. A row waits for one at a time and
/// asks once in a turn: what all rows together ask for is what the device's cache can answer.
template <class I>
class NeededColumns {
public:
    __device__ NeededColumns(const LevelSearch<I>& search, I place, const I* mine, I first)
        : search_(search),
          mine_(mine),
          first_(first),
          own_(mine + (place - first)),
          row_(search.at(place)),
          next_(search.a.row_ptrs[row_]),
          left_(search.a.row_ptrs[row_ + 1] - next_)
    {
        next_ += search.side == Side::lower ? 0 : left_ - 1;
        awaited_ = take();
    }

    /// Takes a level that has come into account; whether there are no others.
    __device__ bool advance()
    {
        const I level = load_relaxed(awaited_);
        if (level != 0) {
            level_ = level < level_ ? level_ : level + 1;
            awaited_ = take();
            note_progress();
        }
        return awaited_ == own_;
    }
    __device__ I row() const { return row_; }
    __device__ I level() const { return level_; }

private:
    /// Where the level of the next one comes; the row's own cell if there is none.
    __device__ const I* take()
    {
        while (left_ > 0) {
            const I col = search_.a.col_idxs[next_];
            next_ += search_.side == Side::lower ? 1 : -1;
            --left_;
            if (search_.needs(row_, col)) {
                return search_.cell(col, mine_, first_);
            }
        }
        return own_;
    }

    const LevelSearch<I>& search_;
    const I* mine_;
    I first_;
    const I* own_;
    I row_, next_, left_;
    I level_ = 1;
    const I* awaited_;
};

template <class I>
__global__ void __launch_bounds__(find_threads) find_kernel(LevelSearch<I> search, size_type* tickets)
{
    LINDEN_SHARED(mine, I[find_threads]);
    LINDEN_SHARED(ticket, size_type);
    if (thread_id() == 0) {
        ticket = atomic_add(tickets, 1);
    }
    mine[thread_id()] = 0;
    block_barrier();
    const I first = static_cast<I>(ticket * find_threads);
    const bool exists = first < search.a.rows - thread_id();
    NeededColumns<I> needed(search, exists ? first + static_cast<I>(thread_id()) : first, mine, first);
    bool done = !exists;
    do {
        const bool advanced = !done && needed.advance();
        if (advanced) {
            store_shared_relaxed(mine + thread_id(), needed.level());
            store_relaxed(search.levels + needed.row(), needed.level());
            done = true;
        }
        rest_unless<Wave>(advanced);
    } while (Wave::any(!done));
}

/// Levels count from 0 in the end;  *num_levels := the highest of the old ones.
template <class I>
__global__ void __launch_bounds__(column_block_threads) finish_kernel(size_type n, I* levels, size_type* num_levels)
{
    I highest = 0;
    for (size_type i = global_id(); i < n; i += grid_threads()) {
        const I level = levels[i];
        highest = level > highest ? level : highest;
        levels[i] = level - 1;
    }
    highest = Wave::reduce(highest, Max{});
    if (Wave::lane() == 0) {
        atomic_max(num_levels, size_type{highest});
    }
}

template <class I>
void find(const Executor& exec, PatternView<I> a, Side side, I* levels, size_type* num_levels)
{
    exec.state().fill_zero(levels, static_cast<std::size_t>(a.rows) * sizeof(I));
    exec.state().fill_zero(num_levels, sizeof *num_levels);
    launch_on(exec, find_kernel<I>, blocks_for(a.rows, find_threads), find_threads, 0, LevelSearch<I>{a, side, levels},
              num_levels);
    exec.state().fill_zero(num_levels, sizeof *num_levels);
    launch_on(exec, finish_kernel<I>, busy_blocks(exec, a.rows), column_block_threads, 0, a.rows, levels, num_levels);
}

// ---- order ----------------------------------------------------------------------------------------------------------

template <class I>
struct PlaceRows : NothingToPrepare {
    const I* levels;
    const I* order;
    I* position;
    I* level_ptrs;
    size_type n, num_levels;

    /// Levels without rows begin where the next one does.
    __device__ void operator()(Place<1> at, Nothing) const
    {
        const I row = order[at.row];
        position[row] = static_cast<I>(at.row);
        const size_type before = at.row == 0 ? -1 : size_type{levels[order[at.row - 1]]};
        for (size_type level = before + 1; level <= levels[row]; ++level) {
            level_ptrs[level] = static_cast<I>(at.row);
        }
        if (at.row == n - 1) {
            for (size_type level = levels[row] + 1; level <= num_levels; ++level) {
                level_ptrs[level] = static_cast<I>(n);
            }
        }
    }
};

template <class I>
void order(const Executor& exec, LevelsView<I> rows, I* order, I* position, I* level_ptrs, WorkspaceView workspace)
{
    const size_type n = rows.num_rows, num_levels = rows.num_levels;
    if (n == 0) {
        exec.state().fill_zero(level_ptrs, sizeof(I));
        return;
    }
    RowSort<I>(exec, n, rows.side, num_sort_passes(num_levels), order, workspace)
        .by(LevelKey<I>{rows.levels}, num_levels);
    map_elements(exec, n, 1, PlaceRows<I>{{}, rows.levels, order, position, level_ptrs, n, num_levels});
}

}  // namespace

void register_levels()
{
    for_each_index([]<class I>() {
        levels_find<I>.bind(this_backend, find<I>);
        levels_order<I>.bind(this_backend, order<I>);
    });
}

}  // namespace linden::LINDEN_GPU_NAMESPACE
