#pragma once

#include <linden/distributed/communicator.hpp>

#include <mpi.h>

#include <vector>

#include "core/distributed/spread_graph.hpp"

namespace linden::distributed {

/// The part of each own vertex. Collective; `ranks` are those of `comm`. While PT-Scotch works, ranks wait in MPI and
/// do not hear of the failure of another.
/// @throws NotSupported on all ranks if the build has no PT-Scotch, or it fails
std::vector<std::int32_t> parts_by_ptscotch(MPI_Comm comm, const SpreadGraph& graph, int num_parts,
                                            const Communicator& ranks);

}  // namespace linden::distributed
