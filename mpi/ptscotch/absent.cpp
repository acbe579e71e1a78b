#include <linden/error.hpp>

#include "mpi/ptscotch/partition.hpp"

namespace linden::distributed {

std::vector<std::int32_t> parts_by_ptscotch(MPI_Comm, const SpreadGraph&, int, const Communicator&)
{
    throw NotSupported("ptscotch",
                       "this build has no PT-Scotch: install libptscotch-dev and configure with LINDEN_PTSCOTCH=ON");
}

}  // namespace linden::distributed
