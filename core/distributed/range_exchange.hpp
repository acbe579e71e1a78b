#pragma once

#include <array>
#include <bit>
#include <utility>

#include "core/base/rank_link.hpp"
#include "core/distributed/extent.hpp"
#include "core/distributed/halo.hpp"
#include "core/kernels/exchange.hpp"

/// Exchanges of ranges of arrays, as set-ups need them: from device to device, where the ranks' devices are peers.
namespace linden::distributed {

/// Collective. Sends the ranges of `sent` and waits for those of `received`, both on the host.
template <class T>
void exchange_ranges(const Communicator& ranks, const T* sent, const std::vector<GhostMap::Range>& sends, T* received,
                     const std::vector<GhostMap::Range>& receives)
{
    if (sends.empty() && receives.empty()) {
        return;
    }
    const auto pending = start_ranges(ranks, const_cast<T*>(sent), sends, received, receives, 1);
    const AddSeconds timer(ranks.transport().exchange_seconds);
    pending->wait();
}

/// A window on each rank into which others copy what they send it: two halves in turn. Who copies to a half again
/// has seen all ranks at the end of the exchange between, when their copies out of it were done.
class PeerInbox {
public:
    explicit PeerInbox(std::shared_ptr<RankLink> link) : link_(std::move(link)) {}

    /// That of an executor, whose device is a peer of those of the other ranks; null if it is not.
    static std::shared_ptr<PeerInbox> find(const Communicator& ranks, const Executor& exec)
    {
        const auto link = exec.state().is_host() || ranks.is_single() ? nullptr : RankLink::find(ranks, exec);
        if (link == nullptr || !link->is_peer()) {
            return nullptr;
        }
        auto& all = ranks.transport().inboxes;
        const auto at = std::find_if(all.begin(), all.end(), [&](const auto& inbox) { return inbox->link_ == link; });
        return at != all.end() ? *at : all.emplace_back(std::make_shared<PeerInbox>(link));
    }

    /// Collective, with the same number of bytes on all ranks. The windows of all for the next exchange.
    std::vector<std::byte*> next(const Communicator& ranks, std::size_t bytes)
    {
        if (bytes > half_bytes_) {
            const auto wanted = std::bit_ceil(std::max(bytes, least_bytes));
            windows_ = link_->make_windows(ranks, 2 * wanted);
            half_bytes_ = wanted;
        }
        turn_ = 1 - turn_;
        auto halves = windows_;
        for (auto& half : halves) {
            half += static_cast<std::size_t>(turn_) * half_bytes_;
        }
        return halves;
    }

private:
    /// Windows are never freed, so few are made.
    static constexpr std::size_t least_bytes = std::size_t{1} << 20;

    std::shared_ptr<RankLink> link_;
    std::vector<std::byte*> windows_;
    std::size_t half_bytes_ = 0;
    int turn_ = 0;
};

/// What an exchange between devices does where another rank fails: it throws, which the host waits for, or a later act
/// does, and until then what has arrived is anything.
enum class Failures { thrown, thrown_later };

/// The exchange of the same ranges again and again, of arrays on an executor. Each rank has at most one range from and
/// one for each other.
class RangeExchange {
public:
    /// Collective.
    RangeExchange(const Executor& exec, const Communicator& ranks, std::vector<GhostMap::Range> sends,
                  std::vector<GhostMap::Range> receives)
        : exec_(exec),
          ranks_(ranks),
          sends_(std::move(sends)),
          receives_(std::move(receives)),
          inbox_(PeerInbox::find(ranks, exec)),
          link_(exec.state().is_host() || ranks.is_single() ? nullptr : RankLink::find(ranks, exec))
    {
        if (inbox_ == nullptr) {
            return;
        }
        Places mine{};
        for (const auto& range : receives_) {
            mine.first[static_cast<std::size_t>(range.rank)] = mine.total;
            mine.total += range.count;
        }
        for (const auto& theirs : ranks_.all_gather(mine)) {
            most_ = std::max(most_, theirs.total);
            first_there_.push_back(theirs.first[static_cast<std::size_t>(ranks_.rank())]);
        }
    }

    /// Collective.
    template <class T>
    void operator()(const T* sent, T* received)
    {
        if (exec_.state().is_host()) {
            exchange_ranges(ranks_, sent, sends_, received, receives_);
            return;
        }
        of_packed([&](const GhostMap::Range& range,
                      T* target) { copy_within(exec_, sent + range.first, target, range.count); },
                  received);
    }
    /// Collective, on devices. pack(range, target): has the executor put what is sent in a range there.
    template <class T, class Pack>
    void of_packed(const Pack& pack, T* received, Failures failures = Failures::thrown)
    {
        if (inbox_ != nullptr) {
            between_peers(pack, received, failures);
        } else if (link_ != nullptr && link_->has_messages()) {
            by_messages(pack, received);
            if (failures == Failures::thrown) {
                exec_.synchronize();
            }
        } else {
            by_the_host(pack, received);
        }
    }

private:
    /// Where messages from each rank are put among those for one, and how long all are; in values.
    struct Places {
        std::array<std::int64_t, max_peers> first;
        std::int64_t total;
    };

    /// The same ranges one after the other.
    static std::vector<GhostMap::Range> in_a_row(std::vector<GhostMap::Range> ranges)
    {
        size_type begin = 0;
        for (auto& range : ranges) {
            range.first = std::exchange(begin, begin + range.count);
        }
        return ranges;
    }
    static size_type end_of(const std::vector<GhostMap::Range>& in_a_row)
    {
        return in_a_row.empty() ? 0 : in_a_row.back().first + in_a_row.back().count;
    }
    template <class T, class Pack>
    void by_messages(const Pack& pack, T* received)
    {
        if (sends_.empty() && receives_.empty()) {
            return;
        }
        const auto leaving = in_a_row(sends_);
        Array<T> sent(exec_, end_of(leaving));
        for (std::size_t i = 0; i < leaving.size(); ++i) {
            pack(sends_[i], sent.data() + leaving[i].first);
        }
        link_->start_exchange(ranks_, messages_of(sent.data(), leaving, 1), messages_of(received, receives_, 1));
        link_->finish_exchange();
    }
    template <class T, class Pack>
    void by_the_host(const Pack& pack, T* received)
    {
        const auto leaving = in_a_row(sends_), arriving = in_a_row(receives_);
        Array<T> sent(exec_, end_of(leaving));
        for (std::size_t i = 0; i < leaving.size(); ++i) {
            pack(sends_[i], sent.data() + leaving[i].first);
        }
        std::vector<T> incoming(static_cast<std::size_t>(end_of(arriving)));
        exchange_ranges(ranks_, sent.to_host().data(), leaving, incoming.data(), arriving);
        for (std::size_t i = 0; i < arriving.size(); ++i) {
            Array<T>::view(exec_, arriving[i].count, received + receives_[i].first)
                .copy_from_host(incoming.data() + arriving[i].first);
        }
    }
    template <class T, class Pack>
    void between_peers(const Pack& pack, T* received, Failures failures)
    {
        auto& transport = ranks_.transport();
        const AddSeconds timer(transport.exchange_seconds);
        const auto windows = inbox_->next(ranks_, static_cast<std::size_t>(most_) * sizeof(T));
        ++transport.counters.exchanges;
        for (const auto& range : sends_) {
            const auto to = static_cast<std::size_t>(range.rank);
            pack(range, reinterpret_cast<T*>(windows[to]) + first_there_[to]);
            transport.counters.bytes_sent += static_cast<std::size_t>(range.count) * sizeof(T);
        }
        // Behind this what others have sent is there.
        if (failures == Failures::thrown) {
            exec_.synchronize();
            (void)ranks_.all_gather(std::int32_t{0});
        } else {
            exchange_meet(exec_, link_->group());
        }
        const auto* from = reinterpret_cast<const T*>(windows[static_cast<std::size_t>(ranks_.rank())]);
        for (const auto& range : receives_) {
            copy_within(exec_, from, received + range.first, range.count);
            from += range.count;
        }
    }

    Executor exec_;
    Communicator ranks_;
    std::vector<GhostMap::Range> sends_, receives_;
    std::shared_ptr<PeerInbox> inbox_;
    std::shared_ptr<RankLink> link_;         // on devices
    std::int64_t most_ = 0;                  // values for any rank
    std::vector<std::int64_t> first_there_;  // where each rank wants what it gets from this one
};

/// The values of all ranks in their order, on each; again and again, of arrays on an executor.
class RangeGather {
public:
    /// Collective. `count`: values of this rank.
    RangeGather(const Executor& exec, const Communicator& ranks, size_type count)
        : exec_(exec),
          ranges_(ranges_of(ranks.all_gather(count))),
          own_(ranges_[static_cast<std::size_t>(ranks.rank())]),
          exchange_(exec, ranks, to_others(), from_others())
    {
    }

    size_type total() const { return ranges_.back().first + ranges_.back().count; }
    /// Where those of this rank begin.
    size_type first() const { return own_.first; }
    /// Collective. all: total() values.
    template <class T>
    void operator()(const T* mine, T* all)
    {
        exchange_(mine, all);
        copy_within(exec_, mine, all + own_.first, own_.count);
    }

private:
    static std::vector<GhostMap::Range> ranges_of(const std::vector<size_type>& counts)
    {
        std::vector<GhostMap::Range> ranges;
        size_type first = 0;
        for (const auto count : counts) {
            ranges.push_back({static_cast<int>(ranges.size()), first, count});
            first += count;
        }
        return ranges;
    }
    std::vector<GhostMap::Range> from_others() const
    {
        std::vector<GhostMap::Range> others;
        std::copy_if(ranges_.begin(), ranges_.end(), std::back_inserter(others),
                     [&](const auto& range) { return range.rank != own_.rank && range.count > 0; });
        return others;
    }
    std::vector<GhostMap::Range> to_others() const
    {
        std::vector<GhostMap::Range> others;
        for (const auto& range : ranges_) {
            if (range.rank != own_.rank && own_.count > 0) {
                others.push_back({range.rank, 0, own_.count});
            }
        }
        return others;
    }

    Executor exec_;
    std::vector<GhostMap::Range> ranges_;  // of each rank
    GhostMap::Range own_;
    RangeExchange exchange_;
};

}  // namespace linden::distributed
