#pragma once

#if defined(__x86_64__) || defined(__i386__)
#include <immintrin.h>
#endif

#include <atomic>
#include <thread>

#include "omp/team/clock.hpp"

/// How threads of a team wait for each other within a kernel: for times much shorter than the system's.
namespace linden::omp {

/// Asks again and again, and lets others have the processor after a while: the one waited for may have none. Waits that
/// last so long are added to the thread's `waited_times`.
template <class Condition>
void wait_until(const Condition& holds)
{
    constexpr int max_spins = 500;
    for (int spins = 0; spins < max_spins; ++spins) {
        if (holds()) {
            return;
        }
#if defined(__x86_64__) || defined(__i386__)
        _mm_pause();
#endif
    }
    const auto begin = ThreadTimes::read();
    while (!holds()) {
        std::this_thread::yield();
    }
    waited_times() += ThreadTimes::read() - begin;
}

/// The waits of the calling thread that lasted, since the last question.
class WaitMeter {
public:
    Nanoseconds since_last()
    {
        const auto last = last_;
        last_ = waited_times().wall;
        return last_ - last;
    }

private:
    Nanoseconds last_ = waited_times().wall;
};

/// Below that, waits are no sign of a thread without a processor.
inline constexpr Nanoseconds least_stall = 500'000;

/// Ends a team within a region where its threads hold each other up: one that does little but wait becomes the only
/// one, since it has a processor; the others leave as soon as what they have begun is done. For work that is dealt out
/// in an order in which what comes first waits for nothing that comes later. One object for each team.
class Survivor {
public:
    /// Whether `thread` takes more work, when it has waited so long since its work on the region began.
    bool goes_on(int thread, int threads, Nanoseconds waited, Nanoseconds begin)
    {
        int survivor = survivor_.load(std::memory_order_relaxed);
        const bool stalls =
            survivor == nobody && waited > least_stall && waited * threads > (now() - begin) * (threads - 1);
        if (stalls && survivor_.compare_exchange_strong(survivor, thread, std::memory_order_relaxed)) {
            return true;
        }
        return survivor == nobody || survivor == thread;
    }

private:
    static constexpr int nobody = -1;
    alignas(64) std::atomic<int> survivor_{nobody};
};

/// One thread's place in a team that a survivor may remain of: take work while goes_on().
class TeamMember {
public:
    TeamMember(Survivor& survivor, int thread, int threads)
        : survivor_(survivor),
          thread_(thread),
          threads_(threads),
          begin_(threads == 1 ? 0 : now())
    {
    }

    bool goes_on()
    {
        waited_ += meter_.since_last();
        return threads_ == 1 || survivor_.goes_on(thread_, threads_, waited_, begin_);
    }

private:
    Survivor& survivor_;
    int thread_;
    int threads_;
    WaitMeter meter_;
    Nanoseconds waited_ = 0;
    Nanoseconds begin_;
};

/// Lets nobody pass before all have come. OpenMP's own calls the system each time, some microseconds. What threads did
/// before comes before what others do after, for the thread sanitizer, too.
class SpinBarrier {
public:
    /// The last to come calls last() before all pass.
    template <class Last>
    void wait(int num_threads, const Last& last)
    {
        const auto round = round_.load(std::memory_order_relaxed);
        if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == num_threads) {
            arrived_.store(0, std::memory_order_relaxed);
            last();
            round_.store(round + 1, std::memory_order_release);
            return;
        }
        wait_until([&] { return round_.load(std::memory_order_acquire) != round; });
    }

private:
    alignas(64) std::atomic<int> arrived_{0};
    alignas(64) std::atomic<unsigned> round_{0};
};

}  // namespace linden::omp
