#include "core/deflation/metis/partition.hpp"

#include <linden/error.hpp>

#include <limits>
#include <string>

#include <metis.h>

namespace linden::detail {

std::vector<size_type> parts_by_metis(const Graph& graph, size_type count)
{
    constexpr size_type most = std::numeric_limits<idx_t>::max();
    if (graph.size() > most || static_cast<size_type>(graph.neighbours.size()) > most) {
        throw NotSupported("kind=metis", "the graph is too large for the indices of this METIS, of " +
                                             std::to_string(8 * sizeof(idx_t)) + " bits");
    }
    if (count == 1) {  // METIS divides by the logarithm of the count
        return std::vector<size_type>(static_cast<std::size_t>(graph.size()));
    }
    std::vector<idx_t> ptrs(graph.ptrs.begin(), graph.ptrs.end());
    std::vector<idx_t> neighbours(graph.neighbours.begin(), graph.neighbours.end());
    std::vector<idx_t> parts(static_cast<std::size_t>(graph.size()));
    idx_t num_vertices = static_cast<idx_t>(graph.size()), num_constraints = 1, num_edges_cut = 0;
    idx_t num_parts = static_cast<idx_t>(count);
    idx_t options[METIS_NOPTIONS];
    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_SEED] = 1;
    const int status =
        METIS_PartGraphKway(&num_vertices, &num_constraints, ptrs.data(), neighbours.data(), nullptr, nullptr, nullptr,
                            &num_parts, nullptr, nullptr, options, &num_edges_cut, parts.data());
    if (status != METIS_OK) {
        throw NotSupported("kind=metis", "METIS failed with status " + std::to_string(status));
    }
    return {parts.begin(), parts.end()};
}

}  // namespace linden::detail
