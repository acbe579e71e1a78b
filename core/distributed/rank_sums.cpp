#include "core/base/rank_sums.hpp"

#include "core/base/host_clock.hpp"
#include "core/distributed/transport.hpp"

namespace linden {

std::byte* RankSums::room_for(std::size_t bytes)
{
    if (pending_ != nullptr) {
        throw Error("sums over ranks while others are on their way");
    }
    begin_of_last_ = held_bytes_;
    mine_.resize(held_bytes_ + (bytes + 15) / 16 * 16);
    return mine_.data() + begin_of_last_;
}

void RankSums::stamp()
{
    const std::int64_t now = host_clock_ns();
    std::memcpy(mine_.data(), &now, sizeof now);
    all_.resize(mine_.size() * static_cast<std::size_t>(communicator_.size()));
}

void RankSums::exchange()
{
    stamp();
    communicator_.all_gather(mine_.data(), mine_.size(), all_.data());
    std::memcpy(&clock_, all_.data(), sizeof clock_);
}

void RankSums::start()
{
    if (held_.empty()) {
        return;
    }
    mine_.resize(held_bytes_);
    stamp();
    auto& transport = communicator_.transport();
    ++transport.counters.gathers;
    const AddSeconds timer(transport.gather_seconds);
    pending_ = transport.start_gather(mine_.data(), mine_.size(), all_.data());
}

void RankSums::release()
{
    is_holding_ = false;
    if (held_.empty()) {
        return;
    }
    const auto arrived = std::move(held_);
    held_.clear();
    if (const auto pending = std::move(pending_); pending != nullptr) {
        const AddSeconds timer(communicator_.transport().gather_seconds);
        pending->wait();
        std::memcpy(&clock_, all_.data(), sizeof clock_);
    } else {
        mine_.resize(held_bytes_);
        exchange();
    }
    held_bytes_ = header_bytes;
    for (const auto& held : arrived) {
        held.arrive(held.at);
    }
}

void RankSums::discard() noexcept
{
    is_holding_ = false;
    pending_ = nullptr;
    held_.clear();
    held_bytes_ = header_bytes;
}

}  // namespace linden
