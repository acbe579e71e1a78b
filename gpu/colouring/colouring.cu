#include "core/kernels/colouring.hpp"

#include "gpu/device/awaited.cuh"
#include "gpu/vector/row_groups.cuh"

/// Colours are found in one launch: subgroups take rows in the order of their visit, and ask for what their earlier
/// neighbours have until all is known.
namespace linden::LINDEN_GPU_NAMESPACE {
namespace {

#if defined(LINDEN_HIP_PLATFORM_HOST)
inline constexpr int block_size = 64;
#else
inline constexpr int block_size = 128;
#endif
/// Lanes that wait together.
using Subgroup32 = Subgroup<32>;

// ---- orders ---------------------------------------------------------------------------------------------------------

template <class I>
struct Hash : NothingToPrepare {
    HashedOrder hashed;
    I* order;
    I* rank;

    __device__ void operator()(Place<1> at, Nothing) const
    {
        const size_type row = hashed(at.row);
        order[at.row] = static_cast<I>(row);
        rank[row] = static_cast<I>(at.row);
    }
};

template <class I>
void hashed_order(const Executor& exec, size_type n, std::uint64_t seed, I* order, I* rank)
{
    map_elements(exec, n, 1, Hash<I>{{}, HashedOrder(n, seed), order, rank});
}

template <class I>
struct Scatter : NothingToPrepare {
    ScatteredOrder scattered;
    I* order;
    I* rank;

    __device__ void operator()(Place<1> at, Nothing) const
    {
        const size_type t = scattered.rank(at.row);
        rank[at.row] = static_cast<I>(t);
        order[t] = static_cast<I>(at.row);
    }
};

template <class I>
void scattered_order(const Executor& exec, size_type n, I* order, I* rank)
{
    map_elements(exec, n, 1, Scatter<I>{{}, {n}, order, rank});
}

template <class I>
struct OrderRows : NothingToPrepare {
    ColouredBlocks<I> blocks;
    I* order;
    I* position;

    __device__ void operator()(Place<1> at, Nothing) const
    {
        const size_type here = blocks.position_of(at.row);
        position[at.row] = static_cast<I>(here);
        order[here] = static_cast<I>(at.row);
    }
};

template <class I>
void order_rows(const Executor& exec, ColouredBlocks<I> blocks, I* order, I* position)
{
    map_elements(exec, blocks.num_rows, 1, OrderRows<I>{{}, blocks, order, position});
}

// ---- sides ----------------------------------------------------------------------------------------------------------

/// Twice an ancestor of a row in the forest of nearest earlier neighbours, and whether the row is on its other side.
using Kinship = std::uint64_t;

template <class I>
struct FindParent {
    PatternView<I> a;
    Kinship* kin;

    template <class Group>
    __device__ void operator()(Group, size_type row) const
    {
        size_type nearest = -1;
        for (I k = a.row_ptrs[row] + static_cast<I>(Group::lane()); k < a.row_ptrs[row + 1]; k += Group::size) {
            const size_type col = a.col_idxs[k];
            nearest = col < row && col > nearest ? col : nearest;
        }
        nearest = Group::reduce(nearest, Max{});
        if (Group::lane() == 0) {
            kin[row] = nearest < 0 ? 2 * static_cast<Kinship>(row) : 2 * static_cast<Kinship>(nearest) + 1;
        }
    }
};

/// From an ancestor to an ancestor of that one, at least twice as far away. Whatever others have done in this launch,
/// what is read is true.
struct JumpToAncestor : NothingToPrepare {
    Kinship* kin;

    __device__ void operator()(Place<1> at, Nothing) const
    {
        const Kinship own = load_relaxed(kin + at.row);
        store_relaxed(kin + at.row, load_relaxed(kin + own / 2) ^ (own & 1));
    }
};

template <class I>
struct TakeSide : NothingToPrepare {
    const Kinship* kin;
    I* sides;

    __device__ void operator()(Place<1> at, Nothing) const { sides[at.row] = static_cast<I>(kin[at.row] & 1); }
};

template <class I>
void two_colouring(const Executor& exec, PatternView<I> a, I* sides, WorkspaceView workspace)
{
    auto* const kin = reinterpret_cast<Kinship*>(workspace.data);
    map_rows(exec, a.rows, a.num_nonzeros, FindParent<I>{a, kin});
    for (size_type reached = 1; reached < a.rows; reached *= 2) {
        map_elements(exec, a.rows, 1, JumpToAncestor{{}, kin});
    }
    map_elements(exec, a.rows, 1, TakeSide<I>{{}, kin, sides});
}

// ---- counts ---------------------------------------------------------------------------------------------------------

template <class I>
struct CountUnmirrored {
    PatternView<I> a;
    size_type* count;

    __device__ size_type length(size_type row) const { return a.row_ptrs[row + 1] - a.row_ptrs[row]; }
    template <class Group>
    __device__ void operator()(Group, size_type row) const
    {
        size_type mine = 0;
        for (I k = a.row_ptrs[row] + static_cast<I>(Group::lane()); k < a.row_ptrs[row + 1]; k += Group::size) {
            const I col = a.col_idxs[k];
            const I end = a.row_ptrs[col + 1];
            const I at = lower_bound(a.col_idxs, a.row_ptrs[col], end, static_cast<I>(row));
            mine += at == end || a.col_idxs[at] != row ? 1 : 0;
        }
        mine = Group::sum(mine);
        if (Group::lane() == 0 && mine != 0) {
            atomic_add(count, mine);
        }
    }
};

template <class I>
void count_unsymmetric(const Executor& exec, PatternView<I> a, size_type* count)
{
    exec.state().fill_zero(count, sizeof *count);
    map_rows_by_length(exec, a.rows, a.num_nonzeros, CountUnmirrored<I>{a, count});
}

template <class I>
struct CountConflicts {
    PatternView<I> a;
    size_type num_colours;
    const I* colours;
    size_type* num_conflicts;

    template <class Group>
    __device__ void operator()(Group, size_type row) const
    {
        const I own = colours[row];
        size_type mine = Group::lane() == 0 && (own < 0 || own >= num_colours) ? 1 : 0;
        for (I k = a.row_ptrs[row] + static_cast<I>(Group::lane()); k < a.row_ptrs[row + 1]; k += Group::size) {
            const I col = a.col_idxs[k];
            mine += col != row && colours[col] == own ? 1 : 0;
        }
        mine = Group::sum(mine);
        if (Group::lane() == 0 && mine != 0) {
            atomic_add(num_conflicts, mine);
        }
    }
};

template <class I>
void validate(const Executor& exec, PatternView<I> a, size_type num_colours, const I* colours, size_type* num_conflicts)
{
    exec.state().fill_zero(num_conflicts, sizeof *num_conflicts);
    map_rows(exec, a.rows, a.num_nonzeros, CountConflicts<I>{a, num_colours, colours, num_conflicts});
}

// ---- visits ---------------------------------------------------------------------------------------------------------

/// The earlier neighbours of a row that one of L lanes has, some at a time, all of those asked for at once.
template <int L, class I>
class EarlierNeighbours {
public:
    __device__ EarlierNeighbours(const PatternView<I>& a, const VisitView<I>& visit, size_type row, bool exists,
                                 const I* results)
        : a_(a),
          visit_(visit),
          results_(results),
          row_(row),
          end_(exists ? a.row_ptrs[row + 1] : 0)
    {
        restart();
    }

    __device__ void restart()
    {
        next_ = end_ == 0 ? 0 : a_.row_ptrs[row_] + static_cast<I>(Subgroup<L>::lane());
        load_batch();
    }
    /// Calls take(result) for what has come; whether something has.
    template <class Take>
    __device__ bool advance(Take take)
    {
        bool advanced = false;
        LINDEN_UNROLL
        for (int j = 0; j < batch; ++j) {
            const I result = (awaited_ >> j & 1u) != 0 ? load_relaxed(results_ + col_[j]) : I{-1};
            if (result >= 0) {
                take(result);
                awaited_ &= ~(1u << j);
                advanced = true;
            }
        }
        if (awaited_ == 0 && next_ < end_) {
            load_batch();
            note_progress();
            advanced = true;
        }
        return advanced;
    }
    __device__ bool are_done() const { return awaited_ == 0 && next_ >= end_; }

private:
    static constexpr int batch = 4;

    __device__ void load_batch()
    {
        LINDEN_UNROLL
        for (int j = 0; j < batch; ++j) {
            const bool exists = next_ < end_;
            col_[j] = exists ? a_.col_idxs[next_] : I{0};
            awaited_ |= exists && visit_.is_before(col_[j], row_) ? 1u << j : 0u;
            next_ += exists ? L : 0;
        }
    }

    const PatternView<I>& a_;
    const VisitView<I>& visit_;
    const I* results_;
    size_type row_;
    I next_ = 0, end_;
    unsigned awaited_ = 0;
    I col_[batch];
};

/// The least colour that is left, from windows of 64.
template <class I>
class LeastColour {
public:
    __device__ void take(I colour)
    {
        const I at = colour - first_;
        used_ |= at >= 0 && at < 64 ? std::uint64_t{1} << at : 0;
    }
    /// Whether what the lanes have taken decides before they have all.
    template <class Lanes>
    __device__ bool is_settled(Lanes) const
    {
        return false;
    }
    /// The colour, or -1 if the neighbours have to be looked through again for the next window.
    template <class Lanes>
    __device__ I result(Lanes)
    {
        const std::uint64_t free = ~Lanes::reduce(used_, [](auto p, auto q) { return p | q; });
        if (free != 0) {
            const auto low = static_cast<std::uint32_t>(free);
            const I at = low != 0 ? lowest_bit(low) : 32 + lowest_bit(static_cast<std::uint32_t>(free >> 32));
            return first_ + at;
        }
        first_ += 64;
        used_ = 0;
        return -1;
    }

private:
    std::uint64_t used_ = 0;
    I first_ = 0;
};

/// Whether no earlier neighbour is a member.
template <class I>
class Membership {
public:
    __device__ void take(I is_member) { sees_member_ |= is_member == 1; }
    template <class Lanes>
    __device__ bool is_settled(Lanes) const
    {
        return Lanes::any(sees_member_);
    }
    template <class Lanes>
    __device__ I result(Lanes)
    {
        return Lanes::any(sees_member_) ? I{0} : I{1};
    }

private:
    bool sees_member_ = false;
};

/// What the visits of a launch share.
template <class I>
struct Visits {
    PatternView<I> a;
    VisitView<I> visit;
    I* results;        ///< -1 for those to come
    size_type* count;  ///< 1 + the highest; null if nobody asks

    __device__ void put(size_type row, I result) const
    {
        store_relaxed(results + row, result);
        if (count != nullptr && result >= load_relaxed(count)) {
            atomic_max(count, size_type{result} + 1);
        }
    }
};

/// The rows of a wave's subgroups of L lanes, of those that have one:  results[row] := what Rule makes of those of the
/// earlier neighbours.
template <int L, template <class> class Rule, class I>
__device__ inline void visit_together(const Visits<I>& visits, size_type row, bool exists)
{
    using Lanes = Subgroup<L>;
    EarlierNeighbours<L, I> neighbours(visits.a, visits.visit, row, exists, visits.results);
    Rule<I> rule;
    bool done = !exists;
    do {
        bool advanced = false;
        if (!done) {
            advanced = neighbours.advance([&](I result) { rule.take(result); });
            if (Lanes::all(neighbours.are_done()) || rule.is_settled(Lanes{})) {
                const I result = rule.result(Lanes{});
                done = result >= 0;
                advanced = true;
                if (!done) {
                    neighbours.restart();
                    note_progress();
                } else if (Lanes::lane() == 0) {
                    visits.put(row, result);
                }
            }
        }
        rest_unless<Subgroup32>(advanced);
    } while (Subgroup32::any(!done));
}

/// Rows of more entries get all lanes of a wave: first come the rows that are visited before them.
inline constexpr int long_row = 512;

template <int L, template <class> class Rule, class I>
__global__ void __launch_bounds__(block_size, 4) visit_kernel(Visits<I> visits, std::uint64_t* tickets)
{
    const auto& a = visits.a;
    const size_type t = next_in_turn<block_size, L>(tickets);
    const bool exists = t < a.rows;
    const size_type row = exists ? visits.visit.row(t) : 0;
    if constexpr (L == Subgroup32::size) {
        visit_together<L, Rule>(visits, row, exists);
    } else {
        LaneMask long_rows = Subgroup32::ballot(exists && a.row_ptrs[row + 1] - a.row_ptrs[row] > long_row);
        for (int begin = 0; begin < Subgroup32::size;) {
            const int next = long_rows == 0 ? Subgroup32::size : lowest_bit(static_cast<std::uint32_t>(long_rows));
            visit_together<L, Rule>(visits, row, exists && Subgroup32::lane() >= begin && Subgroup32::lane() < next);
            if (next < Subgroup32::size) {
                visit_together<Subgroup32::size, Rule>(visits, Subgroup32::shuffle(row, next), true);
            }
            begin = next + L;
            long_rows &= begin < Subgroup32::size ? ~LaneMask{0} << begin : LaneMask{0};
        }
    }
}

template <class I>
struct StartVisits : NothingToPrepare {
    I* results;
    std::uint64_t* tickets;

    __device__ void operator()(Place<1> at, Nothing) const
    {
        results[at.row] = -1;
        if (at.row == 0) {
            *tickets = 0;
        }
    }
};

template <template <class> class Rule, class I>
void visit_rows(const Executor& exec, PatternView<I> a, VisitView<I> visit, I* results, size_type* count,
                WorkspaceView workspace)
{
    constexpr int fewest = 2, few = 8, many = Subgroup32::size;
    constexpr size_type short_row = 8;
    auto* const tickets = reinterpret_cast<std::uint64_t*>(workspace.data);
    if (count != nullptr) {
        exec.state().fill_zero(count, sizeof *count);
    }
    map_elements(exec, a.rows, 1, StartVisits<I>{{}, results, tickets});
    const Visits<I> visits{a, visit, results, count};
    const auto visit_by = [&]<int L>() {
        launch_on(exec, visit_kernel<L, Rule, I>, blocks_for(a.rows * L, block_size), block_size, 0, visits, tickets);
    };
    if (a.num_nonzeros <= short_row * a.rows) {
        visit_by.template operator()<fewest>();  // the more rows wait at a time, the longer chains overlap
    } else if (a.num_nonzeros <= 2 * few * a.rows) {
        visit_by.template operator()<few>();
    } else {
        visit_by.template operator()<many>();
    }
}

template <class I>
void first_fit(const Executor& exec, PatternView<I> a, VisitView<I> visit, I* colours, size_type* num_colours,
               WorkspaceView workspace)
{
    visit_rows<LeastColour>(exec, a, visit, colours, num_colours, workspace);
}

template <class I>
void independent_set(const Executor& exec, PatternView<I> a, VisitView<I> visit, I* is_member, WorkspaceView workspace)
{
    visit_rows<Membership>(exec, a, visit, is_member, nullptr, workspace);
}

// ---- balance --------------------------------------------------------------------------------------------------------

template <class I>
struct FindMovable {
    PatternView<I> a;
    const I* rows;
    I from, to;
    const I* colours;
    I* fits;

    template <class Group>
    __device__ void operator()(Group, size_type k) const
    {
        const I row = rows[k];
        bool sees_target = false;
        for (I e = a.row_ptrs[row] + static_cast<I>(Group::lane()); e < a.row_ptrs[row + 1]; e += Group::size) {
            sees_target |= colours[a.col_idxs[e]] == to;
        }
        sees_target = Group::any(sees_target);
        if (Group::lane() == 0) {
            fits[k] = colours[row] == from && !sees_target ? I{1} : I{0};
        }
    }
};

template <class I>
void find_movable(const Executor& exec, PatternView<I> a, size_type count, const I* rows, I from, I to,
                  const I* colours, I* fits)
{
    const size_type mean = a.num_nonzeros / std::max<size_type>(a.rows, 1);
    map_rows(exec, count, count * mean, FindMovable<I>{a, rows, from, to, colours, fits});
}

template <class I>
struct Move : NothingToPrepare {
    const I* rows;
    const I* before;
    size_type limit;
    I to;
    I* colours;

    __device__ void operator()(Place<1> at, Nothing) const
    {
        const I place = before[at.row];
        if (place < before[at.row + 1] && place < limit) {
            colours[rows[at.row]] = to;
        }
    }
};

template <class I>
void move_rows(const Executor& exec, size_type count, const I* rows, const I* before, size_type limit, I to, I* colours)
{
    map_elements(exec, count, 1, Move<I>{{}, rows, before, limit, to, colours});
}

// ---- blocks ---------------------------------------------------------------------------------------------------------

template <class I>
struct BlockPtrs : NothingToPrepare {
    PatternView<I> a;
    size_type block_rows;
    I* row_ptrs;

    __device__ void operator()(Place<1> at, Nothing) const
    {
        const size_type row = at.row * block_rows;
        row_ptrs[at.row] = a.row_ptrs[row < a.rows ? row : a.rows];
    }
};

template <class I>
struct BlockColumns : NothingToPrepare {
    const I* cols;
    size_type block_rows;
    I* col_idxs;

    __device__ void operator()(Place<1> at, Nothing) const
    {
        col_idxs[at.row] = static_cast<I>(cols[at.row] / block_rows);
    }
};

template <class I>
void quotient(const Executor& exec, PatternView<I> a, size_type block_rows, I* row_ptrs, I* col_idxs)
{
    const size_type num_blocks = (a.rows + block_rows - 1) / block_rows;
    map_elements(exec, num_blocks + 1, 1, BlockPtrs<I>{{}, a, block_rows, row_ptrs});
    map_elements(exec, a.num_nonzeros, 1, BlockColumns<I>{{}, a.col_idxs, block_rows, col_idxs});
}

}  // namespace

void register_colouring()
{
    for_each_index([]<class I>() {
        colouring_hashed_order<I>.bind(this_backend, hashed_order<I>);
        colouring_scattered_order<I>.bind(this_backend, scattered_order<I>);
        colouring_two_colouring<I>.bind(this_backend, two_colouring<I>);
        colouring_count_unsymmetric<I>.bind(this_backend, count_unsymmetric<I>);
        colouring_first_fit<I>.bind(this_backend, first_fit<I>);
        colouring_independent_set<I>.bind(this_backend, independent_set<I>);
        colouring_validate<I>.bind(this_backend, validate<I>);
        colouring_find_movable<I>.bind(this_backend, find_movable<I>);
        colouring_move<I>.bind(this_backend, move_rows<I>);
        colouring_quotient<I>.bind(this_backend, quotient<I>);
        colouring_order_rows<I>.bind(this_backend, order_rows<I>);
    });
}

}  // namespace linden::LINDEN_GPU_NAMESPACE
