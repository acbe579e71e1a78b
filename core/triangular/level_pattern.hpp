#pragma once

#include <linden/array.hpp>
#include <linden/solver/triangular.hpp>
#include <linden/views.hpp>

#include <vector>

#include "core/kernels/triangular_parts.hpp"

namespace linden::detail {

/// A strict triangle of a square matrix, or its transpose, in the order in which its rows can be found; or the parts of
/// that order.
template <class I>
struct LevelPattern {
    size_type num_levels = 0;  ///< of the unit that the algorithm takes
    Array<I> row_ptrs, cols;
    Array<I> source;                 ///< which entry of the matrix each entry is
    Array<I> order;                  ///< which row of the matrix each position is
    Array<I> level_ptrs;             ///< empty for parts
    std::vector<LevelRange> ranges;  ///< that kernels take one after the other

    size_type part_rows = 0;  ///< 0: not in parts
    size_type max_slots = 0;
    Array<I> halo_ptrs, halo;

    explicit LevelPattern(const Executor& exec)
        : row_ptrs(exec),
          cols(exec),
          source(exec),
          order(exec),
          level_ptrs(exec),
          halo_ptrs(exec),
          halo(exec)
    {
    }
    size_type rows() const { return order.size(); }
    size_type num_nonzeros() const { return source.size(); }
};

/// What levels are made of. Rows of one level lie far apart in memory, which takes a host's threads longer than the
/// arithmetic; rows of a run are neighbours. One thread needs no levels.
///
/// Sums of a row run by positions, and so in an order that depends on the unit and on the length of runs, which depends
/// on the number of threads. So solutions of different executors may differ in their last bits; those of one do not.
enum class LevelUnit {
    row,   ///< no row needs another of its level
    run,   ///< rows need no other run of their level
    whole  ///< one level has all rows, in the order of substitution
};

/// What triangular_solve_levels and the factorizations take on an executor.
LevelUnit level_unit_for(const Executor& exec);

/// The level of each row of a triangle; the other triangle of `a` is passed over.  Waits for the executor.
template <class I>
struct RowLevels {
    RowLevels(const Executor& exec, PatternView<I> a, Side side, LevelUnit unit);

    LevelsView<I> view() const
    {
        return {.num_rows = levels.size(), .num_levels = count, .levels = levels.data(), .side = side};
    }

    Side side;
    LevelUnit unit;
    Array<I> levels;
    size_type count = 0;
};

/// Rows in the order of their levels.
template <class I>
struct LevelOrder {
    LevelOrder(const Executor& exec, const RowLevels<I>& levels);

    Array<I> order, position, level_ptrs;
};

/// Levels as devices take them in `triangular_solve_levels`: runs of thin levels, and wide levels one by one.
/// ptrs: level_ptrs on the host.
std::vector<LevelRange> device_level_ranges(const std::vector<size_type>& ptrs);
/// The same on devices; on hosts all levels at once.
std::vector<LevelRange> level_ranges(const Executor& exec, const std::vector<size_type>& ptrs);

/// The triangle on `side` of `a`, transposed if wanted. `algorithm` is replaced by what fits: one of levels, syncfree
/// and parts. A part has at most `max_slots` values. `known`: the levels of that triangle, if they are known already.
/// Waits for the executor.
template <class I>
LevelPattern<I> make_level_pattern(const Executor& exec, PatternView<I> a, Side side, bool is_transposed,
                                   size_type max_slots, TriangularAlgorithm& algorithm,
                                   const RowLevels<I>* known = nullptr);

}  // namespace linden::detail
