#pragma once

#include <linden/views.hpp>

#include "core/kernels/levels.hpp"
#include "core/kernels/stored_types.hpp"

/// Solves with sparse triangular matrices.
namespace linden {

/// A triangular matrix T whose rows are in level-set ordering, as `levels_order` gives it. Position p holds row
/// order[p] of T without the diagonal; columns are positions too, all less than p, in increasing order.
/// T = D (I + D^-1 N) with diagonal D and strict triangle N.
///
/// Rows of one level do not need each other. On hosts runs may take the place of rows (`levels_find_runs`): then a row
/// that needs another of its level is of the same run, and needs the position before its own. Hosts of one thread
/// take positions one after the other, so that there any order with columns less than p may be one level.
template <class V, class S, class I>
struct LevelFactorView {
    size_type rows = 0;
    size_type num_nonzeros = 0;           ///< without the diagonal
    const I* row_ptrs = nullptr;          ///< rows + 1
    const I* cols = nullptr;              ///< positions
    const S* values = nullptr;            ///< in their storage type; arithmetic is in V
    const V* inverse_diagonal = nullptr;  ///< D^-1 by positions; null where D = I
    const I* sources = nullptr;           ///< position p reads row sources[p] of b
    const I* targets = nullptr;           ///< position p writes row targets[p] of x
    size_type num_levels = 0;
    const I* level_ptrs = nullptr;  ///< num_levels + 1, in the executor's memory
};

/// Levels [first_level, last_level) of a factor, whose rows are [first_row, last_row).
struct LevelRange {
    size_type first_level = 0;
    size_type last_level = 0;
    size_type first_row = 0;
    size_type last_row = 0;
};

/// A run of levels of which none has more rows than this may be solved by one block of a device.
inline constexpr size_type max_thin_level_rows = 1024;

/// T x = b for the rows of some levels, whose earlier levels have been solved:
///   w(p, :) := inverse_diagonal[p] (b(sources[p], :) - sum over k in row p of values[k] w(cols[k], :)),
///   x(targets[p], :) := w(p, :),      first_row <= p < last_row.
/// b, x: n x k; x may be b if sources = targets.  w: n x k, contiguous.  Devices take a range of several levels in one
/// launch if all have at most max_thin_level_rows rows; a range of one level may have any number. Hosts take any range.
/// Deterministic: the sum runs in the order of the entries, or as a fixed tree over them. So it depends on the
/// positions, and on nothing else of the levels. Bytes: nnz (S + I) + n (3 I + V) + 3 n k V.
template <class V, class S, class I>
inline constinit kernel<void(LevelFactorView<V, S, I> f, LevelRange range, DenseView<const V> b, DenseView<V> x, V* w)>
    triangular_solve_levels{"triangular::solve_levels", types_of<V, S, I>};

/// What a solve without barriers keeps from one application to the next, with the same factor and as many right-hand
/// sides k, on the same executor. Rows wait for values that are not there yet:
/// those of w that have all bits set. Solves use two such blocks in turns; a solve empties the one of the solve before
/// while it fills its own, so nothing is ever initialised again.
template <class V>
struct SyncFreeState {
    V* blocks = nullptr;               ///< 2 n k values
    std::uint64_t* tickets = nullptr;  ///< 1 value
};

/// What a state is before its first solve: all bits of its `count` = 2 n k values set, the ticket 0.
template <class V>
inline constinit kernel<void(size_type count, SyncFreeState<V> state)> triangular_start_state{"triangular::start_state",
                                                                                              types_of<V>};

/// T x = b for all levels in one launch: each row waits for the values that it needs. As triangular_solve_levels
/// otherwise, with the same sums. A result with all bits set (a NaN that arithmetic does not give) counts as another
/// NaN.  Deterministic. [LiuEtAl16]
template <class V, class S, class I>
inline constinit kernel<void(LevelFactorView<V, S, I> f, DenseView<const V> b, DenseView<V> x, SyncFreeState<V> state)>
    triangular_solve_syncfree{"triangular::solve_syncfree", types_of<V, S, I>, {.scratch = arguments(3)}};

/// inverse_diagonal[p] := 1 / values[diagonal[order[p]]], 1 where that is 0 or diagonal < 0;  *num_zeros := how many
/// were. With order null, order[p] = p; with `conjugated` of the conjugates.
/// order, diagonal, inverse_diagonal: n values. diagonal[i]: the index of entry (i, i), as `pattern_find_diagonal`
/// gives it.
template <class V, class I>
inline constinit kernel<void(size_type n, const I* order, const I* diagonal, const V* values, bool conjugated,
                             V* inverse_diagonal, size_type* num_zeros)>
    triangular_invert_diagonal{"triangular::invert_diagonal", types_of<V, I>};

/// Calls `f.operator()<V, S, I>()` for every value type, its storage types and every index type.
template <class F>
void for_each_factor_type(F&& f)
{
    for_each_value_index([&]<class V, class I>() {
        f.template operator()<V, V, I>();
        for_each_lower_storage<V>([&]<class S>() { f.template operator()<V, S, I>(); });
    });
}

}  // namespace linden
