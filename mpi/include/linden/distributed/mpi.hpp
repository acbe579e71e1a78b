#pragma once

#include <linden/distributed/communicator.hpp>

#include <mpi.h>

namespace linden {

/// Collective. The processes of an MPI communicator, which is duplicated, so that messages of the program and of the
/// library do not meet. MPI must have been started, and is called by one thread at a time (MPI_THREAD_FUNNELED is
/// enough if that is the main one). The duplicate is not freed, since that would be collective, too.
/// @throws VendorError
LINDEN_EXPORT Communicator mpi_communicator(MPI_Comm comm);

}  // namespace linden
