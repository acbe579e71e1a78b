#pragma once

#include "core/distributed/range_exchange.hpp"
#include "core/kernels/array.hpp"

namespace linden::distributed {

/// Values of all positions of an extent, of which the ghosts' come from their owners.
template <class T>
void fill_ghosts(const Communicator& ranks, const GhostMap& map, const Extent& extent, T* values)
{
    std::vector<T> sent, received(map.ghosts.size());
    for (const auto row : map.send_rows) {
        sent.push_back(values[extent.num_lower() + row]);
    }
    exchange_ranges(ranks, sent.data(), map.sends, received.data(), map.receives);
    const auto upper = received.begin() + extent.num_lower();
    std::copy(received.begin(), upper, values);
    std::copy(upper, received.end(), values + extent.num_lower() + extent.num_own());
}
/// The same for arrays on an executor, again and again. I: an index type.
template <class I>
class GhostFiller {
public:
    /// Collective. map, extent: live as long as this.
    GhostFiller(const Executor& exec, const Communicator& ranks, const GhostMap& map, const Extent& extent)
        : ranks_(ranks),
          map_(map),
          extent_(extent),
          exchange_(exec, ranks, map.sends, places(map, extent)),
          send_rows_(exec, exec.state().is_host() ? std::vector<I>()
                                                  : std::vector<I>(map.send_rows.begin(), map.send_rows.end()))
    {
    }
    /// Collective.
    template <class T>
    void operator()(Array<T>& values, Failures failures = Failures::thrown)
    {
        const auto& exec = send_rows_.executor();
        if (exec.state().is_host()) {
            fill_ghosts(ranks_, map_, extent_, values.data());
            return;
        }
        const auto* const own = reinterpret_cast<const std::uint32_t*>(values.data() + extent_.num_lower());
        exchange_.of_packed(
            [&](const GhostMap::Range& range, T* target) {
                array_pick<I>(exec, range.count, static_cast<int>(sizeof(T) / sizeof(std::uint32_t)),
                              send_rows_.data() + range.first, own, reinterpret_cast<std::uint32_t*>(target));
            },
            values.data(), failures);
    }

private:
    /// Where ghosts stand among all values: those of a rank are all below the own ones or all above.
    static std::vector<GhostMap::Range> places(const GhostMap& map, const Extent& extent)
    {
        auto ranges = map.receives;
        for (auto& range : ranges) {
            range.first += range.first < extent.num_lower() ? 0 : extent.num_own();
        }
        return ranges;
    }

    Communicator ranks_;
    const GhostMap& map_;
    const Extent& extent_;
    RangeExchange exchange_;
    Array<I> send_rows_;
};
template <class I, class T>
void fill_ghosts(const Communicator& ranks, const GhostMap& map, const Extent& extent, Array<T>& values)
{
    GhostFiller<I>(values.executor(), ranks, map, extent)(values);
}

}  // namespace linden::distributed
