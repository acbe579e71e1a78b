#include <linden/distributed/session.hpp>
#include <linden/error.hpp>

#include <string_view>

#include "core/distributed/session/launcher.hpp"

namespace linden::distributed {

Session::Session()
{
    const char* const size = std::getenv("OMPI_COMM_WORLD_SIZE");
    if (is_launched() && (size == nullptr || std::string_view(size) != "1")) {
        throw NotSupported("several processes", "this build has no MPI: configure with LINDEN_BUILD_MPI=ON");
    }
}

Session::~Session() = default;

std::string Session::mpi_library() { return "none"; }

}  // namespace linden::distributed
