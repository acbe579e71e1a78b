#pragma once

#include <linden/array.hpp>

#include "core/base/rank_link.hpp"
#include "core/kernels/cg_spread.hpp"

namespace linden::distributed {

/// The windows in which the blocks of all ranks' kernels publish what they sum up.
class DeviceGrid {
public:
    /// Collective. `num_blocks`: those of this rank's kernels. @throws VendorError, RemoteError
    DeviceGrid(const Communicator& communicator, RankLink& link, int num_blocks)
        : number_(link.executor(), std::vector<std::uint32_t>(1, 0))
    {
        const auto counts = communicator.all_gather(num_blocks);
        for (std::size_t r = 0; r < counts.size(); ++r) {
            view_.first_blocks[r + 1] = view_.first_blocks[r] + counts[r];
        }
        const auto slots = static_cast<std::size_t>(2 * peer_grid_words * view_.first_blocks[counts.size()]);
        const auto windows = link.make_windows(communicator, slots * 2 * sizeof(std::uint64_t));
        for (std::size_t r = 0; r < windows.size(); ++r) {
            view_.slots[r] = reinterpret_cast<std::uint64_t*>(windows[r]);
        }
        view_.number = number_.data();
        view_.group = link.group();
    }

    const PeerGrid& view() const { return view_; }

private:
    Array<std::uint32_t> number_;
    PeerGrid view_;
};

}  // namespace linden::distributed
