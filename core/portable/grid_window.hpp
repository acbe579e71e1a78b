#pragma once

#include <type_traits>

#include "core/kernels/grid_product.hpp"

/// Points of grids, and what rows of products on them touch.
namespace linden {

using GridPoint = std::array<size_type, num_axes>;

/// Where a number is in a box of so many places, x first. Of the type I, which divides faster where it is shorter.
template <class I>
LINDEN_HOST_DEVICE GridPoint point_of(const GridPoint& lengths, size_type number)
{
    using U = std::make_unsigned_t<I>;
    const auto all = static_cast<U>(number), x = static_cast<U>(lengths[0]), y = static_cast<U>(lengths[1]);
    const U line = all / x, plane = line / y;
    return {static_cast<size_type>(all - line * x), static_cast<size_type>(line - plane * y),
            static_cast<size_type>(plane)};
}
LINDEN_HOST_DEVICE inline size_type number_of(const GridPoint& lengths, const GridPoint& point)
{
    return point[0] + lengths[0] * (point[1] + lengths[1] * point[2]);
}
LINDEN_HOST_DEVICE inline bool is_within(const GridPoint& point, const GridPoint& a, const GridPoint& reach)
{
    bool is_near = true;
    for (int axis = 0; axis < num_axes; ++axis) {
        const size_type step = point[axis] - a[axis];
        is_near = is_near && step <= reach[axis] && -step <= reach[axis];
    }
    return is_near;
}

LINDEN_HOST_DEVICE inline GridPoint fine_lengths(const ProductWindow& w)
{
    return {w.fine_length(0), w.fine_length(1), w.fine_length(2)};
}
LINDEN_HOST_DEVICE inline GridPoint coarse_lengths(const ProductWindow& w)
{
    return {w.coarse_length(0), w.coarse_length(1), w.coarse_length(2)};
}

/// What a row of the product touches: points from 2 reach before its block on, and blocks.
template <class I>
struct WindowOfRow {
    const ProductWindow& window;
    GridPoint block;

    LINDEN_HOST_DEVICE WindowOfRow(const ProductWindow& w, size_type row)
        : window(w),
          block(point_of<I>(w.blocks.coarse.points, row))
    {
    }
    /// The place of a point in the window; -1 for those outside.
    LINDEN_HOST_DEVICE size_type place_of(const GridPoint& point) const
    {
        GridPoint place;
        bool is_inside = true;
        for (int axis = 0; axis < num_axes; ++axis) {
            place[axis] = point[axis] - begin(axis, block[axis]) + 2 * window.reach[axis];
            is_inside = is_inside && place[axis] >= 0 && place[axis] < window.fine_length(axis);
        }
        return is_inside ? number_of(fine_lengths(window), place) : -1;
    }
    /// The row of the point at a place, which is in the box.
    LINDEN_HOST_DEVICE size_type row_at(size_type place) const
    {
        auto point = point_of<I>(fine_lengths(window), place);
        for (int axis = 0; axis < num_axes; ++axis) {
            point[axis] += begin(axis, block[axis]) - 2 * window.reach[axis];
        }
        return number_of(window.blocks.fine.points, point);
    }
    /// The place of a block among those that the row may have entries for; -1 for others.
    LINDEN_HOST_DEVICE size_type coarse_place_of(const GridPoint& other) const
    {
        GridPoint place;
        bool is_inside = true;
        for (int axis = 0; axis < num_axes; ++axis) {
            place[axis] = other[axis] - block[axis] + window.coarse_reach(axis);
            is_inside = is_inside && place[axis] >= 0 && place[axis] < window.coarse_length(axis);
        }
        return is_inside ? number_of(coarse_lengths(window), place) : -1;
    }
    /// Whether a point is in a block, or up to so many times the reach beside it.
    LINDEN_HOST_DEVICE bool is_near(const GridPoint& point, const GridPoint& other, size_type times_reach) const
    {
        bool is_near = true;
        for (int axis = 0; axis < num_axes; ++axis) {
            const size_type margin = times_reach * window.reach[axis];
            is_near = is_near && point[axis] >= begin(axis, other[axis]) - margin &&
                      point[axis] < end(axis, other[axis]) + margin;
        }
        return is_near;
    }

private:
    LINDEN_HOST_DEVICE size_type begin(int axis, size_type b) const { return b * window.blocks.widths[axis]; }
    LINDEN_HOST_DEVICE size_type end(int axis, size_type b) const
    {
        const auto& blocks = window.blocks;
        return b + 1 == blocks.coarse.points[axis] ? blocks.fine.points[axis] : (b + 1) * blocks.widths[axis];
    }
};

}  // namespace linden
