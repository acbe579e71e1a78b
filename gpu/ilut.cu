#include "core/kernels/ilut.hpp"

#include "gpu/ilut_rows.cuh"
#include "gpu/row_groups.cuh"

/// Subgroups take rows in increasing order, and each waits for those that its row needs: the first row that is not done
/// waits for none. A row's columns are a list in shared memory (short_list columns: 12 KiB a block with values of 8
/// bytes and columns of 4), then one of the subgroup's own in the workspace, and for the longest rows one of n columns
/// there, which the first row that is not done may have. A row is written once and read from the cache that all share
/// by each row that it eliminates. That is little: the time is that of rows that wait for each other, along a line of a
/// grid one after the other, for some microseconds each.
namespace linden::LINDEN_GPU_NAMESPACE {
namespace {

using namespace ilut;

/// Where the entries of a row that is done stand in its room: the number of those before the diagonal, and of all.
struct Finished {
    std::uint64_t bits;

    __device__ size_type diagonal() const { return static_cast<size_type>(bits >> 32); }
    __device__ size_type end() const { return static_cast<size_type>(bits & 0xffffffffu); }
};

/// What rows tell each other. All of it is 0 at first.
struct Progress {
    size_type* taken;     ///< how many rows were
    size_type* first;     ///< rows before it are done
    std::uint64_t* done;  ///< per row, as in Finished

    explicit Progress(WorkspaceView workspace)
        : taken(reinterpret_cast<size_type*>(workspace.data)),
          first(taken + 1),
          done(reinterpret_cast<std::uint64_t*>(taken + 2))
    {
    }
    static constexpr size_type bytes(size_type n) { return (n + 3) / 2 * 16; }

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

/// The lists in the workspace: one of n columns, then one for each subgroup.
template <class V, class I>
struct Lists {
    std::byte* memory;
    size_type longest;
    size_type medium;
    size_type num_medium;

    static constexpr size_type bytes(size_type capacity)
    {
        return (capacity * size_type{sizeof(V) + sizeof(I)} + 15) / 16 * 16;
    }

    Lists(size_type n, WorkspaceView workspace)
        : memory(workspace.data + Progress::bytes(n)),
          longest(n),
          medium(std::min<size_type>(n, medium_list)),
          num_medium((workspace.bytes - Progress::bytes(n) - bytes(longest)) / bytes(medium))
    {
    }

    __device__ static ColumnList<V, I> list_at(std::byte* begin, size_type capacity)
    {
        constexpr bool values_first = alignof(V) >= alignof(I);
        auto* const values = reinterpret_cast<V*>(begin + (values_first ? 0 : capacity * sizeof(I)));
        auto* const cols = reinterpret_cast<I*>(begin + (values_first ? capacity * sizeof(V) : 0));
        return {values, cols, capacity};
    }
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
    Progress progress;
    Lists<V, I> lists;

    /// Squares are added one after the other, as on hosts.
    __device__ device_real<V> norm_of(size_type row) const
    {
        using R = device_real<V>;
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

/// A row in the hands of a subgroup.
template <class V, class I>
struct TakenRow {
    using R = device_real<V>;

    const Task<V, I>& task;
    WorkingRow<V, I> working;
    size_type row = 0;
    R norm{};

    __device__ R cutoff() const { return task.tolerance * norm; }

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
            atomic_add(&task.report->num_bad, 1);
            atomic_min(&task.report->first_row, row);
        }
        return P{norm > R{} && is_finite(norm) ? norm : R{1}};
    }

    /// Writes what stays of the row, and lets others have it.
    __device__ void store(V diagonal) const
    {
        const auto& f = task.f;
        const size_type begin = row * f.capacity;
        const size_type middle = begin + working.store_kept(task.row_limit, f.cols + begin, f.values + begin);
        const size_type upper = middle + 1;
        const size_type end = upper + working.store_rest(task.row_limit, f.cols + upper, f.values + upper);
        if (Lanes::lane() == 0) {
            f.cols[middle] = static_cast<I>(row);
            f.values[middle] = diagonal;
            f.counts[row] = static_cast<I>(end - begin);
        }
        thread_fence();
        Lanes::sync();
        if (Lanes::lane() == 0) {
            const auto bits =
                static_cast<std::uint64_t>(middle - begin) << 32 | static_cast<std::uint64_t>(end - begin);
            store_release(task.progress.done + row, bits);
        }
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

/// One step of a row that was loaded; false if it has to wait for others.
template <class Algorithm, class V, class I>
__device__ inline bool advance(TakenRow<V, I>& taken, bool& is_done)
{
    const I k = taken.working.next_col();
    if (k < taken.row) {
        const Finished finished{load_acquire(taken.task.progress.done + k)};
        return Lanes::all(finished.bits != 0) && Algorithm::eliminate(taken, k, finished);
    }
    Algorithm::finish(taken);
    is_done = true;
    return true;
}

/// Every wait is a turn of the one loop: subgroups of a wave that run in lockstep else keep each other from going on.
template <class Algorithm, class V, class I>
__global__ void __launch_bounds__(block_size, 4) factorize_kernel(Task<V, I> task)
{
    constexpr int num_groups = block_size / row_lanes;
    LINDEN_SHARED(values, V[num_groups][short_list]);
    LINDEN_SHARED(cols, I[num_groups][short_list]);
    LINDEN_SHARED(places, I[num_groups][row_lanes]);
    if (Lanes::index() >= task.lists.num_medium) {
        return;
    }
    const int group = thread_id() / row_lanes;
    const size_type n = task.a.rows;
    TakenRow<V, I> taken{task, WorkingRow<V, I>(places[group])};
    bool is_done = true;
    bool is_loaded = false;
    for (;;) {
        if (is_done) {
            const size_type mine = Lanes::lane() == 0 ? atomic_add(task.progress.taken, 1) : 0;
            taken.row = Lanes::shuffle(mine, 0);
            if (taken.row >= n) {
                return;
            }
            taken.norm = task.norm_of(taken.row);
            taken.working.begin({values[group], cols[group], short_list}, static_cast<I>(taken.row),
                                V{task.shift * taken.norm});
            is_done = is_loaded = false;
        }
        bool went_on = true;
        if (is_loaded) {
            went_on = advance<Algorithm>(taken, is_done);
        } else {
            went_on = is_loaded = taken.load([&](I col, V value) { return Algorithm::start(taken, col, value); });
        }
        if (went_on) {
            note_progress();
        }
        rest_unless<Lanes>(went_on);
    }
}

__global__ void clear_report(PivotReport* report) { *report = PivotReport{}; }

template <class Algorithm, class V, class I>
void factorize(const Executor& exec, CsrView<V, I> a, ThresholdRule rule, real_t<V> shift, LimitedRowsView<V, I> f,
               PivotReport* report, WorkspaceView workspace)
{
    using D = device_type<V>;
    launch_on(exec, clear_report, 1, 1, 0, report);
    if (a.rows == 0) {
        return;
    }
    exec.state().fill_zero(workspace.data, static_cast<std::size_t>(Progress::bytes(a.rows)));
    const Task<D, I> task{{a.rows, a.cols, a.num_nonzeros, a.row_ptrs, a.col_idxs, as_device(a.values)},
                          rule.row_limit,
                          static_cast<real_t<V>>(rule.tolerance),
                          shift,
                          {f.rows, f.capacity, f.counts, f.cols, as_device(f.values)},
                          report,
                          Progress(workspace),
                          Lists<D, I>(a.rows, workspace)};
    const size_type most = static_cast<size_type>(gpu(exec).num_multiprocessors()) * resident_blocks;
    const size_type rows = std::min(a.rows, task.lists.num_medium);
    launch_on(exec, factorize_kernel<Algorithm, D, I>, std::min(blocks_for(rows * row_lanes, block_size), most),
              block_size, 0, task);
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
