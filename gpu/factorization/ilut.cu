#include "core/kernels/ilut.hpp"

#include "gpu/device/awaited.cuh"
#include "gpu/factorization/ilut_progress.cuh"
#include "gpu/factorization/pivots.cuh"

/// Subgroups take rows (gpu/factorization/ilut_progress.cuh says which), and each waits for those that its row needs:
/// the first row that is not done waits for none. A row's columns are a list in shared memory (short_list columns: 19
/// KiB a block with values of 8 bytes and columns of 4), then one of the subgroup's own in the workspace, and for the
/// longest rows one of n columns there, which the first row that is not done may have.
///
/// Moves A and the factors once through memory, and a row of U from the cache that all share for each row that it
/// eliminates: by ILUT(10, 1e-5) some 50 times on grids in three dimensions, 10 KiB a row of doubles. The limit is not
/// this but chains of rows that wait for each other, with some 22 m rows on grids of m^2 points and 67 m on those of
/// m^3: more than by their own pattern, since fill reaches along a line. Each row of a chain takes a flag through the
/// device's memory, the elimination by the row before, and the choice of the largest entries of U, which are written
/// before those of L therefore.
namespace linden::LINDEN_GPU_NAMESPACE {
namespace {

using namespace ilut;

/// The lists in the workspace: one of n columns, then one for each subgroup. A part has room for two of n columns.
template <class V, class I>
struct Lists {
    std::byte* memory;
    size_type longest;
    size_type medium;
    size_type num_medium;

    static constexpr size_type bytes_before(size_type n) { return Progress<I>::bytes(n) + prefix_sum_workspace_bytes; }
    static constexpr size_type bytes(size_type capacity)
    {
        return (capacity * size_type{sizeof(V) + sizeof(I)} + 15) / 16 * 16;
    }

    /// For as many subgroups as there is room for with medium_list columns each, at most `wanted`, who share all of it.
    Lists(size_type n, WorkspaceView workspace, size_type wanted) : memory(workspace.data + bytes_before(n)), longest(n)
    {
        const size_type room = workspace.bytes - bytes_before(n) - bytes(longest);
        const size_type least = std::min(n, medium_list);
        num_medium = std::min(room / bytes(least), wanted);
        const size_type share = room / num_medium / 16 * 16 / size_type{sizeof(V) + sizeof(I)};
        medium = std::min({share, n, most_medium_list});
    }

    __device__ static ColumnList<V, I> list_at(std::byte* begin, size_type capacity)
    {
        constexpr bool values_first = alignof(V) >= alignof(I);
        auto* const values = reinterpret_cast<V*>(begin + (values_first ? 0 : capacity * sizeof(I)));
        auto* const cols = reinterpret_cast<I*>(begin + (values_first ? capacity * sizeof(V) : 0));
        return {values, cols, capacity};
    }
    /// Whether the list with this capacity is that of n columns, which the next row may have when this one is done.
    __device__ bool is_shared(size_type capacity) const { return capacity == longest && longest > medium; }
    __device__ ColumnList<V, I> longest_list() const { return list_at(memory, longest); }
    __device__ ColumnList<V, I> list_of(size_type subgroup) const
    {
        return list_at(memory + bytes(longest) + subgroup * bytes(medium), medium);
    }
};

/// What a launch is called with.
template <class V, class I>
struct Task {
    CsrView<V, I> a;
    size_type row_limit;
    device_real<V> tolerance, shift;
    LimitedRowsView<V, I> f;
    PivotReport* report;
    Progress<I> progress;
    Lists<V, I> lists;
};

/// A row in the hands of a subgroup.
template <class V, class I>
struct TakenRow {
    using R = device_real<V>;

    const Task<V, I>& task;
    WorkingRow<V, I> working;
    size_type row = 0;
    R norm{};

    __device__ R cutoff() const { return task.tolerance * norm; }

    /// Begins with the diagonal, in `list`.
    __device__ void begin(const ColumnList<V, I>& list)
    {
        norm = norm_of_row();
        working.begin(list, static_cast<I>(row), V{task.shift * norm});
    }

    /// Whether there is room for `more` columns; if not, others have to be waited for.
    __device__ bool make_room(size_type more)
    {
        const size_type n = task.a.rows;
        if (working.has_room(more, n)) {
            return true;
        }
        const size_type wanted = working.wanted_room(more, n);
        if (wanted <= working.capacity()) {
            working.compact();
        } else if (wanted <= task.lists.medium) {
            working.move_to(task.lists.list_of(Lanes::index()));
        } else if (task.progress.is_first(row)) {
            working.move_to(task.lists.longest_list());
        } else {
            return false;
        }
        return true;
    }

    /// Adds the row of A, in any order; false if others have to be waited for. `start(col, value)`: what an entry
    /// begins as.
    template <class Start>
    __device__ bool load(Start start)
    {
        const I begin = task.a.row_ptrs[row];
        const I end = task.a.row_ptrs[row + 1];
        if (!make_room(end - begin)) {
            return false;
        }
        for (I base = begin; base < end; base += Lanes::size) {
            const bool exists = base + Lanes::lane() < end;
            const I col = exists ? task.a.col_idxs[base + Lanes::lane()] : I{};
            const V value = exists ? start(col, task.a.values[base + Lanes::lane()]) : V{};
            const I previous = Lanes::shuffle_up(col, 1);
            if (Lanes::all(!exists || Lanes::lane() == 0 || previous < col)) {
                working.add(exists, col, value);
                continue;
            }
            for (int lane = 0; lane < Lanes::size; ++lane) {
                working.add(exists && Lanes::lane() == lane, col, value);
            }
        }
        return true;
    }

    /// Adds the multiples of entries [begin, end) of f, `scale(col, value)`, for which there is room.
    template <class Scale>
    __device__ void add_scaled(size_type begin, size_type end, Scale scale)
    {
        for (size_type base = begin; base < end; base += Lanes::size) {
            const size_type e = base + Lanes::lane();
            const bool exists = e < end;
            const I col = exists ? task.f.cols[e] : I{};
            working.add(exists, col, exists ? scale(col, task.f.values[e]) : V{});
        }
    }

    /// The pivot whose size this is, or what stands in for it.
    template <class P>
    __device__ P checked(P pivot, R size) const
    {
        if (size > std::numeric_limits<R>::epsilon() * norm) {
            return pivot;
        }
        if (Lanes::lane() == 0) {
            add_bad_pivot(task.report, row);
        }
        return P{pivot_for_norm(norm)};
    }

    /// Writes what stays of the row: first what others wait for, from the diagonal on.
    __device__ void store(V diagonal) const
    {
        const auto& f = task.f;
        const size_type num_kept = working.num_kept();
        const size_type num_lower = num_kept < task.row_limit ? num_kept : task.row_limit;
        const size_type begin = row * f.capacity;
        const size_type upper = begin + num_lower + 1;
        const size_type count = num_lower + 1 + working.store_rest(task.row_limit, f.cols + upper, f.values + upper);
        if (Lanes::lane() == 0) {
            f.cols[upper - 1] = static_cast<I>(row);
            f.values[upper - 1] = diagonal;
            f.counts[row] = static_cast<I>(count);
        }
        const auto store_lower = [&] { working.store_kept(task.row_limit, f.cols + begin, f.values + begin); };
        const bool others_want_list = task.lists.is_shared(working.capacity());
        if (others_want_list) {
            store_lower();
        }
        Lanes::sync();  // what other lanes wrote is released too
        if (Lanes::lane() == 0) {
            const auto bits = static_cast<std::uint64_t>(num_lower) << 32 | static_cast<std::uint64_t>(count);
            store_release(task.progress.done + row, bits);
        }
        if (!others_want_list) {
            store_lower();
        }
    }

private:
    /// Squares are added one after the other, as on hosts.
    __device__ R norm_of_row() const
    {
        const auto& a = task.a;
        const I end = a.row_ptrs[row + 1];
        R sum{};
        for (I base = a.row_ptrs[row]; base < end; base += Lanes::size) {
            const R square = Lanes::lane() < end - base ? abs2(a.values[base + Lanes::lane()]) : R{};
            for (int lane = 0; lane < Lanes::size && lane < end - base; ++lane) {
                sum += Lanes::shuffle(square, lane);
            }
        }
        return sqrt(sum);
    }
};

/// LU with thresholds.
struct Ilut {
    template <class V, class I>
    __device__ static V start(const TakenRow<V, I>&, I, V value)
    {
        return value;
    }

    /// By row k, which is done. False if others have to be waited for.
    template <class V, class I>
    __device__ static bool eliminate(TakenRow<V, I>& taken, I k, Finished done)
    {
        const auto& f = taken.task.f;
        const size_type diagonal = k * f.capacity + done.diagonal();
        const size_type end = k * f.capacity + done.end();
        if (!taken.make_room(end - diagonal - 1)) {
            return false;
        }
        // l_ik := a_ik / u_kk
        const V multiplier = divide(taken.working.next_value(), f.values[diagonal]);
        taken.working.take_next();
        // a_ij := a_ij - l_ik u_kj
        if (!(magnitude_of(multiplier) < taken.cutoff())) {
            taken.working.keep(k, multiplier);
            taken.add_scaled(diagonal + 1, end, [=](I, V value) { return -multiplier * value; });
        }
        return true;
    }

    template <class V, class I>
    __device__ static void finish(TakenRow<V, I>& taken)
    {
        const V pivot = taken.working.next_value();
        taken.working.take_next();
        taken.working.drop_rest(taken.cutoff(), [](V value) { return value; });
        taken.store(taken.checked(pivot, size_of(pivot)));
    }
};

/// Cholesky with thresholds. Columns k < row of the row are those that rows of U may have an entry (k, row) for.
struct Ict {
    template <class V, class I>
    __device__ static V start(const TakenRow<V, I>& taken, I col, V value)
    {
        return col < taken.row ? V{} : value;
    }

    template <class V, class I>
    __device__ static bool eliminate(TakenRow<V, I>& taken, I k, Finished done)
    {
        const auto& f = taken.task.f;
        const size_type row = taken.row;
        const size_type begin = k * f.capacity + 1;
        const size_type end = k * f.capacity + done.end();
        const size_type entry = find(f.cols, begin, end, static_cast<I>(row));
        if (entry < end) {
            if (!taken.make_room(end - begin)) {
                return false;
            }
            // a_ij := a_ij - conj(u_ki) u_kj
            const V factor = -conj(f.values[entry]);
            taken.working.take_next();
            taken.add_scaled(begin, end, [=](I col, V value) { return col < row ? V{} : factor * value; });
        } else {
            taken.working.take_next();
        }
        return true;
    }

    template <class V, class I>
    __device__ static void finish(TakenRow<V, I>& taken)
    {
        // u_ii := sqrt(a_ii),  u_ij := a_ij / u_ii
        const auto radicand = real(taken.working.next_value());
        const auto root = sqrt(taken.checked(radicand, radicand));
        taken.working.take_next();
        taken.working.drop_rest(taken.cutoff(), [=](V value) { return value / root; });
        taken.store(V{root});
    }

private:
    /// The place of a column among the entries [begin, end), or `end`.
    template <class I>
    __device__ static size_type find(const I* cols, size_type begin, size_type end, I col)
    {
        for (size_type base = begin; base < end; base += Lanes::size) {
            const size_type e = base + Lanes::lane();
            const LaneMask found = Lanes::ballot(e < end && cols[e] == col);
            if (found != 0) {
                return base + lowest_bit(static_cast<std::uint32_t>(found));
            }
        }
        return end;
    }
};

/// What the lanes know of the rows that come next: most need not be asked about when their turn comes.
template <class I>
class RowsAhead {
public:
    /// The entries of row k, the next column; `bits` are 0 if it is not done.
    template <class V>
    __device__ Finished finished(const WorkingRow<V, I>& working, const Progress<I>& progress, I k, size_type row)
    {
        LaneMask known = Lanes::ballot(col_ == k && done_.bits != 0);
        if (known == 0) {
            const bool waited = Lanes::shuffle(col_, 0) == k;
            if (!waited) {
                const I col = working.col_ahead(Lanes::lane());
                col_ = col < row ? col : I{-1};
            }
            if (col_ >= 0 && (!waited || Lanes::lane() == 0)) {
                done_.bits = load_acquire(progress.done + col_);
            }
            Lanes::sync();
            known = Lanes::ballot(col_ == k && done_.bits != 0);
        }
        return {known == 0 ? 0 : Lanes::shuffle(done_.bits, lowest_bit(static_cast<std::uint32_t>(known)))};
    }

private:
    I col_ = -1;
    Finished done_;
};

/// What a subgroup does with its row next.
enum class Stage { take, load, eliminate };

/// One step of a row; false if it has to wait for others.
template <class Algorithm, class V, class I>
__device__ inline bool advance(TakenRow<V, I>& taken, RowsAhead<I>& ahead, Stage& stage)
{
    if (stage == Stage::load) {
        const bool is_loaded = taken.load([&](I col, V value) { return Algorithm::start(taken, col, value); });
        stage = is_loaded ? Stage::eliminate : Stage::load;
        return is_loaded;
    }
    const I k = taken.working.next_col();
    if (k < taken.row) {
        const auto finished = ahead.finished(taken.working, taken.task.progress, k, taken.row);
        return finished.bits != 0 && Algorithm::eliminate(taken, k, finished);
    }
    Algorithm::finish(taken);
    stage = Stage::take;
    return true;
}

/// Every wait is a turn of the one loop: subgroups of a wave that run in lockstep else keep each other from going on.
template <class Algorithm, class V, class I>
__global__ void __launch_bounds__(block_size, bound_blocks<V>) factorize_kernel(Task<V, I> task)
{
    constexpr int num_groups = block_size / row_lanes;
    LINDEN_SHARED(values, V[num_groups][short_list]);
    LINDEN_SHARED(cols, I[num_groups][short_list]);
    LINDEN_SHARED(places, I[num_groups][row_lanes]);
    LINDEN_SHARED(word, std::uint64_t);
    const Team<I> team(task.progress, &word);
    if (Lanes::index() >= task.lists.num_medium) {
        return;
    }
    const int group = thread_id() / row_lanes;
    TakenRow<V, I> taken{task, WorkingRow<V, I>(places[group])};
    RowsAhead<I> ahead;
    for (Stage stage = Stage::take;;) {
        bool went_on = true;
        if (stage == Stage::take) {
            taken.row = Lanes::shuffle(Lanes::lane() == 0 ? team.take_row() : 0, 0);
            if (taken.row == task.a.rows) {
                return;
            }
            went_on = taken.row != Team<I>::none_yet;
            if (went_on) {
                taken.begin({values[group], cols[group], short_list});
                stage = Stage::load;
            }
        } else {
            went_on = advance<Algorithm>(taken, ahead, stage);
        }
        if (went_on) {
            note_progress();
        }
        rest_unless<Lanes>(went_on);
    }
}

template <class Algorithm, class V, class I>
void factorize(const Executor& exec, CsrView<V, I> a, ThresholdRule rule, real_t<V> shift, LimitedRowsView<V, I> f,
               PivotReport* report, WorkspaceView workspace)
{
    using D = device_type<V>;
    clear_report(exec, report);
    if (a.rows == 0) {
        return;
    }
    constexpr int num_groups = block_size / row_lanes;
    const size_type most = static_cast<size_type>(gpu(exec).num_multiprocessors()) * resident_blocks<D> * num_groups;
    const Task<D, I> task{as_device(a),
                          rule.row_limit,
                          static_cast<real_t<V>>(rule.tolerance),
                          shift,
                          {f.rows, f.capacity, f.counts, f.cols, as_device(f.values)},
                          report,
                          start_progress<I>(exec, a, workspace),
                          Lists<D, I>(a.rows, workspace, std::min(a.rows, most))};
    launch_on(exec, factorize_kernel<Algorithm, D, I>, blocks_for(task.lists.num_medium, num_groups), block_size, 0,
              task);
}

template <class V, class I>
struct CompactRow {
    LimitedRowsView<V, I> f;
    const I* row_ptrs;
    I* col_idxs;
    V* values;

    template <class Group>
    __device__ void operator()(Group, size_type row) const
    {
        const size_type from = row * f.capacity;
        const size_type to = row_ptrs[row];
        for (I e = Group::lane(); e < f.counts[row]; e += Group::size) {
            col_idxs[to + e] = f.cols[from + e];
            values[to + e] = f.values[from + e];
        }
    }
};

template <class V, class I>
void compact_rows(const Executor& exec, LimitedRowsView<V, I> f, const I* row_ptrs, I* col_idxs, V* values)
{
    using D = device_type<V>;
    map_rows(exec, f.rows, f.rows * f.capacity,
             CompactRow<D, I>{
                 {f.rows, f.capacity, f.counts, f.cols, as_device(f.values)}, row_ptrs, col_idxs, as_device(values)});
}

}  // namespace

void register_ilut()
{
    for_each_value_index([]<class V, class I>() {
        ilut_factorize<V, I>.bind(this_backend, factorize<Ilut, V, I>);
        ict_factorize<V, I>.bind(this_backend, factorize<Ict, V, I>);
        ilut_compact<V, I>.bind(this_backend, compact_rows<V, I>);
    });
}

}  // namespace linden::LINDEN_GPU_NAMESPACE
