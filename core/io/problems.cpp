#include <linden/error.hpp>
#include <linden/io/problems.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "core/base/parallel.hpp"
#include "core/io/problem_matrix.hpp"
#include "core/io/stencil_rows.hpp"
#include "core/io/two_phase_problems.hpp"

// instantiate: CsrData<V, I> generate_problem<V, I>(std::string_view)
// instantiate: CsrData<V, std::int64_t> detail::stencil_rows<V>(std::string_view, size_type, size_type)

namespace linden {
namespace {

using detail::allocate, detail::require_fits, detail::require_room, detail::saturating_product;
using detail::Grid, detail::ProblemSpec, detail::SplitMix64;

/// A coupling to the grid point at this distance.
struct Coupling {
    std::array<int, 3> offset;  // x, y, z
    double value;
};

/// In the order of columns: z slowest, x fastest.
using Stencil = std::vector<Coupling>;

Stencil star2d(double y)
{
    return {{{0, -1, 0}, -y}, {{-1, 0, 0}, -1}, {{0, 0, 0}, 2 + 2 * y}, {{1, 0, 0}, -1}, {{0, 1, 0}, -y}};
}

Stencil star3d(double x_minus, double diagonal, double z)
{
    return {{{0, 0, -1}, -z}, {{0, -1, 0}, -1}, {{-1, 0, 0}, -x_minus}, {{0, 0, 0}, diagonal},
            {{1, 0, 0}, -1},  {{0, 1, 0}, -1},  {{0, 0, 1}, -z}};
}

Stencil box27()
{
    Stencil stencil;
    for (int k = 0; k < 27; ++k) {
        stencil.push_back({{k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1}, k == 13 ? 26.0 : -1.0});
    }
    return stencil;
}

/// All values fit V.
template <class V>
void require_representable(const ProblemSpec& spec, const Stencil& stencil)
{
    for (const auto& coupling : stencil) {
        if (!(std::abs(coupling.value) <= std::numeric_limits<real_t<V>>::max())) {
            spec.fail("it has values that are too large for " + std::string(name(value_type_of<V>)));
        }
    }
}

/// The couplings of `stencil` whose y and z neighbours are on the grid for the points of `line`.
Stencil on_grid(const Grid& grid, const Stencil& stencil, size_type line)
{
    const auto y = line % grid.n;
    const auto z = line / grid.n;
    const auto z_end = grid.dimensions == 2 ? 1 : grid.n;
    Stencil out;
    for (const auto& coupling : stencil) {
        const auto to_y = y + coupling.offset[1];
        const auto to_z = z + coupling.offset[2];
        if (to_y >= 0 && to_y < grid.n && to_z >= 0 && to_z < z_end) {
            out.push_back(coupling);
        }
    }
    return out;
}

/// Entries in the rows of one grid line.
size_type count_entries(const Grid& grid, const Stencil& stencil)
{
    size_type count = 0;
    for (const auto& coupling : stencil) {
        count += grid.n - std::abs(coupling.offset[0]);
    }
    return count;
}

/// Fills the rows of one grid line, beginning at entry k.
template <class V, class I>
void fill_line(const Grid& grid, const Stencil& stencil, size_type line, size_type k, CsrData<V, I>& matrix)
{
    for (size_type x = 0; x < grid.n; ++x) {
        const auto row = x + grid.n * line;
        for (const auto& [offset, value] : stencil) {
            const auto to_x = x + offset[0];
            if (to_x >= 0 && to_x < grid.n) {
                matrix.col_idxs[k] = static_cast<I>(row + offset[0] + grid.n * (offset[1] + grid.n * offset[2]));
                matrix.values[k] = static_cast<real_t<V>>(value);
                ++k;
            }
        }
        matrix.row_ptrs[row + 1] = static_cast<I>(k);
    }
}

/// The matrix of stencil_at(y): the same couplings for all y, their values may differ.
template <class V, class I, class StencilAt>
CsrData<V, I> assemble_lines(const ProblemSpec& spec, const Grid& grid, StencilAt&& stencil_at)
{
    const auto num_rows = saturating_product({grid.n, grid.n, grid.dimensions == 2 ? 1 : grid.n});
    const auto num_couplings = static_cast<size_type>(stencil_at(0).size());
    require_fits<I>(spec, num_rows, saturating_product({num_rows, num_couplings}));

    // Lines are numbered like rows: line = y + N z.
    const auto num_lines = num_rows / grid.n;
    std::vector<size_type> line_ptrs(num_lines + 1);
    constexpr size_type grain = 64;
    parallel_ranges(num_lines, grain, [&](size_type begin, size_type end) {
        for (auto line = begin; line < end; ++line) {
            const auto stencil = on_grid(grid, stencil_at(line % grid.n), line);
            require_representable<V>(spec, stencil);
            line_ptrs[line + 1] = count_entries(grid, stencil);
        }
    });
    std::partial_sum(line_ptrs.begin(), line_ptrs.end(), line_ptrs.begin());
    auto matrix = allocate<V, I>(num_rows, line_ptrs.back());
    parallel_ranges(num_lines, grain, [&](size_type begin, size_type end) {
        for (auto line = begin; line < end; ++line) {
            fill_line(grid, on_grid(grid, stencil_at(line % grid.n), line), line, line_ptrs[line], matrix);
        }
    });
    return matrix;
}

template <class V, class I>
CsrData<V, I> assemble(const ProblemSpec& spec, const Grid& grid, const Stencil& stencil)
{
    return assemble_lines<V, I>(spec, grid, [&](size_type) -> const Stencil& { return stencil; });
}

/// One row of a random matrix, of the length given by the row pointers. Each row has its own random stream, so that
/// rows can be generated in any order.
template <class V, class I>
void fill_random_row(size_type row, std::uint64_t seed, CsrData<V, I>& matrix)
{
    const size_type first = matrix.row_ptrs[row];
    const size_type per_row = matrix.row_ptrs[row + 1] - first;
    SplitMix64 random(SplitMix64(seed).next() ^ SplitMix64(static_cast<std::uint64_t>(row)).next());
    const auto others = matrix.size.cols - 1;
    const auto slices = per_row - 1;
    auto k = first;
    auto diagonal = k + slices;
    double sum = 0;
    for (size_type slice = 0; slice < slices; ++slice) {
        const auto begin = slice * others / slices;
        const auto end = (slice + 1) * others / slices;
        // Counted without the diagonal, so columns from there on are one further.
        auto col = begin + random.below(end - begin);
        if (col >= row) {
            diagonal = std::min(diagonal, k);
            k += k == diagonal;
            ++col;
        }
        const auto value = random.symmetric();
        sum += std::abs(value);
        matrix.col_idxs[k] = static_cast<I>(col);
        matrix.values[k] = static_cast<real_t<V>>(value);
        ++k;
    }
    matrix.col_idxs[diagonal] = static_cast<I>(row);
    matrix.values[diagonal] = static_cast<real_t<V>>(1 + sum);
}

/// A random matrix whose row `row` has length(row) entries, `nonzeros` in all.
template <class V, class I, class Length>
CsrData<V, I> random_matrix(const ProblemSpec& spec, size_type n, size_type nonzeros, const Length& length)
{
    require_fits<I>(spec, n, nonzeros);
    auto matrix = allocate<V, I>(n, nonzeros);
    for (size_type row = 0; row < n; ++row) {
        matrix.row_ptrs[row + 1] = static_cast<I>(matrix.row_ptrs[row] + length(row));
    }
    constexpr size_type grain = 1 << 12;
    parallel_ranges(n, grain, [&](size_type begin, size_type end) {
        for (auto row = begin; row < end; ++row) {
            fill_random_row(row, spec.seed(3), matrix);
        }
    });
    return matrix;
}

template <class V, class I>
CsrData<V, I> random_problem(const ProblemSpec& spec)
{
    const auto n = spec.count(1);
    const auto per_row = spec.count(2);
    if (per_row > n) {
        spec.fail("NNZ_PER_ROW must not be larger than N");
    }
    return random_matrix<V, I>(spec, n, saturating_product({n, per_row}), [&](size_type) { return per_row; });
}

/// Lengths have a Pareto distribution with exponent 3/2, whose mean is three times the minimum; the middle row is full.
template <class V, class I>
CsrData<V, I> power_law_problem(const ProblemSpec& spec)
{
    const auto n = spec.count(1);
    const auto least = static_cast<double>(spec.count(2)) / 3;
    const auto seed = spec.seed(3);
    const auto length = [=](size_type row) {
        SplitMix64 random(~SplitMix64(seed).next() ^ SplitMix64(static_cast<std::uint64_t>(row)).next());
        const double uniform = (random.symmetric() + 1) / 2 + 0x1p-53;
        const double wanted = least / std::cbrt(uniform * uniform);
        return row == n / 2 ? n : std::clamp(static_cast<size_type>(std::min(wanted, 1e18)), size_type{1}, n);
    };
    const auto shortest = std::clamp(static_cast<size_type>(std::min(least, 1e18)), size_type{1}, n);
    const auto fewest = saturating_product({n, shortest});
    require_fits<I>(spec, n, fewest);
    require_room<V, I>(n, fewest);  // before rows are counted, which takes its time
    size_type nonzeros = 0;
    for (size_type row = 0; row < n; ++row) {
        nonzeros += length(row);
    }
    return random_matrix<V, I>(spec, n, nonzeros, length);
}

/// A grid and the stencil of all its points.
struct StencilProblem {
    Grid grid;
    Stencil stencil;
    size_type num_rows() const { return saturating_product({grid.n, grid.n, grid.dimensions == 2 ? 1 : grid.n}); }
};

StencilProblem stencil_problem(const ProblemSpec& spec)
{
    const auto n = spec.count(1);
    if (spec.name() == "lap2d") {
        return {{n, 2}, star2d(1)};
    }
    if (spec.name() == "lap3d") {
        return {{n, 3}, star3d(1, 6, 1)};
    }
    if (spec.name() == "st27") {
        return {{n, 3}, box27()};
    }
    const auto parameter = spec.name() == "convdiff3d" ? spec.non_negative(2) : spec.positive(2);
    if (spec.name() == "aniso2d") {
        return {{n, 2}, star2d(parameter)};
    }
    if (spec.name() == "aniso3d") {
        return {{n, 3}, star3d(1, 4 + 2 * parameter, parameter)};
    }
    return {{n, 3}, star3d(1 + parameter, 6 + parameter, 1)};
}

bool has_one_stencil(const ProblemSpec& spec)
{
    const auto name = spec.name();
    return name != "twophase" && name != "random" && name != "powerlaw" && !name.starts_with("bubbles");
}

}  // namespace

template <class V, class I>
CsrData<V, I> generate_problem(std::string_view text)
{
    const detail::ProblemSpec spec(text);
    if (spec.name() == "twophase") {
        return detail::two_phase_problem<V, I>(spec);
    }
    if (spec.name().starts_with("bubbles")) {
        return detail::bubbles_problem<V, I>(spec);
    }
    if (spec.name() == "random") {
        return random_problem<V, I>(spec);
    }
    if (spec.name() == "powerlaw") {
        return power_law_problem<V, I>(spec);
    }
    const auto [grid, stencil] = stencil_problem(spec);
    return assemble<V, I>(spec, grid, stencil);
}

size_type detail::num_stencil_rows(std::string_view text)
{
    const ProblemSpec spec(text);
    if (!has_one_stencil(spec)) {
        return -1;
    }
    const auto problem = stencil_problem(spec);
    const auto entries = static_cast<size_type>(problem.stencil.size());
    require_fits<std::int64_t>(spec, problem.num_rows(), saturating_product({problem.num_rows(), entries}));
    return problem.num_rows();
}

size_type detail::most_stencil_entries(std::string_view text)
{
    const auto problem = stencil_problem(ProblemSpec(text));
    return saturating_product({problem.num_rows(), static_cast<size_type>(problem.stencil.size())});
}

template <class V>
CsrData<V, std::int64_t> detail::stencil_rows(std::string_view text, size_type first, size_type last)
{
    const ProblemSpec spec(text);
    const auto problem = stencil_problem(spec);
    const auto n = problem.grid.n;
    CsrData<V, std::int64_t> rows{{last - first, problem.num_rows()}, {0}, {}, {}};
    require_representable<V>(spec, problem.stencil);
    const auto entries = static_cast<std::size_t>(last - first) * problem.stencil.size();
    rows.row_ptrs.reserve(static_cast<std::size_t>(last - first) + 1);
    rows.col_idxs.reserve(entries);
    rows.values.reserve(entries);
    Stencil of_line;
    for (auto row = first; row < last; ++row) {
        const auto x = row % n;
        if (row == first || x == 0) {
            of_line = on_grid(problem.grid, problem.stencil, row / n);
        }
        for (const auto& [offset, value] : of_line) {
            if (x + offset[0] >= 0 && x + offset[0] < n) {
                rows.col_idxs.push_back(row + offset[0] + n * (offset[1] + n * offset[2]));
                rows.values.push_back(static_cast<real_t<V>>(value));
            }
        }
        rows.row_ptrs.push_back(static_cast<std::int64_t>(rows.values.size()));
    }
    return rows;
}

}  // namespace linden
