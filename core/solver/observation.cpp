#include "core/solver/observation.hpp"

#include <linden/error.hpp>

#include <algorithm>

// instantiate: class Observation<V>

namespace linden {
namespace {

constexpr std::chrono::milliseconds between_looks{50};
/// The first looks come sooner, so that short solves are judged, too; a look takes some microseconds, on a device
/// some tens.
constexpr std::chrono::microseconds least_between_looks{100}, least_between_looks_at_device{500};

/// How long to wait for the next look at a solve that has taken so long.
template <class Duration>
Duration wait_after(Duration so_far, Duration least)
{
    return std::clamp<Duration>(so_far / 8, least, between_looks);
}

}  // namespace

template <class V>
Observation<V>::Observation(SolveObserver* observer, const Executor& exec, StopState<real_t<V>>& stop)
    : observer_(observer),
      exec_(exec),
      stop_(stop),
      start_(Clock::now()),
      next_(start_)
{
    // An inspector runs a kernel again from the same memory, which no other thread may change meanwhile.
    if (observer_ != nullptr && !exec_.is_host() && exec_.state().inspector() == nullptr) {
        thread_ = std::thread([this] { watch(); });
    }
}

template <class V>
Observation<V>::~Observation()
{
    if (!thread_.joinable()) {
        return;
    }
    {
        const std::lock_guard lock(mutex_);
        is_over_ = true;
    }
    over_.notify_one();
    thread_.join();
}

template <class V>
void Observation<V>::look(const Communicator& ranks)
{
    if (ranks.is_single()) {
        look_here();
        return;
    }
    ++num_calls_;
    if (num_calls_ < next_call_ || has_ended()) {
        return;
    }
    const auto verdict = [&] {
        look_here();
        return has_ended() ? std::int64_t{-1} : calls_to_wait();
    };
    const auto calls = ranks.from_first(verdict);
    if (calls < 0 && !has_ended()) {
        end(exec_);
    }
    next_call_ = num_calls_ + calls;
}

template <class V>
void Observation<V>::look_here()
{
    const auto now = Clock::now();
    if (now >= next_ && !has_ended_) {
        next_ = now + wait_after<Clock::duration>(now - start_, least_between_looks);
        show(exec_);
    }
}

template <class V>
std::int64_t Observation<V>::calls_to_wait() const
{
    const auto now = Clock::now();
    const std::chrono::duration<double> so_far = now - start_, rest = next_ - now;
    const auto calls = static_cast<double>(num_calls_);
    return static_cast<std::int64_t>(std::clamp(rest / std::max(so_far, decltype(so_far)(1e-9)) * calls, 1.0, calls));
}

template <class V>
bool Observation<V>::has_ended() const
{
    const std::lock_guard lock(mutex_);
    return has_ended_;
}

template <class V>
void Observation<V>::show(const Executor& exec)
{
    const StopSnapshot<real_t<V>> state(stop_, exec);
    if (!observer_->observe(state.info())) {
        end(exec);
    }
}

template <class V>
void Observation<V>::end(const Executor& exec)
{
    move_deadline(exec);
    const std::lock_guard lock(mutex_);
    has_ended_ = true;
}

template <class V>
void Observation<V>::move_deadline(const Executor& exec)
{
    copy_bytes(detail::host(), &ended_deadline, exec, &stop_.view().header->deadline, sizeof ended_deadline);
}

/// The thread of a device. Where the device fails, the solve says so itself. The other executor takes some milliseconds
/// to make, and the solve waits for them (5 ms on an H200), which short solves are spared where it is not there yet.
template <class V>
void Observation<V>::watch()
{
    const auto pause = [this]() -> Clock::duration {
        return exec_.state().has_aside()
                   ? wait_after<Clock::duration>(Clock::now() - start_, least_between_looks_at_device)
                   : between_looks;
    };
    std::unique_lock lock(mutex_);
    while (!has_ended_ && !over_.wait_for(lock, pause(), [this] { return is_over_; })) {
        lock.unlock();
        try {
            show(exec_.state().aside());
        } catch (const Error&) {
            return;
        }
        lock.lock();
    }
}

}  // namespace linden
