#pragma once

#include "core/distributed/device_halo.hpp"
#include "core/distributed/rows_of.hpp"
#include "core/distributed/spread_rows.hpp"

namespace linden::distributed {

/// The exchange of ghosts in vectors whose rows are those of an extent. Where the ranks' devices are peers it is two
/// kernels, which the host does not wait for. One exchange at a time.
template <class V, class I>
class GhostExchange {
public:
    /// Collective. map: of the extent's ghosts.
    GhostExchange(const Executor& exec, const Communicator& ranks, const Extent& extent, const GhostMap& map)
        : exec_(exec),
          ranks_(ranks),
          num_lower_(extent.num_lower()),
          num_own_(extent.num_own()),
          halo_(exec, ranks, map)
    {
        if (!exec.is_host() && !ranks.is_single()) {
            device_halo_.emplace(ranks, RankLink::find(ranks, exec), halo_, DeviceHalo<V, I>::Beside::nothing);
        }
    }
    GhostExchange(const GhostExchange&) = delete;
    GhostExchange& operator=(const GhostExchange&) = delete;

    size_type num_ghosts() const { return halo_.num_ghosts(); }
    /// Whether nothing but kernels is needed.
    bool is_peer() const { return device_halo_ && device_halo_->is_peer(); }
    /// Whether the host carries the messages, and waits for them.
    bool needs_host() const { return !device_halo_ || device_halo_->needs_host(); }
    /// Collective for each number of columns at its first use, where the ranks are peers.
    void make_room(size_type cols)
    {
        if (!is_peer()) {
            return;
        }
        if (exec_.state().is_recording()) {
            device_halo_->make_room(cols);  // what it throws makes the loop run its body once before, on all ranks
        } else {
            ranks_.guard([&] { device_halo_->make_room(cols); });
        }
    }
    /// Collective. x: size x k, for k columns that there is room for.
    void operator()(DenseView<V> x) { (*this)(rows_of(x, num_lower_, num_own_), x); }
    /// Collective. The ghosts of the vector with these own rows: those below them to the first rows of x, those above
    /// to its last ones. What is between stays.
    void operator()(DenseView<const V> own, DenseView<V> x)
    {
        const auto num_between = x.rows - halo_.num_ghosts();
        if (is_peer()) {
            device_halo_->start(own);
            exchange_receive<V>(exec_, device_halo_->finish(x.cols), num_lower_, num_between, x);
            return;
        }
        const auto ghosts = exchange(own);
        copy(ghosts, 0, x, 0, num_lower_);
        copy(ghosts, num_lower_, x, num_lower_ + num_between, halo_.num_ghosts() - num_lower_);
    }

private:
    DenseView<const V> exchange(DenseView<const V> own)
    {
        if (device_halo_) {
            device_halo_->start(own);
            return device_halo_->finish(own.cols).values;
        }
        halo_.start(own);
        return halo_.finish();
    }
    void copy(DenseView<const V> source, size_type from, DenseView<V> target, size_type to, size_type count) const
    {
        if (count > 0) {
            dense_copy<V>(exec_, rows_of(source, from, count), rows_of(target, to, count));
        }
    }

    Executor exec_;
    Communicator ranks_;
    size_type num_lower_, num_own_;
    Halo<V, I> halo_;
    std::optional<DeviceHalo<V, I>> device_halo_;
};

}  // namespace linden::distributed
