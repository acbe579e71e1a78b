#pragma once

#include <linden/views.hpp>

#include <cstdint>

#include "core/base/host_device.hpp"
#include "core/base/kernel.hpp"
#include "core/base/mix.hpp"
#include "core/base/type_lists.hpp"

/// Which rows of a matrix are coarsened together: strong entries, a maximal independent set of their graph at distance
/// 2 (MIS-2), and the aggregates around its members. [VanekMandelBrezina96], [KelleyRajamanickam22]
///
/// A is square, its pattern symmetric with a full diagonal, its rows sorted. All decisions are comparisons. So every
/// executor finds the same, and so do two runs, unless rounding decides a comparison.
namespace linden {

/// largest[i] := max |a_ij|, j != i;  sums[i] := sum of |a_ij|;  is_mixed[i], unless it is null, := 1 where entries off
/// the diagonal with Re(a_ij conj(a_ii)) > 0 make up more than a tenth of those off the diagonal, else 0.  a: n x n;
/// n values each.
template <class V, class I>
inline constinit kernel<void(CsrView<V, I> a, real_t<V>* largest, real_t<V>* sums, I* is_mixed)> aggregation_measure{
    "aggregation::measure", types_of<V, I>};

/// Of l1-Jacobi sweeps for A x = 0, and when they are slow.
struct SweepRule {
    double damping = 0;
    double limit = 0;  ///< of a row's magnitude
};

/// after := before - damping D^-1 A before, D = diag(sums);  is_slow[i], unless it is null, := 0 where
/// |after_i| <= limit, else 1. Without `before` all its values are 1. Rows without a positive sum become 0.
/// a: n x n; sums, before, after, is_slow: n values; before and after are not in the same array.
template <class V, class I>
inline constinit kernel<void(CsrView<V, I> a, const real_t<V>* sums, SweepRule rule, const V* before, V* after,
                             I* is_slow)>
    aggregation_sweep{"aggregation::sweep", types_of<V, I>};

/// Which entries are strong: those of the diagonal, and others but zeros with
///     |a_ij| >= (1 - 10^-4) threshold min(largest[i], largest[j]),   Re(a_ij conj(a_ii)) <= 0,
/// and those whose mirror images are. The first factor lets those be strong that would be equal but for rounding.
template <class R>
struct StrengthRule {
    double threshold = 0;
    const R* largest = nullptr;
    bool is_hermitian = false;  ///< mirror images differ by rounding only: few are looked at
    /// Unless null, the sums of magnitudes of rows: where they are far above `largest`, so is rounding, and mirror
    /// images are looked at.
    const R* sums = nullptr;
};

/// counts[i] := number of strong entries in row i;  marks[k], unless it is null, := 1 where entry k is strong, else 0.
/// marks: as many as a has entries.
template <class V, class I>
inline constinit kernel<void(CsrView<V, I> a, StrengthRule<real_t<V>> rule, std::uint8_t* marks, I* counts)>
    aggregation_count_strong{"aggregation::count_strong", types_of<V, I>};

/// The matrix of strong entries, A_F, and sums[i] := the sum of magnitudes of its row i, as multigrid_filter makes them
/// to the bit, from the marks of aggregation_count_strong.  row_ptrs: what its counts add up to; marks: as many as a
/// has entries; col_idxs, values: as many as are marked; sums: n.
template <class V, class I>
inline constinit kernel<void(CsrView<V, I> a, const std::uint8_t* marks, const I* row_ptrs, I* col_idxs, V* values,
                             real_t<V>* sums)>
    aggregation_take_marked{"aggregation::take_marked", types_of<V, I>};

/// The columns of strong entries, for the row pointers that the counts add up to.
template <class V, class I>
inline constinit kernel<void(CsrView<V, I> a, StrengthRule<real_t<V>> rule, const I* row_ptrs, I* col_idxs)>
    aggregation_take_strong{"aggregation::take_strong", types_of<V, I>};

/// The state of a row in the search of an independent set: a member, no member, or undecided. An undecided state is the
/// row's key of a round; all keys differ. Lower keys become members first: lower classes, and within a class by a hash.
struct IndependentState {
    static constexpr std::uint64_t member = 0;
    static constexpr std::uint64_t excluded = ~std::uint64_t{};
    static constexpr int most_classes = 62;

    /// row < 2^40, 0 <= priority_class < most_classes
    LINDEN_HOST_DEVICE static constexpr std::uint64_t key(size_type row, int round, int priority_class)
    {
        const auto hash = mixed(static_cast<std::uint64_t>(row) + mix_step * (static_cast<std::uint64_t>(round) + 1));
        return static_cast<std::uint64_t>(priority_class + 1) << 58 | hash >> 46 << 40 |
               static_cast<std::uint64_t>(row);
    }
    LINDEN_HOST_DEVICE static constexpr int class_of(std::uint64_t key) { return static_cast<int>(key >> 58) - 1; }
};

/// states[i] := the key of the first round if row i may become a root, else excluded. Without `roots`, these are all
/// rows with a neighbour in the graph. With the roots of the first phase, which are -1 where a row has none, these are
/// rows without a root that have at least 4 neighbours without a root, and at least as many as with one; those with
/// more come first.
/// graph: n x n, symmetric, with its diagonal; first: the number that row 0 has in keys, where the graph is a part of a
/// larger one; roots, states: n values.
template <class I>
inline constinit kernel<void(PatternView<I> graph, size_type first, const I* roots, std::uint64_t* states)>
    aggregation_begin{"aggregation::begin", types_of<I>};

/// least[i] := the least state of row i and its neighbours, excluded if that is a member's; where it has been excluded
/// before unless `is_first`, it stays. Rows with a root do not belong to the graph. A member is to be at least two
/// neighbours away from another.
template <class I>
inline constinit kernel<void(PatternView<I> graph, const I* roots, bool is_first, const std::uint64_t* states,
                             std::uint64_t* least)>
    aggregation_spread{"aggregation::spread", types_of<I>};

/// Ends a round: an undecided row is excluded if least[j] is, for itself or a neighbour j of the graph, a member if all
/// of these are its own key, and else has the key of round `round`. first: as in aggregation_begin.
template <class I>
inline constinit kernel<void(PatternView<I> graph, size_type first, const I* roots, int round,
                             const std::uint64_t* least, std::uint64_t* states)>
    aggregation_decide{"aggregation::decide", types_of<I>};

/// Of aggregation_search: what blocks meet at, room for two lists of rows, whose parts are rounded up, and a byte for
/// each row.
inline constexpr size_type search_header_bytes = 128;
constexpr size_type search_list_rows(size_type num_rows) { return 2 * num_rows + 1024; }
template <class I>
constexpr size_type aggregation_search_bytes(size_type num_rows)
{
    return search_header_bytes + 2 * search_list_rows(num_rows) * static_cast<size_type>(sizeof(I)) + num_rows;
}

/// A whole search: states, as aggregation_begin with first = 0 left them, become those that `rounds` rounds of
/// aggregation_spread and aggregation_decide lead to.  least: n values, overwritten. On devices one kernel, whose
/// blocks meet twice in a round, and which ends behind the last round that changes anything, as it does on hosts.
/// Workspace: aggregation_search_bytes<I>(n).
template <class I>
inline constinit kernel<void(PatternView<I> graph, const I* roots, int rounds, std::uint64_t* least,
                             std::uint64_t* states, WorkspaceView workspace)>
    aggregation_search{"aggregation::search", types_of<I>, {.scratch = arguments(3, 5)}};

/// roots[i] := the member among row i and its neighbours, -1 if there is none; unless `is_first` rows that have a root
/// keep it.  roots: n values.
template <class I>
inline constinit kernel<void(PatternView<I> graph, const std::uint64_t* states, bool is_first, I* roots)>
    aggregation_join_members{"aggregation::join_members", types_of<I>};

/// after[i] := for a row without root that of its strong neighbours whose root has the largest sum of |a_ij|, the
/// lowest of several, where sums count as equal within 10^-3; -1 if none has a root. Looks at the first 256 strong
/// entries of a row. Other rows stay.  before, after: n values, not in the same array.
template <class V, class I>
inline constinit kernel<void(CsrView<V, I> a, PatternView<I> graph, const I* before, I* after)> aggregation_join_rest{
    "aggregation::join_rest", types_of<V, I>};

/// is_root[i] := 1 where row i is its own root, else 0.  n values each.
template <class I>
inline constinit kernel<void(size_type n, const I* roots, I* is_root)> aggregation_mark_roots{"aggregation::mark_roots",
                                                                                              types_of<I>};

/// aggregates[i] := numbers[roots[i]], the number of row i's aggregate, -1 where it has no root.  numbers: n + 1, the
/// prefix sums of the marks; roots, aggregates: n, may be the same array.
template <class I>
inline constinit kernel<void(size_type n, const I* roots, const I* numbers, I* aggregates)> aggregation_number{
    "aggregation::number", types_of<I>};

}  // namespace linden
