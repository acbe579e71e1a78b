#pragma once

#include <linden/array.hpp>
#include <linden/solver/triangular.hpp>
#include <linden/views.hpp>

#include <vector>

#include "core/kernels/triangular_segments.hpp"

namespace linden::detail {

/// A strict triangle of a square matrix, or its transpose, in level-set ordering; or in segments, each in level-set
/// ordering.
template <class I>
struct LevelPattern {
    size_type num_levels = 0;  ///< levels of rows or runs, whichever the algorithm uses
    Array<I> row_ptrs, cols;
    Array<I> source;                 ///< the entry of the matrix for each entry
    Array<I> order;                  ///< the row of the matrix at each position
    Array<I> level_ptrs;             ///< empty for segments
    std::vector<LevelRange> ranges;  ///< ranges of levels, one kernel each

    size_type segment_rows = 0;  ///< rows per segment; 0: no segments
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

/// The elements of level sets. The rows of a level are far apart in memory, and on hosts these accesses take longer
/// than the arithmetic; the rows of a run are contiguous. A single thread needs no levels.
///
/// A row is summed in the order of positions, which depends on the unit and on the length of runs, and so on the number
/// of threads. Solutions of different executors may therefore differ in the last bits; those of one executor do not.
enum class LevelUnit {
    row,   ///< rows; no row depends on another row of its level
    run,   ///< runs of consecutive rows; no row depends on another run of its level
    whole  ///< a single level with all rows, in the order of substitution
};

/// The unit of triangular_solve_levels and of the factorizations on an executor.
LevelUnit level_unit_for(const Executor& exec);

/// The level of each row of a triangle; the other triangle of `a` is ignored.  Waits for the executor.
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

/// The ranges of levels that devices solve in one kernel each: consecutive thin levels together, wide levels one by
/// one. ptrs: level_ptrs on the host.
std::vector<LevelRange> device_level_ranges(const std::vector<size_type>& ptrs);
/// device_level_ranges on devices; a single range of all levels on hosts.
std::vector<LevelRange> level_ranges(const Executor& exec, const std::vector<size_type>& ptrs);

/// The triangle on `side` of `a`, or its transpose. `algorithm` is resolved to levels, syncfree or segments. A segment
/// has at most `max_slots` values. `known`: the levels of that triangle, if already known. Waits for the executor.
template <class I>
LevelPattern<I> make_level_pattern(const Executor& exec, PatternView<I> a, Side side, bool is_transposed,
                                   size_type max_slots, TriangularAlgorithm& algorithm,
                                   const RowLevels<I>* known = nullptr);

}  // namespace linden::detail
