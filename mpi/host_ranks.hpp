#pragma once

#include <mpi.h>
#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace linden {

/// Whether the other ranks of this host still run: of one that has been killed a launcher that lets the others live on
/// tells them nothing, and they would wait for ever. By what Linux shows of processes; elsewhere, and of ranks in other
/// containers, nothing is known.
class HostRanks {
public:
    /// Collective. @throws VendorError
    explicit HostRanks(MPI_Comm comm);

    /// A rank of this host that has ended, -1 if there is none; it has ended for `interval` at least, so what it had
    /// sent has arrived. Looks once in each interval.
    int find_ended();

    static constexpr std::chrono::milliseconds interval{250};

private:
    /// A number of a process is given again, but with another start.
    struct Process {
        pid_t id;
        std::uint64_t start;
    };
    struct Other {
        int rank;
        Process process;
        bool had_ended;  // when last looked for
    };

    static std::uint64_t start_of(pid_t id);

    std::vector<Other> others_;
    std::chrono::steady_clock::time_point next_{};
};

}  // namespace linden
