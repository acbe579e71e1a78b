#include "core/base/nearest_name.hpp"
#include "core/base/parallel.hpp"

#include <linden/error.hpp>
#include <linden/io/problems.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <complex>
#include <cstdint>
#include <exception>
#include <initializer_list>
#include <limits>
#include <numeric>
#include <vector>

// instantiate: CsrData<V, I> generate_problem<V, I>(std::string_view)

namespace linden {
namespace {

struct Problem {
    std::string_view name;
    std::string_view arguments;
    std::string_view description;
};

constexpr std::array<Problem, 9> problems = {{
    {"lap2d", "N", "N x N grid, 5-point Laplacian: 4, -1"},
    {"lap3d", "N", "N x N x N grid, 7-point Laplacian: 6, -1"},
    {"st27", "N", "N x N x N grid, 27-point: 26, -1"},
    {"aniso2d", "N:EPS", "N x N grid, 5-point, y couplings times EPS"},
    {"aniso3d", "N:EPS", "N x N x N grid, 7-point, z couplings times EPS"},
    {"convdiff3d", "N:C", "N x N x N grid, 7-point, upwind convection C along x (nonsymmetric)"},
    {"twophase", "N:CONTRAST", "N x N grid, 5-point, coefficient 1 in the lower half, 1/CONTRAST in the upper"},
    {"random", "N:NNZ_PER_ROW:SEED", "N rows, random, strictly diagonally dominant, nonsymmetric"},
    {"powerlaw", "N:NNZ_PER_ROW:SEED", "as random, lengths of rows by a power law, one row dense"},
}};

std::string form(const Problem& problem) { return std::string(problem.name) + ":" + std::string(problem.arguments); }

std::vector<std::string_view> split(std::string_view text)
{
    std::vector<std::string_view> parts;
    for (auto colon = text.find(':'); colon != std::string_view::npos; colon = text.find(':')) {
        parts.push_back(text.substr(0, colon));
        text.remove_prefix(colon + 1);
    }
    parts.push_back(text);
    return parts;
}

/// A problem's name and arguments; knows how to complain about them.
class Spec {
public:
    explicit Spec(std::string_view spec) : spec_(spec), parts_(split(spec))
    {
        std::vector<std::string> names;
        for (const auto& problem : problems) {
            names.emplace_back(problem.name);
            if (problem.name == parts_[0]) {
                problem_ = &problem;
            }
        }
        if (problem_ == nullptr) {
            fail("there is no such problem; " + expected_one_of(parts_[0].substr(0, 64), names));
        }
        if (parts_.size() != split(problem_->arguments).size() + 1) {
            fail("expected " + form(*problem_));
        }
    }

    std::string_view name() const { return problem_->name; }

    [[noreturn]] void fail(const std::string& expected) const { throw InvalidParameter("problem", spec_, expected); }

    size_type count(std::size_t argument) const
    {
        const auto value = parse<size_type>(argument);
        if (value < 1) {
            fail_argument(argument, "a positive integer");
        }
        return value;
    }

    std::uint64_t seed(std::size_t argument) const { return parse<std::uint64_t>(argument); }

    double positive(std::size_t argument) const
    {
        const auto value = parse<double>(argument);
        if (!std::isfinite(value) || value <= 0) {
            fail_argument(argument, "a positive number");
        }
        return value;
    }

    double non_negative(std::size_t argument) const
    {
        const auto value = parse<double>(argument);
        if (!std::isfinite(value) || value < 0) {
            fail_argument(argument, "a number that is not negative");
        }
        return value;
    }

private:
    template <class T>
    T parse(std::size_t argument) const
    {
        const auto text = parts_[argument];
        T value{};
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error != std::errc() || end != text.data() + text.size()) {
            fail_argument(argument, std::is_integral_v<T> ? "an integer of at most 64 bits" : "a number");
        }
        return value;
    }

    [[noreturn]] void fail_argument(std::size_t argument, const std::string& expected) const
    {
        fail(std::string(split(problem_->arguments)[argument - 1]) + " in " + form(*problem_) + " must be " + expected +
             ", not '" + std::string(parts_[argument]) + "'");
    }

    std::string_view spec_;
    std::vector<std::string_view> parts_;
    const Problem* problem_ = nullptr;
};

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

/// n points in each of 2 or 3 directions.
struct Grid {
    size_type n;
    int dimensions;
};

/// The product of the factors; the largest size_type where it does not fit.
size_type saturating_product(std::initializer_list<size_type> factors)
{
    size_type product = 1;
    for (auto factor : factors) {
        if (factor > 0 && product > std::numeric_limits<size_type>::max() / factor) {
            return std::numeric_limits<size_type>::max();
        }
        product *= factor;
    }
    return product;
}

template <class I>
void require_fits(const Spec& spec, size_type rows, size_type max_nonzeros)
{
    constexpr size_type limit = std::numeric_limits<I>::max();
    if (rows >= limit || max_nonzeros >= limit) {
        const auto text = [](size_type count) {
            const bool saturated = count == std::numeric_limits<size_type>::max();
            return saturated ? "more than 2^63" : std::to_string(count);
        };
        spec.fail("it has " + text(rows) + " rows and " + text(max_nonzeros) + " entries, too many for " +
                  std::string(name(index_type_of<I>)) + " indices");
    }
}

/// Room for a matrix; sizes were checked.
template <class V, class I>
CsrData<V, I> allocate(size_type rows, size_type nonzeros)
{
    try {
        CsrData<V, I> matrix;
        matrix.size = {rows, rows};
        matrix.row_ptrs.resize(rows + 1);
        matrix.col_idxs.resize(nonzeros);
        matrix.values.resize(nonzeros);
        return matrix;
    } catch (const std::exception&) {  // bad_alloc or length_error
        const auto bytes =
            static_cast<double>(rows) * sizeof(I) + static_cast<double>(nonzeros) * (sizeof(I) + sizeof(V));
        throw OutOfMemory(static_cast<std::uint64_t>(std::min(bytes, 1.8e19)), "host");
    }
}

/// All values fit V.
template <class V>
void require_representable(const Spec& spec, const Stencil& stencil)
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
CsrData<V, I> assemble_lines(const Spec& spec, const Grid& grid, StencilAt&& stencil_at)
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
CsrData<V, I> assemble(const Spec& spec, const Grid& grid, const Stencil& stencil)
{
    return assemble_lines<V, I>(spec, grid, [&](size_type) -> const Stencil& { return stencil; });
}

double harmonic_mean(double a, double b) { return 2 / (1 / a + 1 / b); }

template <class V, class I>
CsrData<V, I> two_phase(const Spec& spec)
{
    const auto n = spec.count(1);
    const auto upper = 1 / spec.positive(2);
    const auto coefficient = [&](size_type y) { return y < n - n / 2 ? 1.0 : upper; };
    return assemble_lines<V, I>(spec, {n, 2}, [&](size_type y) -> Stencil {
        const auto k = coefficient(y);
        const auto below = y == 0 ? k : harmonic_mean(coefficient(y - 1), k);
        const auto above = y == n - 1 ? k : harmonic_mean(k, coefficient(y + 1));
        return {{{0, -1, 0}, -below},
                {{-1, 0, 0}, -k},
                {{0, 0, 0}, 2 * k + below + above},
                {{1, 0, 0}, -k},
                {{0, 1, 0}, -above}};
    });
}

/// SplitMix64 (G. L. Steele, D. Lea, C. H. Flood, Fast Splittable Pseudorandom Number Generators, OOPSLA 2014): the
/// distributions of the standard library differ between platforms.
class SplitMix64 {
public:
    explicit SplitMix64(std::uint64_t state) : state_(state) {}

    std::uint64_t next()
    {
        auto z = state_ += 0x9e3779b97f4a7c15u;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return z ^ (z >> 31);
    }
    /// In [0, bound); the bias is below bound / 2^64.
    size_type below(size_type bound) { return static_cast<size_type>(next() % static_cast<std::uint64_t>(bound)); }
    /// In [-1, 1), a multiple of 2^-52.
    double symmetric() { return static_cast<double>(next() >> 11) * 0x1p-52 - 1; }

private:
    std::uint64_t state_;
};

/// One row of a random matrix, of the length that the row pointers say, from a stream of its own, so that rows can be
/// made in any order.
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
CsrData<V, I> random_matrix(const Spec& spec, size_type n, size_type nonzeros, const Length& length)
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
CsrData<V, I> random_problem(const Spec& spec)
{
    const auto n = spec.count(1);
    const auto per_row = spec.count(2);
    if (per_row > n) {
        spec.fail("NNZ_PER_ROW must not be larger than N");
    }
    return random_matrix<V, I>(spec, n, saturating_product({n, per_row}), [&](size_type) { return per_row; });
}

/// Lengths by Pareto's law with the exponent 3/2, whose mean is three times the least; the row in the middle is full.
template <class V, class I>
CsrData<V, I> power_law_problem(const Spec& spec)
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
    size_type nonzeros = 0;
    for (size_type row = 0; row < n; ++row) {
        nonzeros += length(row);
    }
    return random_matrix<V, I>(spec, n, nonzeros, length);
}

template <class V, class I>
CsrData<V, I> stencil_problem(const Spec& spec)
{
    const auto n = spec.count(1);
    if (spec.name() == "lap2d") {
        return assemble<V, I>(spec, {n, 2}, star2d(1));
    }
    if (spec.name() == "lap3d") {
        return assemble<V, I>(spec, {n, 3}, star3d(1, 6, 1));
    }
    if (spec.name() == "st27") {
        return assemble<V, I>(spec, {n, 3}, box27());
    }
    const auto parameter = spec.name() == "convdiff3d" ? spec.non_negative(2) : spec.positive(2);
    if (spec.name() == "aniso2d") {
        return assemble<V, I>(spec, {n, 2}, star2d(parameter));
    }
    if (spec.name() == "aniso3d") {
        return assemble<V, I>(spec, {n, 3}, star3d(1, 4 + 2 * parameter, parameter));
    }
    return assemble<V, I>(spec, {n, 3}, star3d(1 + parameter, 6 + parameter, 1));
}

}  // namespace

template <class V, class I>
CsrData<V, I> generate_problem(std::string_view text)
{
    const Spec spec(text);
    if (spec.name() == "twophase") {
        return two_phase<V, I>(spec);
    }
    if (spec.name() == "random") {
        return random_problem<V, I>(spec);
    }
    if (spec.name() == "powerlaw") {
        return power_law_problem<V, I>(spec);
    }
    return stencil_problem<V, I>(spec);
}

std::string problem_help()
{
    std::size_t width = 0;
    for (const auto& problem : problems) {
        width = std::max(width, form(problem).size());
    }
    std::string help;
    for (const auto& problem : problems) {
        auto line = form(problem);
        line.resize(width + 2, ' ');
        help += line + std::string(problem.description) + "\n";
    }
    return help;
}

}  // namespace linden
