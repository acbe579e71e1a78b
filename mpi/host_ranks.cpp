#include "mpi/host_ranks.hpp"

#include <linden/error.hpp>

#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>

namespace linden {
namespace {

/// The running system and the container in it: within them numbers of processes mean the same. Empty if unknown.
std::string place_of_processes()
{
    std::string boot;
    std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
    std::array<char, 64> space{};
    const auto length = readlink("/proc/self/ns/pid", space.data(), space.size() - 1);
    return boot.empty() || length <= 0 ? std::string() : boot + space.data();
}

/// What ranks tell each other.
struct Identity {
    char place[128] = {};
    std::int64_t id = 0;
    std::uint64_t start = 0;
};

}  // namespace

HostRanks::HostRanks(MPI_Comm comm)
{
    int rank = 0, size = 1;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    Identity mine;
    place_of_processes().copy(mine.place, sizeof mine.place - 1);
    mine.id = getpid();
    mine.start = start_of(getpid());
    std::vector<Identity> all(static_cast<std::size_t>(size));
    if (const int code = MPI_Allgather(&mine, sizeof mine, MPI_BYTE, all.data(), sizeof mine, MPI_BYTE, comm);
        code != MPI_SUCCESS) {
        throw VendorError("MPI", "MPI_Allgather", code);
    }
    for (int other = 0; other < size; ++other) {
        const auto& theirs = all[static_cast<std::size_t>(other)];
        const auto id = static_cast<pid_t>(theirs.id);
        if (other != rank && mine.place[0] != 0 && std::strcmp(mine.place, theirs.place) == 0 && theirs.start != 0 &&
            start_of(id) == theirs.start) {
            others_.push_back({other, {id, theirs.start}, false});
        }
    }
}

int HostRanks::find_ended()
{
    if (others_.empty()) {
        return -1;
    }
    const auto now = std::chrono::steady_clock::now();
    if (now < next_) {
        return -1;
    }
    next_ = now + interval;
    for (auto& other : others_) {
        const bool has_ended = start_of(other.process.id) != other.process.start;
        if (has_ended && other.had_ended) {
            return other.rank;
        }
        other.had_ended = has_ended;
    }
    return -1;
}

/// When the process began, in ticks; 0 if it has ended, also where its end has not been asked for (a zombie).
std::uint64_t HostRanks::start_of(pid_t id)
{
    std::ifstream file("/proc/" + std::to_string(id) + "/stat");
    std::string line;
    if (!std::getline(file, line)) {
        return 0;
    }
    constexpr int fields_to_start = 19;  // behind the state, which follows the name in brackets [proc(5)]
    std::istringstream fields(line.substr(line.rfind(')') + 1));
    char state = 0;
    std::uint64_t value = 0;
    std::string skipped;
    fields >> state;
    for (int i = 1; i < fields_to_start; ++i) {
        fields >> skipped;
    }
    fields >> value;
    return state == 'Z' || state == 'X' ? 0 : value;
}

}  // namespace linden
