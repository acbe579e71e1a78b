#include "core/base/rank_sums.hpp"

#include "core/base/host_clock.hpp"

namespace linden {

std::byte* RankSums::room_for(std::size_t bytes)
{
    begin_of_last_ = held_bytes_;
    mine_.resize(held_bytes_ + (bytes + 15) / 16 * 16);
    return mine_.data() + begin_of_last_;
}

void RankSums::exchange()
{
    const std::int64_t now = host_clock_ns();
    std::memcpy(mine_.data(), &now, sizeof now);
    all_.resize(mine_.size() * static_cast<std::size_t>(communicator_.size()));
    communicator_.all_gather(mine_.data(), mine_.size(), all_.data());
    std::memcpy(&clock_, all_.data(), sizeof clock_);
}

void RankSums::release()
{
    is_holding_ = false;
    if (held_.empty()) {
        return;
    }
    const auto arrived = std::move(held_);
    held_.clear();
    mine_.resize(held_bytes_);
    exchange();
    held_bytes_ = header_bytes;
    for (const auto& held : arrived) {
        held.arrive(held.at);
    }
}

void RankSums::discard() noexcept
{
    is_holding_ = false;
    held_.clear();
    held_bytes_ = header_bytes;
}

}  // namespace linden
