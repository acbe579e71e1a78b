#include "core/distributed/halo.hpp"

namespace linden::distributed {
namespace {

/// The ranges of the lists, one after the other, that are not empty.
void append(const std::vector<std::vector<std::int64_t>>& lists, std::vector<GhostMap::Range>& ranges)
{
    size_type first = 0;
    for (std::size_t r = 0; r < lists.size(); ++r) {
        const auto count = static_cast<size_type>(lists[r].size());
        if (count > 0) {
            ranges.push_back({static_cast<int>(r), first, count});
        }
        first += count;
    }
}

}  // namespace

GhostMap make_ghost_map(const Communicator& communicator, const Partition& partition, std::vector<std::int64_t> ghosts)
{
    GhostMap map;
    map.ghosts = std::move(ghosts);
    std::vector<std::vector<std::int64_t>> wanted(static_cast<std::size_t>(communicator.size()));
    for (const auto row : map.ghosts) {
        wanted[static_cast<std::size_t>(partition.owner(row))].push_back(row);
    }
    append(wanted, map.receives);
    const auto asked = detail::exchange_lists(communicator, wanted);
    append(asked, map.sends);
    const auto first = partition.first(communicator.rank());
    map.first_own = first;
    for (const auto& rows : asked) {
        for (const auto row : rows) {
            map.send_rows.push_back(row - first);
        }
    }
    return map;
}

}  // namespace linden::distributed
