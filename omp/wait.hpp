#pragma once

#if defined(__x86_64__) || defined(__i386__)
#include <immintrin.h>
#endif

#include <atomic>
#include <thread>

/// How threads of a team wait for each other within a kernel: for times much shorter than the system's.
namespace linden::omp {

/// Asks again and again, and lets others have the processor after a while: the one waited for may have none.
template <class Condition>
void wait_until(const Condition& holds)
{
    constexpr int max_spins = 500;
    for (int spins = 0; !holds(); ++spins) {
        if (spins >= max_spins) {
            std::this_thread::yield();
            continue;
        }
#if defined(__x86_64__) || defined(__i386__)
        _mm_pause();
#endif
    }
}

/// Lets nobody pass before all have come. OpenMP's own calls the system each time, some microseconds. What threads did
/// before comes before what others do after, for the thread sanitizer, too.
class SpinBarrier {
public:
    void wait(int num_threads)
    {
        const auto round = round_.load(std::memory_order_relaxed);
        if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == num_threads) {
            arrived_.store(0, std::memory_order_relaxed);
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
