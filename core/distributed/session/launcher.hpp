#pragma once

#include <cstdlib>

namespace linden::distributed {

/// Whether a launcher of MPI programs started this process, and others with it.
inline bool is_launched()
{
    for (const char* const name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK"}) {
        if (std::getenv(name) != nullptr) {
            return true;
        }
    }
    return false;
}

}  // namespace linden::distributed
