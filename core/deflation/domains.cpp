#include "core/deflation/domains.hpp"
#include "core/kernels/array.hpp"

#include <linden/error.hpp>
#include <linden/matrix/multiply.hpp>
#include <linden/matrix/operations.hpp>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "core/deflation/metis/partition.hpp"
#include "core/kernels/deflation_setup.hpp"
#include "core/matrix/row_pointers.hpp"

// instantiate: struct Deflation<V>
// instantiate: std::optional<BoxGrid> detail::domain_grid<V>(const Deflation<V>&, size_type)
// instantiate: std::optional<detail::Domains<I>> detail::given_domains<V, I>(const Deflation<V>&, const Executor&, size_type, size_type)
// instantiate: detail::Domains<I> detail::make_domains<V, I>(const Deflation<V>&, const Csr<V, I>&, detail::Symmetry)

namespace linden {
namespace {

constexpr std::string_view kind_names[] = {"stripes", "boxes", "metis"};
constexpr std::string_view coarse_names[] = {"nested_dissection", "inverse", "cholesky"};

void check_count(std::string_view name, size_type count, size_type most)
{
    if (count < 1 || count > std::max<size_type>(most, 1)) {
        throw InvalidParameter(name, std::to_string(count), "1 to " + std::to_string(std::max<size_type>(most, 1)));
    }
}

/// One direction of a grid.
struct Direction {
    std::string_view points_name;
    size_type points;
    std::string_view boxes_name;
    size_type boxes;
};

template <class I>
detail::Domains<I> deal(const Executor& exec, const BoxGrid& grid, size_type rows)
{
    Array<I> of_row(exec, rows);
    deflation_deal_rows<I>(exec, grid, of_row.data());
    return {grid.boxes[0] * grid.boxes[1] * grid.boxes[2], std::move(of_row)};
}

BoxGrid stripes(size_type vectors, size_type rows)
{
    check_count("vectors", vectors, rows);
    return {{rows, 1, 1}, {vectors, 1, 1}};
}

BoxGrid boxes(const std::array<Direction, 3>& directions, size_type rows)
{
    BoxGrid grid;
    size_type left = rows;
    for (std::size_t i = 0; i < 3; ++i) {
        check_count(directions[i].points_name, directions[i].points, left);
        left /= directions[i].points;
        grid.points[i] = directions[i].points;
        grid.boxes[i] = directions[i].boxes;
    }
    if (grid.points[0] * grid.points[1] * grid.points[2] != rows) {
        throw InvalidParameter("nx ny nz", std::to_string(grid.points[0] * grid.points[1] * grid.points[2]),
                               std::to_string(rows) + ", the number of rows");
    }
    for (const auto& direction : directions) {
        check_count(direction.boxes_name, direction.boxes, direction.points);
    }
    return grid;
}

void check_length(size_type length, size_type rows)
{
    if (length != rows) {
        throw InvalidParameter("domains", std::to_string(length) + " values", std::to_string(rows));
    }
}

/// Numbers in the host's memory.
template <class I>
detail::Domains<I> given(const Executor& exec, const std::vector<size_type>& domains, size_type rows,
                         size_type all_rows)
{
    check_length(static_cast<size_type>(domains.size()), rows);
    size_type num_domains = 0;
    std::vector<I> narrow;
    narrow.reserve(domains.size());
    for (const auto domain : domains) {
        if (domain < 0 || domain >= all_rows) {
            throw InvalidParameter("domains", std::to_string(domain), "numbers from 0, less than that of rows");
        }
        num_domains = std::max(num_domains, domain + 1);
        narrow.push_back(static_cast<I>(domain));
    }
    return {num_domains, Array<I>(exec, narrow)};
}

/// Numbers on an executor, this one or another.
template <class I>
detail::Domains<I> given(const Executor& exec, const Array<I>& domains, size_type vectors, size_type rows,
                         size_type all_rows)
{
    check_length(domains.size(), rows);
    check_count("vectors", vectors, all_rows);
    auto of_row = domains.clone(exec);
    Array<I> marks(exec, rows + 1);
    array_mark_outside<I>(exec, rows, of_row.data(), vectors, marks.data());
    const auto num_outside = detail::make_row_ptrs(marks, "domains");
    if (num_outside != 0) {
        throw InvalidParameter("domain_array", std::to_string(num_outside) + " other numbers",
                               "0 to " + std::to_string(vectors - 1) + ", less than vectors");
    }
    return {vectors, std::move(of_row)};
}

/// Whether there is an array. @throws InvalidParameter if its indices are not of type I
template <class I>
const Array<I>* array_of(const DomainArray& domains)
{
    return std::visit(
        []<class J>(const std::shared_ptr<const Array<J>>& array) -> const Array<I>* {
            if constexpr (std::is_same_v<I, J>) {
                return array.get();
            } else if (array != nullptr) {
                throw InvalidParameter("domain_array", name(index_type_of<J>),
                                       "the matrix's indices, " + std::string(name(index_type_of<I>)));
            }
            return nullptr;
        },
        domains);
}

/// The entries off the diagonal of a matrix with a symmetric pattern.
template <class V, class I>
detail::Graph graph_of(const Csr<V, I>& a)
{
    const auto data = a.to_host();
    detail::Graph graph;
    for (size_type row = 0; row < data.size.rows; ++row) {
        const auto first = static_cast<std::size_t>(data.row_ptrs[static_cast<std::size_t>(row)]);
        const auto last = static_cast<std::size_t>(data.row_ptrs[static_cast<std::size_t>(row) + 1]);
        for (auto k = first; k < last; ++k) {
            if (data.col_idxs[k] != row) {
                graph.neighbours.push_back(data.col_idxs[k]);
            }
        }
        graph.ptrs.push_back(static_cast<size_type>(graph.neighbours.size()));
    }
    return graph;
}

template <class V, class I>
detail::Domains<I> parts_of_graph(const Csr<V, I>& a, size_type count, detail::Symmetry symmetry)
{
    check_count("vectors", count, a.size().rows);
    const auto graph =
        symmetry == detail::Symmetry::hermitian ? graph_of(a) : graph_of(add(V{1}, a, V{1}, transpose(a)));
    const auto parts = detail::parts_by_metis(graph, count);
    return {count, Array<I>(a.executor(), std::vector<I>(parts.begin(), parts.end()))};
}

}  // namespace

template <class V>
void Deflation<V>::describe(ParameterVisitor& v)
{
    v.choice("kind", kind, kind_names, "domains: stripes of rows, boxes of a grid, or a graph partition by METIS");
    v("vectors", vectors, "kind=stripes, metis: number of domains, at most the number of rows");
    v("nx", nx, "kind=boxes: grid points in x; rows are numbered with x fastest");
    v("ny", ny, "kind=boxes: grid points in y");
    v("nz", nz, "kind=boxes: grid points in z");
    v("boxes_x", boxes_x, "kind=boxes: number of boxes in x");
    v("boxes_y", boxes_y, "kind=boxes: number of boxes in y");
    v("boxes_z", boxes_z, "kind=boxes: number of boxes in z");
    v.choice("coarse", coarse, coarse_names,
             "solves with E = Z^H A Z: by nested dissection, the full inverse, or Cholesky factors");
}

template <class V>
std::optional<BoxGrid> detail::domain_grid(const Deflation<V>& options, size_type rows)
{
    if (options.kind == DeflationKind::metis) {
        return {};
    }
    if (options.kind == DeflationKind::stripes) {
        return stripes(options.vectors, rows);
    }
    return boxes({Direction{"nx", options.nx, "boxes_x", options.boxes_x},
                  Direction{"ny", options.ny, "boxes_y", options.boxes_y},
                  Direction{"nz", options.nz, "boxes_z", options.boxes_z}},
                 rows);
}

template <class V, class I>
std::optional<detail::Domains<I>> detail::given_domains(const Deflation<V>& options, const Executor& exec,
                                                        size_type rows, size_type all_rows)
{
    if (!options.domains.empty()) {
        return given<I>(exec, options.domains, rows, all_rows);
    }
    if (const auto* const domains = array_of<I>(options.domain_array); domains != nullptr) {
        return given<I>(exec, *domains, options.vectors, rows, all_rows);
    }
    return {};
}

template <class V, class I>
detail::Domains<I> detail::make_domains(const Deflation<V>& options, const Csr<V, I>& matrix, Symmetry symmetry)
{
    const auto& exec = matrix.executor();
    const auto rows = matrix.size().rows;
    if (auto domains = given_domains<V, I>(options, exec, rows, rows)) {
        return *std::move(domains);
    }
    if (const auto grid = domain_grid(options, rows)) {
        return deal<I>(exec, *grid, rows);
    }
    return parts_of_graph(matrix, options.vectors, symmetry);
}

}  // namespace linden
