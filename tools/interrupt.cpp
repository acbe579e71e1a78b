#include "tools/interrupt.hpp"

#include <signal.h>
#include <unistd.h>

#include <atomic>

#include "tools/commands.hpp"

namespace linden::tool {
namespace {

// What a signal handler may touch: lock-free atomics.
std::atomic<bool> has_something_to_finish{false};
std::atomic<bool> is_noted{false};
static_assert(std::atomic<bool>::is_always_lock_free);

/// Only async-signal-safe calls.
void on_signal(int)
{
    if (has_something_to_finish && !is_noted.exchange(true)) {
        alarm(1);
        return;
    }
    constexpr char text[] = "linden: interrupted\n";
    [[maybe_unused]] const auto written = write(STDERR_FILENO, text, sizeof text - 1);
    _exit(interrupted);
}

/// A second after the signal that was noted, which is not acted on within a set-up or one long iteration.
void on_alarm(int)
{
    constexpr char text[] = "linden: interrupted; ends after this set-up or iteration, or at once by a second signal\n";
    [[maybe_unused]] const auto written = write(STDERR_FILENO, text, sizeof text - 1);
}

}  // namespace

void catch_signals()
{
    struct sigaction wake = {};
    wake.sa_handler = on_alarm;
    wake.sa_flags = SA_RESTART;
    sigemptyset(&wake.sa_mask);
    sigaction(SIGALRM, &wake, nullptr);
    struct sigaction action = {};
    action.sa_handler = on_signal;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    for (const int signal : {SIGINT, SIGTERM}) {
        struct sigaction before = {};
        // What the caller ignores, as nohup and shells do for jobs in the background, stays ignored.
        if (sigaction(signal, nullptr, &before) == 0 && before.sa_handler != SIG_IGN) {
            sigaction(signal, &action, nullptr);
        }
    }
}

void finish_on_signals() { has_something_to_finish = true; }

void ignore_signals()
{
    for (const int signal : {SIGINT, SIGTERM}) {
        struct sigaction action = {};
        action.sa_handler = SIG_IGN;
        sigemptyset(&action.sa_mask);
        sigaction(signal, &action, nullptr);
    }
}

bool is_interrupted() { return is_noted; }

}  // namespace linden::tool
