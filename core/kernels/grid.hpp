#pragma once

#include <linden/views.hpp>

#include <algorithm>
#include <array>
#include <cstdint>

#include "core/base/host_device.hpp"
#include "core/base/kernel.hpp"
#include "core/base/mix.hpp"
#include "core/base/type_lists.hpp"

/// Matrices whose rows are the points of a box of a regular grid, x first: row x + points[0] (y + points[1] z).
namespace linden {

inline constexpr int num_axes = 3;

/// Points of the box along each axis.
struct GridShape {
    std::array<size_type, num_axes> points{1, 1, 1};

    LINDEN_HOST_DEVICE constexpr size_type size() const { return points[0] * points[1] * points[2]; }
};

/// How far a point is from another one along each axis, if that is less than half the box.
struct GridStep {
    std::array<size_type, num_axes> along{};
};

/// The step between points whose rows are `offset` apart.
LINDEN_HOST_DEVICE constexpr GridStep step_of(const GridShape& grid, size_type offset)
{
    const auto nearest = [](size_type x, size_type unit) { return (x + (x < 0 ? -unit : unit) / 2) / unit; };
    const size_type plane = grid.points[0] * grid.points[1];
    GridStep step;
    step.along[2] = nearest(offset, plane);
    offset -= step.along[2] * plane;
    step.along[1] = nearest(offset, grid.points[0]);
    step.along[0] = offset - step.along[1] * grid.points[0];
    return step;
}

/// Blocks of the points of a grid, as a grid of their own: point p of an axis is in block min(p / width, blocks - 1).
struct GridBlocks {
    GridShape fine, coarse;
    std::array<size_type, num_axes> widths{1, 1, 1};
};

/// The row of sample s of so many, evenly over all rows but for chance, which keeps off the rims of grids.
LINDEN_HOST_DEVICE inline size_type sampled_row(size_type s, size_type num_samples, size_type rows)
{
    const size_type step = rows / num_samples;
    const auto chance = mixed(static_cast<std::uint64_t>(s) * mix_step) % static_cast<std::uint64_t>(step);
    return s * step + static_cast<size_type>(chance);
}

/// offsets[s width + k] := how far the column of entry k of sampled row s is behind the row, 0 where it has no such
/// entry; the number of all rows where it has more than `width`.  1 <= num_samples <= rows; offsets: num_samples x
/// width.
template <class I>
inline constinit kernel<void(PatternView<I> a, size_type num_samples, size_type width, std::int64_t* offsets)>
    grid_sample{"grid::sample", types_of<I>};

/// The same of a grid's points, off its rims where an axis has more than two points.
LINDEN_HOST_DEVICE inline size_type sampled_point(const GridShape& grid, size_type s, size_type num_samples)
{
    size_type rest = sampled_row(s, num_samples, grid.size());
    size_type point = 0, stride = 1;
    for (int axis = 0; axis < num_axes; ++axis) {
        const size_type last = grid.points[axis] - 1;
        const size_type at = rest % grid.points[axis];
        const bool is_at_rim = last > 1 && (at == 0 || at == last);
        point += stride * (!is_at_rim ? at : at == 0 ? 1 : last - 1);
        rest /= grid.points[axis];
        stride *= grid.points[axis];
    }
    return point;
}

/// What is asked of a row of a matrix on a grid. An entry off the diagonal is strong if it has at least a share of the
/// largest one of its row, and a sign other than the diagonal.
enum GridFlag : int {
    is_strong_along_x,  ///< an entry with a step along x is strong
    is_strong_along_y,
    is_strong_along_z,
    is_weak_along_x,  ///< such an entry is not
    is_weak_along_y,
    is_weak_along_z,
    is_aslant,      ///< entries with steps along two axes are strong, in the same directions or in opposite ones only
    has_diagonals,  ///< an entry has steps along several axes
    num_grid_flags
};

/// flags[f num_samples + s] := flag f of the row of sampled point s, 1 or 0.  a: n x n, the rows of the grid; largest:
/// n, the largest magnitudes off the diagonal; 1 <= num_samples <= n; flags: num_grid_flags num_samples.
template <class V, class I>
inline constinit kernel<void(CsrView<V, I> a, const real_t<V>* largest, double threshold, GridShape grid,
                             size_type num_samples, I* flags)>
    grid_flags{"grid::flags", types_of<V, I>, {.eps = 0}};

/// aggregates[i] := the block of row i.  aggregates: one for each point of blocks.fine.
template <class I>
inline constinit kernel<void(GridBlocks blocks, I* aggregates)> grid_aggregates{"grid::aggregates", types_of<I>};

}  // namespace linden
