#pragma once

#include <linden/distributed/communicator.hpp>

#include <string>

namespace linden::distributed {

/// The processes that a launcher such as mpirun has started together, for as long as the session lives. A program has
/// at most one session, in `main`. Without a launcher the program is alone, and nothing of MPI is touched.
///
/// A program that calls MPI itself makes its communicator by `linden/distributed/mpi.hpp` instead.
class LINDEN_EXPORT Session {
public:
    /// Starts MPI, unless the program has. @throws NotSupported if a launcher started several processes and the build
    /// has no MPI, VendorError
    Session();
    /// Ends MPI, if the constructor started it. Not if a rank has ended without a word: all ranks would wait for it.
    ~Session();
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    const Communicator& world() const { return world_; }
    /// The MPI library of this build, e.g. `Open MPI v4.1.4`; `none`.
    static std::string mpi_library();

private:
    Communicator world_ = Communicator::self();
    bool ends_mpi_ = false;
};

}  // namespace linden::distributed
