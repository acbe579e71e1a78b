#include "core/multigrid/grid.hpp"

#include <algorithm>
#include <cstdlib>

namespace linden::detail {
namespace {

/// Lines of fewer points are none.
constexpr std::int64_t shortest_line = 8;

/// The points that steps for all these offsets go over together; none if one of them goes over more than one point
/// along an axis, or along an axis of one point.
std::optional<std::int64_t> length_of_steps(const GridShape& grid, const std::vector<std::int64_t>& offsets)
{
    std::int64_t length = 0;
    for (const auto offset : offsets) {
        const auto step = step_of(grid, offset);
        for (int axis = 0; axis < num_axes; ++axis) {
            const auto points = std::abs(step.along[axis]);
            if (points > 1 || (points == 1 && grid.points[axis] == 1)) {
                return std::nullopt;
            }
            length += points;
        }
    }
    return length;
}

}  // namespace

std::optional<GridShape> find_grid(size_type rows, std::vector<std::int64_t> offsets)
{
    constexpr std::size_t most_neighbours = 13;  // on one side of a point
    std::transform(offsets.begin(), offsets.end(), offsets.begin(), [](std::int64_t o) { return std::abs(o); });
    std::sort(offsets.begin(), offsets.end());
    offsets.erase(std::unique(offsets.begin(), offsets.end()), offsets.end());
    offsets.erase(offsets.begin(), std::upper_bound(offsets.begin(), offsets.end(), 0));
    if (offsets.empty() || offsets.size() > most_neighbours || offsets.back() >= rows) {
        return std::nullopt;
    }
    auto strides = offsets;
    strides.push_back(rows);
    std::optional<GridShape> found;
    std::int64_t least = 0;
    for (const auto line : strides) {
        for (const auto plane : strides) {
            if (line < shortest_line || plane % line != 0 || rows % plane != 0) {
                continue;
            }
            const GridShape grid{{line, plane / line, rows / plane}};
            const auto length = length_of_steps(grid, offsets);
            if (length && (!found || *length <= least)) {
                found = grid;
                least = *length;
            }
        }
    }
    return found;
}

std::optional<GridBlocks> choose_blocks(const GridShape& grid, const std::int64_t* counts, size_type num_samples,
                                        bool is_first)
{
    const size_type least_alike = is_first ? 128 : 8;  // one row of so many may be unlike the others
    for (int flag = 0; flag < has_diagonals; ++flag) {
        if (std::min<size_type>(counts[flag], num_samples - counts[flag]) * least_alike > num_samples) {
            return std::nullopt;
        }
    }
    const auto is_usual = [&](int flag) { return 2 * counts[flag] > num_samples; };
    const int num_strong = is_usual(is_strong_along_x) + is_usual(is_strong_along_y) + is_usual(is_strong_along_z);
    if (num_strong == 0 || is_usual(is_aslant)) {
        return std::nullopt;
    }
    const size_type width = num_strong == num_axes && !is_usual(has_diagonals) ? 2 : 3;
    GridBlocks blocks{grid, grid, {}};
    for (int axis = 0; axis < num_axes; ++axis) {
        const bool is_coarsened = is_usual(is_strong_along_x + axis);
        blocks.widths[axis] = is_coarsened ? width : 1;
        blocks.coarse.points[axis] =
            std::max<size_type>((grid.points[axis] + blocks.widths[axis] / 2) / blocks.widths[axis], 1);
    }
    return blocks;
}

ProductWindow window_of(const GridBlocks& blocks, const std::array<size_type, num_axes>& reach)
{
    ProductWindow window{blocks, reach};
    for (int axis = 0; axis < num_axes; ++axis) {
        window.reach[axis] = std::min(reach[axis], blocks.fine.points[axis] - 1);
    }
    return window;
}

}  // namespace linden::detail
