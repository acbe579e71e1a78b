#include "core/deflation/domains.hpp"

#include <linden/error.hpp>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

// instantiate: struct Deflation<V>
// instantiate: detail::Domains detail::make_domains<V>(const Deflation<V>&, size_type)

namespace linden {
namespace {

constexpr std::string_view kind_names[] = {"stripes", "boxes"};
constexpr std::string_view coarse_names[] = {"inverse", "cholesky"};

/// The part of `count` parts that item `i` of n is in; sizes differ by one at most.
size_type part_of(size_type i, size_type n, size_type count)
{
    const size_type size = n / count;
    const size_type larger = n % count;  // so many parts, the first ones, have one more
    const size_type in_larger = larger * (size + 1);
    return i < in_larger ? i / (size + 1) : larger + (i - in_larger) / size;
}

void check_count(std::string_view name, size_type count, size_type most)
{
    if (count < 1 || count > std::max<size_type>(most, 1)) {
        throw InvalidParameter(name, std::to_string(count), "1 to " + std::to_string(std::max<size_type>(most, 1)));
    }
}

detail::Domains stripes(size_type vectors, size_type rows)
{
    check_count("vectors", vectors, rows);
    detail::Domains result{vectors, {}};
    for (size_type row = 0; row < rows; ++row) {
        result.of_row.push_back(part_of(row, rows, vectors));
    }
    return result;
}

struct Direction {
    size_type points;
    size_type boxes;
};

detail::Domains boxes(const std::array<Direction, 3>& grid, size_type rows)
{
    check_count("nx", grid[0].points, rows);
    check_count("ny", grid[1].points, rows / grid[0].points);
    check_count("nz", grid[2].points, rows / grid[0].points / grid[1].points);
    if (grid[0].points * grid[1].points * grid[2].points != rows) {
        throw InvalidParameter("nx ny nz", std::to_string(grid[0].points * grid[1].points * grid[2].points),
                               std::to_string(rows) + ", the number of rows");
    }
    check_count("boxes_x", grid[0].boxes, grid[0].points);
    check_count("boxes_y", grid[1].boxes, grid[1].points);
    check_count("boxes_z", grid[2].boxes, grid[2].points);
    detail::Domains result{grid[0].boxes * grid[1].boxes * grid[2].boxes, {}};
    for (size_type row = 0; row < rows; ++row) {
        const size_type line = row / grid[0].points;
        const size_type x = part_of(row % grid[0].points, grid[0].points, grid[0].boxes);
        const size_type y = part_of(line % grid[1].points, grid[1].points, grid[1].boxes);
        const size_type z = part_of(line / grid[1].points, grid[2].points, grid[2].boxes);
        result.of_row.push_back((z * grid[1].boxes + y) * grid[0].boxes + x);
    }
    return result;
}

detail::Domains given(const std::vector<size_type>& domains, size_type rows)
{
    if (static_cast<size_type>(domains.size()) != rows) {
        throw InvalidParameter("domains", std::to_string(domains.size()) + " values", std::to_string(rows));
    }
    detail::Domains result{0, domains};
    for (const auto domain : domains) {
        if (domain < 0 || domain >= rows) {
            throw InvalidParameter("domains", std::to_string(domain), "numbers from 0, less than that of rows");
        }
        result.num_domains = std::max(result.num_domains, domain + 1);
    }
    return result;
}

}  // namespace

template <class V>
void Deflation<V>::describe(ParameterVisitor& v)
{
    v.choice("kind", kind, kind_names, "stripes of successive rows, or boxes of a grid");
    v("vectors", vectors, "number of stripes");
    v("nx", nx, "for boxes: points of the grid in x, which rows follow first");
    v("ny", ny, "points in y");
    v("nz", nz, "points in z");
    v("boxes_x", boxes_x, "boxes in x");
    v("boxes_y", boxes_y, "boxes in y");
    v("boxes_z", boxes_z, "boxes in z");
    v.choice("coarse", coarse, coarse_names, "how Z^H A Z is solved with: its inverse, or factors");
}

template <class V>
detail::Domains detail::make_domains(const Deflation<V>& options, size_type rows)
{
    if (!options.domains.empty()) {
        return given(options.domains, rows);
    }
    if (options.kind == DeflationKind::stripes) {
        return stripes(options.vectors, rows);
    }
    return boxes({Direction{options.nx, options.boxes_x}, Direction{options.ny, options.boxes_y},
                  Direction{options.nz, options.boxes_z}},
                 rows);
}

}  // namespace linden
