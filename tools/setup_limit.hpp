#pragma once

#include <linden/executor.hpp>
#include <linden/log/logger.hpp>

#include <chrono>
#include <exception>
#include <memory>
#include <thread>

/// Set-ups have no time limit of their own, but all that they do on an executor passes its loggers.
namespace linden::tool {

/// What a set-up is ended by. No Error: nothing in the library takes it for one of its own.
class SetupTimeout : public std::exception {
public:
    const char* what() const noexcept override { return "the time for the set-up is over"; }
};

/// While it lives, the next kernel after so many seconds that this thread calls on the executor throws SetupTimeout
/// instead. What a kernel does, or the host between two of them, is not cut off.
class SetupLimit {
public:
    SetupLimit(const Executor& exec, double seconds) : exec_(exec), clock_(std::make_shared<Clock>(seconds))
    {
        exec_.add_logger(clock_);
    }
    ~SetupLimit() { exec_.remove_logger(clock_.get()); }
    SetupLimit(const SetupLimit&) = delete;
    SetupLimit& operator=(const SetupLimit&) = delete;

    /// From now on there is no limit.
    void lift() { clock_->is_lifted = true; }

private:
    struct Clock final : Logger {
        explicit Clock(double seconds)
            : end(Now::now() + std::chrono::duration_cast<Now::duration>(std::chrono::duration<double>(seconds)))
        {
        }
        void on_kernel_begin(std::string_view, std::string_view) override
        {
            // What is cleaned up while an exception is on its way must not throw.
            if (!is_lifted && std::this_thread::get_id() == thread && std::uncaught_exceptions() == 0 &&
                Now::now() >= end) {
                throw SetupTimeout();
            }
        }

        using Now = std::chrono::steady_clock;
        Now::time_point end;
        std::thread::id thread = std::this_thread::get_id();
        bool is_lifted = false;
    };

    Executor exec_;
    std::shared_ptr<Clock> clock_;
};

}  // namespace linden::tool
