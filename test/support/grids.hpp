#pragma once

#include <algorithm>
#include <utility>

#include "core/kernels/grid.hpp"
#include "test/support/kernel_cases.hpp"

/// Matrices whose rows are the points of a box.
namespace linden::test {

/// An entry off the diagonal, as far as it is in the box.
struct Neighbour {
    GridStep step;
    double value;
};
/// The matrix of a grid whose rows have this diagonal and these entries.
template <class V, class I>
CsrData<V, I> on_grid(const GridShape& grid, const std::vector<Neighbour>& neighbours, double diagonal)
{
    CsrData<V, I> a{{grid.size(), grid.size()}, {0}, {}, {}};
    for (size_type row = 0; row < grid.size(); ++row) {
        const size_type point[] = {row % grid.points[0], row / grid.points[0] % grid.points[1],
                                   row / grid.points[0] / grid.points[1]};
        std::vector<std::pair<size_type, double>> entries{{row, diagonal}};
        for (const auto& n : neighbours) {
            bool is_inside = true;
            for (int axis = 0; axis < num_axes; ++axis) {
                const size_type at = point[axis] + n.step.along[axis];
                is_inside = is_inside && at >= 0 && at < grid.points[axis];
            }
            if (is_inside) {
                const auto& s = n.step.along;
                entries.emplace_back(row + s[0] + grid.points[0] * (s[1] + grid.points[1] * s[2]), n.value);
            }
        }
        std::sort(entries.begin(), entries.end());
        for (const auto& [col, value] : entries) {
            a.col_idxs.push_back(static_cast<I>(col));
            a.values.push_back(V{static_cast<real_t<V>>(value)});
        }
        a.row_ptrs.push_back(static_cast<I>(a.values.size()));
    }
    return a;
}

}  // namespace linden::test
