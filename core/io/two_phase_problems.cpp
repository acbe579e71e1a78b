#include "core/io/two_phase_problems.hpp"

#include <linden/error.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/parallel.hpp"
#include "core/io/problem_matrix.hpp"

// instantiate: CsrData<V, I> detail::two_phase_problem<V, I>(const ProblemSpec&)
// instantiate: CsrData<V, I> detail::bubbles_problem<V, I>(const ProblemSpec&)

namespace linden::detail {
namespace {

/// A cell of a grid: x, y, z.
using Cell = std::array<size_type, 3>;

/// The sides of a grid with Dirichlet conditions, below and above in x, y and z; the others have Neumann conditions.
using DirichletSides = std::array<bool, 6>;

constexpr DirichletSides all_sides{true, true, true, true, true, true};

/// Lets both sides of a face conduct in turn.
double face_coefficient(double a, double b) { return a == b ? a : 2 / (1 / a + 1 / b); }

/// One row after the other, faces in the order of DirichletSides.
template <class V, class I, class Coefficient>
class CellRows {
public:
    CellRows(const Grid& grid, const DirichletSides& sides, const Coefficient& coefficient, CsrData<V, I>& matrix)
        : grid_(grid),
          sides_(sides),
          coefficient_(coefficient),
          matrix_(matrix)
    {
    }

    /// The row of a cell, from entry k on; returns where the next row begins.
    size_type fill(const Cell& cell, size_type k) const
    {
        const size_type row = cell[0] + grid_.n * (cell[1] + grid_.n * cell[2]);
        const auto put = [&](size_type col, double value) {
            matrix_.col_idxs[k] = static_cast<I>(col);
            matrix_.values[k] = static_cast<real_t<V>>(value);
            ++k;
        };
        std::array<double, 6> faces{};
        double sum = 0;
        for (int side = 0; side < 2 * grid_.dimensions; ++side) {
            sum += faces[side] = face(cell, side);
        }
        const std::array<size_type, 3> strides{1, grid_.n, grid_.n * grid_.n};
        for (int d = grid_.dimensions - 1; d >= 0; --d) {
            if (cell[d] > 0) {
                put(row - strides[d], -faces[2 * d]);
            }
        }
        put(row, sum);
        for (int d = 0; d < grid_.dimensions; ++d) {
            if (cell[d] + 1 < grid_.n) {
                put(row + strides[d], -faces[2 * d + 1]);
            }
        }
        matrix_.row_ptrs[row + 1] = static_cast<I>(k);
        return k;
    }

private:
    double face(const Cell& cell, int side) const
    {
        auto other = cell;
        other[side / 2] += side % 2 == 0 ? -1 : 1;
        const double here = coefficient_(cell);
        if (other[side / 2] < 0 || other[side / 2] == grid_.n) {
            return sides_[side] ? here : 0;
        }
        return face_coefficient(here, coefficient_(other));
    }

    const Grid& grid_;
    const DirichletSides& sides_;
    const Coefficient& coefficient_;
    CsrData<V, I>& matrix_;
};

/// @throws InvalidParameter if there are too many rows for I, or a diagonal entry may not fit V
template <class V, class I>
void check_grid(const ProblemSpec& spec, const Grid& grid, double largest_coefficient)
{
    const auto rows = saturating_product({grid.n, grid.n, grid.dimensions == 2 ? 1 : grid.n});
    require_fits<I>(spec, rows, saturating_product({rows, size_type{1} + 2 * grid.dimensions}));
    if (!(2 * grid.dimensions * largest_coefficient <= std::numeric_limits<real_t<V>>::max())) {
        spec.fail("it has values that are too large for " + std::string(name(value_type_of<V>)));
    }
}

/// Off-diagonal entries are minus the conductivity of the face, diagonal entries the sum over a cell's faces. The grid
/// is checked.
template <class V, class I, class Coefficient>
CsrData<V, I> assemble_cells(const Grid& grid, const DirichletSides& sides, const Coefficient& coefficient)
{
    const auto n = grid.n;
    const auto num_lines = grid.dimensions == 2 ? n : n * n;
    std::vector<size_type> line_ptrs(num_lines + 1);
    for (size_type line = 0; line < num_lines; ++line) {
        const auto y = line % n, z = line / n;
        const size_type along_y = (y > 0) + (y + 1 < n);
        const size_type along_z = grid.dimensions == 2 ? 0 : (z > 0) + (z + 1 < n);
        line_ptrs[line + 1] = line_ptrs[line] + n * (1 + along_y + along_z) + 2 * (n - 1);
    }
    auto matrix = allocate<V, I>(n * num_lines, line_ptrs.back());
    const CellRows<V, I, Coefficient> rows(grid, sides, coefficient, matrix);
    constexpr size_type grain = 64;
    parallel_ranges(num_lines, grain, [&](size_type begin, size_type end) {
        for (auto line = begin; line < end; ++line) {
            auto k = line_ptrs[line];
            for (size_type x = 0; x < n; ++x) {
                k = rows.fill({x, line % n, line / n}, k);
            }
        }
    });
    return matrix;
}

/// Some of `lrbt`, each at most once.
DirichletSides parse_sides(const ProblemSpec& spec, std::size_t argument)
{
    constexpr std::string_view names = "lrbt";
    DirichletSides sides{};
    for (const char c : spec.text(argument)) {
        const auto side = names.find(c);
        if (side == std::string_view::npos || sides[side]) {
            spec.fail_argument(argument, "some of l, r, b and t");
        }
        sides[side] = true;
    }
    if (sides == DirichletSides{}) {
        spec.fail_argument(argument, "some of l, r, b and t");
    }
    return sides;
}

/// Bubbles have centres and radii in multiples of 1 / lattice, so that integers tell which cells are in them.
constexpr size_type lattice = 4096;

struct Bubble {
    Cell centre;
    size_type radius;
};

/// The largest radius: `count` spheres of it fill the cube `widest^dimensions` with their own.
size_type largest_radius(size_type count, int dimensions)
{
    const size_type widest = dimensions == 2 ? lattice * 2 / 5 : lattice / 2;
    const auto cube = [&](size_type r) { return saturating_product({r, r, dimensions == 2 ? 1 : r}); };
    size_type radius = widest;
    while (radius > 1 && saturating_product({cube(radius), count}) > cube(widest)) {
        --radius;
    }
    return radius;
}

Bubble random_bubble(SplitMix64& random, size_type largest, int dimensions)
{
    const size_type least = (largest + 1) / 2;
    Bubble bubble{{}, least + random.below(largest - least + 1)};
    for (int d = 0; d < dimensions; ++d) {
        bubble.centre[d] = bubble.radius + random.below(lattice - 2 * bubble.radius + 1);
    }
    return bubble;
}

/// Marks the cells whose centres are in the bubble. Distances are in units of 1 / (2 n lattice).
void mark(const Bubble& bubble, const Grid& grid, std::vector<std::uint8_t>& inside)
{
    const auto n = grid.n;
    const auto square = [](size_type value) { return value * value; };
    Cell begin{}, end{1, 1, 1};
    for (int d = 0; d < grid.dimensions; ++d) {
        begin[d] = (bubble.centre[d] - bubble.radius) * n / lattice;
        end[d] = std::min((bubble.centre[d] + bubble.radius) * n / lattice + 1, n);
    }
    const auto distance = [&](size_type cell, int d) {
        return d < grid.dimensions ? square((2 * cell + 1) * lattice - 2 * n * bubble.centre[d]) : 0;
    };
    const auto limit = square(2 * n * bubble.radius);
    for (auto z = begin[2]; z < end[2]; ++z) {
        for (auto y = begin[1]; y < end[1]; ++y) {
            for (auto x = begin[0]; x < end[0]; ++x) {
                inside[x + n * (y + n * z)] |= distance(x, 0) + distance(y, 1) + distance(z, 2) <= limit;
            }
        }
    }
}

}  // namespace

template <class V, class I>
CsrData<V, I> two_phase_problem(const ProblemSpec& spec)
{
    const auto n = spec.count(1);
    const auto upper = 1 / spec.positive(2);
    const auto sides = spec.has(3) ? parse_sides(spec, 3) : all_sides;
    const Grid grid{n, 2};
    check_grid<V, I>(spec, grid, std::max(1.0, upper));
    return assemble_cells<V, I>(grid, sides, [&](const Cell& cell) { return cell[1] < n - n / 2 ? 1.0 : upper; });
}

template <class V, class I>
CsrData<V, I> bubbles_problem(const ProblemSpec& spec)
{
    constexpr size_type largest_n = 1 << 17;  // squares of distances fit 64 bits
    const Grid grid{spec.count(1), spec.name() == "bubbles3d" ? 3 : 2};
    const auto count = spec.count(2);
    const auto around = 1 / spec.positive(3);
    SplitMix64 random(spec.seed(4));
    if (grid.n > largest_n) {
        spec.fail_argument(1, "at most " + std::to_string(largest_n));
    }
    check_grid<V, I>(spec, grid, std::max(1.0, around));
    std::vector<std::uint8_t> inside(grid.n * grid.n * (grid.dimensions == 2 ? 1 : grid.n));
    if (count > static_cast<size_type>(inside.size())) {
        spec.fail_argument(2, "at most the number of cells");
    }
    const auto largest = largest_radius(count, grid.dimensions);
    for (size_type i = 0; i < count; ++i) {
        mark(random_bubble(random, largest, grid.dimensions), grid, inside);
    }
    return assemble_cells<V, I>(grid, all_sides, [&](const Cell& cell) {
        return inside[cell[0] + grid.n * (cell[1] + grid.n * cell[2])] != 0 ? 1.0 : around;
    });
}

}  // namespace linden::detail
