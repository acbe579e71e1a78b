#include <linden/distributed/mpi.hpp>
#include <linden/distributed/session.hpp>
#include <linden/error.hpp>

#include "core/distributed/session/launcher.hpp"
#include "core/distributed/transport.hpp"

namespace linden::distributed {

Session::Session()
{
    int is_started = 0;
    MPI_Initialized(&is_started);
    if (is_started == 0) {
        if (!is_launched()) {
            return;
        }
        int provided = 0;
        if (const int code = MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided); code != MPI_SUCCESS) {
            throw VendorError("MPI", "MPI_Init_thread", code);
        }
        ends_mpi_ = true;
    }
    int size = 1;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size > 1) {
        world_ = mpi_communicator(MPI_COMM_WORLD);
    }
}

Session::~Session()
{
    if (ends_mpi_ && !world_.transport().has_lost_ranks()) {
        MPI_Finalize();
    }
}

std::string Session::mpi_library()
{
    char text[MPI_MAX_LIBRARY_VERSION_STRING] = {};
    int length = 0;
    MPI_Get_library_version(text, &length);
    const std::string whole(text, static_cast<std::size_t>(length));
    return whole.substr(0, whole.find(','));
}

}  // namespace linden::distributed
