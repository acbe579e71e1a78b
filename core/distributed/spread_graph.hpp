#pragma once

#include <cstdint>
#include <vector>

namespace linden::distributed {

/// The own vertices of a graph that is spread over ranks, in successive numbers: neighbours [ptrs[i], ptrs[i + 1]) of
/// vertex first + i, in numbers of all vertices, ascending, without itself. Both ends of an edge have it.
struct SpreadGraph {
    std::int64_t first = 0, num_vertices = 0;  // of all ranks
    std::vector<std::int64_t> ptrs{0};
    std::vector<std::int64_t> neighbours;
};

}  // namespace linden::distributed
