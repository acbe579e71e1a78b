#include "core/triangular/level_pattern.hpp"

#include <algorithm>
#include <optional>

#include "core/matrix/pattern_operations.hpp"

// instantiate: struct detail::RowLevels<I>
// instantiate: struct detail::LevelOrder<I>
// instantiate: detail::LevelPattern<I> detail::make_level_pattern<I>(const Executor&, PatternView<I>, Side, bool, size_type, TriangularAlgorithm&, const RowLevels<I>*)

namespace linden::detail {
namespace {

/// Longer runs mean fewer runs per level, and each thread needs several. 128 rows were best for two threads
/// (benchmark/results/2026-11-22-cpu-ilu.md); for more threads, levels keep the number of rows per thread.
size_type max_run_for(const Executor& exec)
{
    constexpr int shortest = 16, longest = 128;
    return std::clamp(2 * longest / std::max(exec.info().num_units, 1), shortest, longest);
}

Side opposite(Side side) { return side == Side::lower ? Side::upper : Side::lower; }

/// Rows of a segment: such that each multiprocessor gets one, or the most that fit with their halo; 0 if none fit.
/// Sets `halo_ptrs` and `max_slots` of the pattern.
template <class I>
size_type find_segments(const Executor& exec, PatternView<I> a, Side side, size_type most_slots,
                        LevelPattern<I>& pattern)
{
    constexpr size_type granule = 32, least = 256;
    const auto units = static_cast<size_type>(std::max(exec.info().num_units, 1));
    const size_type even = ((a.rows + units - 1) / units + granule - 1) / granule * granule;
    for (size_type segment_rows = std::clamp(even, least, most_slots / 2 / granule * granule); segment_rows >= least;
         segment_rows = segment_rows / 2 / granule * granule) {
        const size_type num_segments = (a.rows + segment_rows - 1) / segment_rows;
        Array<I> sizes(exec, num_segments + 1);
        segments_halo_sizes<I>(exec, a, side, segment_rows, sizes.data());
        const auto on_host = sizes.to_host();
        const size_type largest = *std::max_element(on_host.begin(), on_host.end() - 1);
        if (segment_rows + largest <= most_slots) {
            pattern.max_slots = segment_rows + largest;
            pattern.halo = Array<I>(exec, make_row_ptrs(sizes, "the halo"));
            pattern.halo_ptrs = std::move(sizes);
            return segment_rows;
        }
    }
    return 0;
}

/// Whether segments are worth trying. Levels as wide as the device keep it busy anyway; one thread solves a row, so
/// rows should be short.
template <class I>
bool suits_segments(PatternView<I> a, size_type num_levels)
{
    constexpr size_type wide_level = 12288, short_row = 32, few_levels = 16;
    return num_levels >= few_levels && a.rows / num_levels <= wide_level && a.num_nonzeros <= short_row * a.rows;
}

/// Permutes the rows to `pattern.order` and renames columns to positions.
template <class I>
void take_rows_in_order(const Executor& exec, const Pattern<I>& triangle, const Array<I>& position,
                        LevelPattern<I>& pattern)
{
    auto rows =
        composed(exec, permuted_pattern(exec, triangle.view(), pattern.order.data(), position.data()), triangle.source);
    pattern.row_ptrs = std::move(rows.row_ptrs);
    pattern.cols = std::move(rows.col_idxs);
    pattern.source = std::move(rows.source);
}

template <class I>
void take_rows_in_segments(const Executor& exec, const Pattern<I>& triangle, const RowLevels<I>& levels,
                           LevelPattern<I>& pattern)
{
    const size_type n = levels.levels.size();
    pattern.order = Array<I>(exec, n);
    Array<I> position(exec, n);
    Array<std::byte> workspace(exec, levels_order_workspace_bytes<I>(n));
    segments_order<I>(exec, levels.view(), pattern.segment_rows, pattern.order.data(), position.data(),
                      {workspace.data(), workspace.size()});
    take_rows_in_order(exec, triangle, position, pattern);
    segments_fill_halo<I>(exec, n, pattern.segment_rows, pattern.row_ptrs.data(), pattern.cols.data(),
                          pattern.halo_ptrs.data(), pattern.halo.data());
}

}  // namespace

LevelUnit level_unit_for(const Executor& exec)
{
    if (!exec.is_host()) {
        return LevelUnit::row;
    }
    return exec.info().num_units > 1 ? LevelUnit::run : LevelUnit::whole;
}

std::vector<LevelRange> device_level_ranges(const std::vector<size_type>& ptrs)
{
    const auto num_levels = static_cast<size_type>(ptrs.size()) - 1;
    std::vector<LevelRange> ranges;
    const auto is_thin = [&](size_type level) { return ptrs[level + 1] - ptrs[level] <= max_thin_level_rows; };
    for (size_type first = 0, last = 0; first < num_levels; first = last) {
        last = first + 1;
        while (is_thin(first) && last < num_levels && is_thin(last)) {
            ++last;
        }
        ranges.push_back({first, last, ptrs[first], ptrs[last]});
    }
    return ranges;
}

std::vector<LevelRange> level_ranges(const Executor& exec, const std::vector<size_type>& ptrs)
{
    const auto num_levels = static_cast<size_type>(ptrs.size()) - 1;
    return exec.is_host() ? std::vector<LevelRange>{{0, num_levels, 0, ptrs.back()}} : device_level_ranges(ptrs);
}

template <class I>
RowLevels<I>::RowLevels(const Executor& exec, PatternView<I> a, Side triangle, LevelUnit of)
    : side(triangle),
      unit(of),
      levels(exec, a.rows)
{
    if (unit == LevelUnit::whole) {
        exec.state().fill_zero(levels.data(), levels.bytes());
        count = std::min<size_type>(a.rows, 1);
        return;
    }
    Array<size_type> num(exec, 1);
    if (unit == LevelUnit::run) {
        levels_find_runs<I>(exec, a, side, max_run_for(exec), levels.data(), num.data());
    } else {
        levels_find<I>(exec, a, side, levels.data(), num.data());
    }
    count = num.to_host().front();
}

template <class I>
LevelOrder<I>::LevelOrder(const Executor& exec, const RowLevels<I>& levels)
    : order(exec, levels.levels.size()),
      position(exec, order.size()),
      level_ptrs(exec, levels.count + 1)
{
    Array<std::byte> workspace(exec, levels_order_workspace_bytes<I>(order.size()));
    levels_order<I>(exec, levels.view(), order.data(), position.data(), level_ptrs.data(),
                    {workspace.data(), workspace.size()});
}

template <class I>
LevelPattern<I> make_level_pattern(const Executor& exec, PatternView<I> a, Side side, bool is_transposed,
                                   size_type max_slots, TriangularAlgorithm& algorithm, const RowLevels<I>* known)
{
    using Algorithm = TriangularAlgorithm;
    const auto triangle = triangle_pattern(exec, a, side, false, is_transposed);
    const auto view = triangle.view();
    const Side new_side = is_transposed ? opposite(side) : side;
    if (exec.is_host() && (algorithm == Algorithm::automatic || algorithm == Algorithm::segments)) {
        algorithm = Algorithm::levels;
    }
    const LevelUnit unit = algorithm == Algorithm::levels ? level_unit_for(exec) : LevelUnit::row;
    std::optional<RowLevels<I>> found;
    if (known == nullptr || known->unit != unit) {
        known = &found.emplace(exec, view, new_side, unit);
    }
    const auto& levels = *known;
    LevelPattern<I> pattern(exec);
    pattern.num_levels = levels.count;
    if (algorithm == Algorithm::segments || (algorithm == Algorithm::automatic && suits_segments(view, levels.count))) {
        pattern.segment_rows = view.rows == 0 ? 0 : find_segments(exec, view, new_side, max_slots, pattern);
        algorithm = pattern.segment_rows == 0 ? Algorithm::syncfree : Algorithm::segments;
    } else if (algorithm == Algorithm::automatic) {
        algorithm = Algorithm::syncfree;
    }
    if (algorithm == Algorithm::segments) {
        take_rows_in_segments(exec, triangle, levels, pattern);
        return pattern;
    }
    LevelOrder<I> by_levels(exec, levels);
    pattern.order = std::move(by_levels.order);
    pattern.level_ptrs = std::move(by_levels.level_ptrs);
    take_rows_in_order(exec, triangle, by_levels.position, pattern);
    if (algorithm == Algorithm::levels) {
        const auto ptrs = pattern.level_ptrs.to_host();
        pattern.ranges = level_ranges(exec, {ptrs.begin(), ptrs.end()});
    }
    return pattern;
}

}  // namespace linden::detail
