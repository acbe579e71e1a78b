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
};

/// An order that looks random, a function of n and the seed alone: hashed numbers, made unique.
/// Arguments: n, seed, order (n values), rank (n values).
template <class I>
inline constinit LINDEN_EXPORT kernel<void(size_type, std::uint64_t, I*, I*)> colouring_hashed_order{
    "colouring::hashed_order", types_of<I>};

/// *count := number of entries (i, j) without an entry (j, i).  a: n x n, sorted rows. Reads log2(row length) columns
/// for each entry.
template <class I>
inline constinit LINDEN_EXPORT kernel<void(PatternView<I>, size_type*)> colouring_count_unmirrored{
    "colouring::count_unmirrored", types_of<I>};

/// Room for n rows.
constexpr size_type colouring_workspace_bytes(size_type n) { return 64 + (n + 16) * 8; }

/// colours[i] := the least colour that no neighbour of row i has that is visited before it;  *num_colours := 1 + the
/// highest, 0 for an empty matrix. So each row waits for its earlier neighbours only: in a hashed order few wait for
/// long, which is the algorithm of Jones and Plassmann. The result is a function of the pattern and the order.
/// a: n x n, symmetric pattern; entries on the diagonal are passed over.
/// Arguments: a, visit, colours (n), num_colours, workspace of colouring_workspace_bytes(n).
template <class I>
inline constinit LINDEN_EXPORT kernel<void(PatternView<I>, VisitView<I>, I*, size_type*, WorkspaceView)>
    colouring_first_fit{"colouring::first_fit", types_of<I>};

/// is_member[i] := 1 where no neighbour of row i that is visited before it is a member, else 0: a maximal independent
/// set, the rows of colour 0 of colouring_first_fit. Arguments as there, is_member: n values.
template <class I>
inline constinit LINDEN_EXPORT kernel<void(PatternView<I>, VisitView<I>, I*, WorkspaceView)> colouring_independent_set{
    "colouring::independent_set", types_of<I>};

/// *num_conflicts := number of entries (i, j), i != j, whose rows have the same colour, and of rows whose colour is not
/// in 0, ..., num_colours - 1.  a: n x n, any pattern. Arguments: a, num_colours, colours, num_conflicts.
template <class I>
inline constinit LINDEN_EXPORT kernel<void(PatternView<I>, size_type, const I*, size_type*)> colouring_validate{
    "colouring::validate", types_of<I>};

}  // namespace linden
