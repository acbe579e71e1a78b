#pragma once

#include <linden/views.hpp>

#include "core/base/kernel.hpp"
#include "core/base/type_lists.hpp"

/// Colourings of the rows of a symmetric pattern, in which neighbours (i, j), i != j, have different colours 0, 1, ...
/// [HeuvelineEtAl10, 2], [JonesPlassmann93]
namespace linden {

/// The order in which rows are visited: row order[t] is the t-th, rank is its inverse. Both null: 0, 1, 2, ...
template <class I>
struct VisitView {
    const I* order = nullptr;
    const I* rank = nullptr;

    constexpr size_type row(size_type t) const { return order == nullptr ? t : size_type{order[t]}; }
    /// Whether row i is visited before row j.
    constexpr bool is_before(size_type i, size_type j) const { return rank == nullptr ? i < j : rank[i] < rank[j]; }
};

/// A bijection of 0, ..., n - 1 onto itself that looks random: rounds of steps that each can be undone, on as many bits
/// as n - 1 has, and again where the result is n or more.
class HashedOrder {
public:
    constexpr HashedOrder(size_type n, std::uint64_t seed) : n_(static_cast<std::uint64_t>(n)), seed_(seed)
    {
        while (mask_ + 1 < n_) {
            mask_ = 2 * mask_ + 1;
            ++bits_;
        }
    }
    constexpr size_type operator()(size_type t) const
    {
        auto x = static_cast<std::uint64_t>(t);
        do {
            x = mixed(x);
        } while (x >= n_);
        return static_cast<size_type>(x);
    }

private:
    constexpr std::uint64_t mixed(std::uint64_t x) const
    {
        constexpr int num_rounds = 4;
        std::uint64_t key = seed_;
        for (int round = 0; round < num_rounds; ++round) {
            key = key * 6364136223846793005u + 1442695040888963407u;
            x = (x + (key >> 32)) * 0x9e3779b97f4a7c15u & mask_;  // an odd factor
            x ^= x >> (bits_ / 2 + 1);
        }
        return x;
    }

    std::uint64_t n_;
    std::uint64_t seed_;
    std::uint64_t mask_ = 0;
    int bits_ = 0;
};

/// order[t] := HashedOrder(n, seed)(t), rank := the inverse.  order, rank: n values each.
template <class I>
inline constinit kernel<void(size_type n, std::uint64_t seed, I* order, I* rank)> colouring_hashed_order{
    "colouring::hashed_order", types_of<I>};

/// The numbers 0, ..., n - 1 by their bits from the lowest up: the even ones before the odd ones, among the even ones
/// those that 4 divides first, and so on.
struct ScatteredOrder {
    size_type n;

    /// How many numbers come before i: those that have its lower bits and not the next one, for each one among its
    /// bits.
    constexpr size_type rank(size_type i) const
    {
        size_type before = 0;
        for (int bit = 0; size_type{1} << bit < n; ++bit) {
            const size_type is_set = i >> bit & 1;  // a factor, since a branch could not be foretold
            const size_type lower_bits = i & ((size_type{1} << bit) - 1);
            before += is_set * (((n - 1 - lower_bits) >> (bit + 1)) + 1);
        }
        return before;
    }
};

/// rank[i] := ScatteredOrder{n}.rank(i), order := the inverse.  order, rank: n values each. Rows that are coloured in
/// it wait for few others, as in a hashed order, and on grids, whose points it takes by the parities of their
/// coordinates, there are fewer colours.
template <class I>
inline constinit kernel<void(size_type n, I* order, I* rank)> colouring_scattered_order{"colouring::scattered_order",
                                                                                        types_of<I>};

/// *count := number of entries (i, j) without an entry (j, i).  a: n x n, sorted rows. Reads log2(row length) columns
/// for each entry; on omp a column or two.
template <class I>
inline constinit kernel<void(PatternView<I> a, size_type* count)> colouring_count_unsymmetric{
    "colouring::count_unsymmetric", types_of<I>};

/// Room for n rows.
constexpr size_type colouring_workspace_bytes(size_type n) { return 64 + (n + 16) * 8; }

/// sides[i] := 0 if row i has no neighbour j < i, else 1 - sides[j] for the highest such j. If two colours are enough
/// and all but the first row of each connected part have such a neighbour, these are the colours. a: n x n, rows in any
/// order; sides: n values. Workspace: colouring_workspace_bytes(n).
template <class I>
inline constinit kernel<void(PatternView<I> a, I* sides, WorkspaceView workspace)> colouring_two_colouring{
    "colouring::two_colouring", types_of<I>};

/// colours[i] := the least colour that no neighbour of row i has that is visited before it;  *num_colours := 1 + the
/// highest, 0 for an empty matrix. So each row waits for its earlier neighbours only: in a hashed order few wait for
/// long, which is the algorithm of Jones and Plassmann. The result is a function of the pattern and the order.
/// a: n x n, symmetric pattern, rows in any order; entries on the diagonal are passed over. colours: n values.
/// Workspace: colouring_workspace_bytes(n).
template <class I>
inline constinit kernel<void(PatternView<I> a, VisitView<I> visit, I* colours, size_type* num_colours,
                             WorkspaceView workspace)>
    colouring_first_fit{"colouring::first_fit", types_of<I>};

/// is_member[i] := 1 where no neighbour of row i that is visited before it is a member, else 0: a maximal independent
/// set, the rows of colour 0 of colouring_first_fit. is_member: n values; otherwise as there.
template <class I>
inline constinit kernel<void(PatternView<I> a, VisitView<I> visit, I* is_member, WorkspaceView workspace)>
    colouring_independent_set{"colouring::independent_set", types_of<I>};

/// *num_conflicts := number of entries (i, j), i != j, whose rows have the same colour, and of rows whose colour is not
/// in 0, ..., num_colours - 1.  a: n x n, any pattern; colours: n values.
template <class I>
inline constinit kernel<void(PatternView<I> a, size_type num_colours, const I* colours, size_type* num_conflicts)>
    colouring_validate{"colouring::validate", types_of<I>};

/// fits[k] := 1 where row rows[k] has colour `from` and no neighbour of colour `to`, else 0, for k < count. Rows of one
/// colour that fit may all change to the other one.  a: n x n, symmetric pattern; colours: n values; rows, fits: count
/// values.
template <class I>
inline constinit kernel<void(PatternView<I> a, size_type count, const I* rows, I from, I to, const I* colours, I* fits)>
    colouring_find_movable{"colouring::find_movable", types_of<I>};

/// colours[rows[k]] := to for the first `limit` of those k < count that fit.  before: the prefix sums of `fits`, count
/// + 1 values.
template <class I>
inline constinit kernel<void(size_type count, const I* rows, const I* before, size_type limit, I to, I* colours)>
    colouring_move{"colouring::move", types_of<I>};

/// The graph of blocks of `block_rows` successive rows, the last may have fewer: row_ptrs[b], b <= number of blocks,
/// and col_idxs[k] := the block of the column of entry k of a. A block's columns are in disorder, repeated, and have
/// its own number among them. col_idxs: as many as a has.
template <class I>
inline constinit kernel<void(PatternView<I> a, size_type block_rows, I* row_ptrs, I* col_idxs)> colouring_quotient{
    "colouring::quotient", types_of<I>};

/// Blocks of `block_rows` successive rows in the order of colours, as `levels_order` gives it.
template <class I>
struct ColouredBlocks {
    size_type num_rows = 0;
    size_type block_rows = 1;
    const I* colours = nullptr;      ///< of the blocks
    const I* position = nullptr;     ///< of the blocks
    const I* colour_ptrs = nullptr;  ///< to the first block of each colour

    constexpr size_type num_blocks() const { return (num_rows + block_rows - 1) / block_rows; }
    /// Where a row stands when the rows of each colour are as ColourView has them.
    constexpr size_type position_of(size_type row) const
    {
        const size_type block = row / block_rows;
        const size_type j = row % block_rows;
        const size_type first = colour_ptrs[colours[block]];
        const size_type count = colour_ptrs[colours[block] + 1] - first;
        const size_type last_colour = colours[num_blocks() - 1];
        const size_type absent = num_blocks() * block_rows - num_rows;  // rows that the last block has not
        const size_type absent_before = last_colour < colours[block] ? absent : 0;
        const size_type beyond_last = last_colour == colours[block] ? j - (block_rows - absent) : 0;
        return first * block_rows - absent_before + j * count + (position[block] - first) -
               (beyond_last > 0 ? beyond_last : 0);
    }
};

/// position[i] := where row i stands in the order of colours, order := the inverse.  order, position: n values each.
template <class I>
inline constinit kernel<void(ColouredBlocks<I> blocks, I* order, I* position)> colouring_order_rows{
    "colouring::order_rows", types_of<I>};

}  // namespace linden
