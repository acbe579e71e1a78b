#include "core/base/rank_sums.hpp"

#include "core/base/host_clock.hpp"

namespace linden {

std::byte* RankSums::room_for(std::size_t bytes)
{
    mine_.resize(std::max(mine_.size(), message_bytes(bytes)));
    all_.resize(std::max(all_.size(), message_bytes(bytes) * static_cast<std::size_t>(communicator_.size())));
    return mine_.data() + header_bytes;
}

void RankSums::exchange(std::size_t bytes)
{
    const std::int64_t now = host_clock_ns();
    std::memcpy(mine_.data(), &now, sizeof now);
    communicator_.all_gather(mine_.data(), message_bytes(bytes), all_.data());
    std::memcpy(&clock_, all_.data(), sizeof clock_);
}

}  // namespace linden
