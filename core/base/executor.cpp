#include <linden/array.hpp>
#include <linden/error.hpp>
#include <linden/executor.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <mutex>

#include "core/base/executor_state.hpp"
#include "core/base/nearest_name.hpp"

namespace linden {
namespace {

std::array<BackendEntry, num_backends>& entries()
{
    static std::array<BackendEntry, num_backends> table;
    return table;
}

const BackendEntry& entry(Backend backend)
{
    static std::once_flag once;
    std::call_once(once, register_backends);
    return entries()[static_cast<std::size_t>(backend)];
}

}  // namespace

void register_backend(Backend backend, BackendEntry e) { entries()[static_cast<std::size_t>(backend)] = e; }

BackendInfo backend_info(Backend backend)
{
    const auto& e = entry(backend);
    if (e.info == nullptr) {
        return {backend, false, "this build has no " + std::string(name(backend)) + " backend", {}};
    }
    return e.info();
}

Executor Executor::create(Backend backend, ExecutorOptions options)
{
    const auto& e = entry(backend);
    if (e.create == nullptr) {
        throw BackendNotAvailable(backend, "this build has no " + std::string(linden::name(backend)) + " backend");
    }
    return Executor(e.create(options));
}

Executor Executor::create(std::string_view wanted, ExecutorOptions options)
{
    std::vector<std::string> names;
    for (int b = 0; b < num_backends; ++b) {
        const auto backend = static_cast<Backend>(b);
        if (linden::name(backend) == wanted) {
            return create(backend, std::move(options));
        }
        names.emplace_back(linden::name(backend));
    }
    throw InvalidParameter("executor", wanted, expected_one_of(wanted, names));
}

Executor Executor::reference(ExecutorOptions options) { return create(Backend::reference, std::move(options)); }
Executor Executor::omp(ExecutorOptions options) { return create(Backend::omp, std::move(options)); }
Executor Executor::cuda(ExecutorOptions options) { return create(Backend::cuda, std::move(options)); }
Executor Executor::hip(ExecutorOptions options) { return create(Backend::hip, std::move(options)); }

Backend Executor::backend() const { return state_->backend(); }
int Executor::device() const { return state_->device(); }
bool Executor::is_host() const { return state_->is_host(); }
DeviceInfo Executor::info() const { return state_->info(); }
std::string Executor::name() const { return state_->name(); }
void Executor::synchronize() const { state_->synchronize(); }
ExecutorCounters Executor::counters() const { return state_->counters(); }
void Executor::reset_peak() const { state_->reset_peak(); }
void* Executor::allocate(std::size_t bytes) const { return state_->allocate(bytes); }
void Executor::deallocate(void* data, std::size_t bytes) const noexcept { state_->deallocate(data, bytes); }
void Executor::add_logger(std::shared_ptr<Logger> logger) const
{
    if (logger == nullptr) {
        throw InvalidParameter("logger", "null", "a logger");
    }
    state_->add_logger(std::move(logger));
}
void Executor::remove_logger(const Logger* logger) const { state_->remove_logger(logger); }

namespace detail {

const Executor& host()
{
    static const Executor exec = Executor::reference();
    return exec;
}

std::size_t bytes_of(size_type size, std::size_t value_bytes)
{
    if (size < 0) {
        throw InvalidParameter("size", std::to_string(size), "at least 0");
    }
    const auto count = static_cast<std::size_t>(size);
    return count > PTRDIFF_MAX / value_bytes ? PTRDIFF_MAX : count * value_bytes;
}

}  // namespace detail

void copy_bytes(const Executor& from, const void* source, const Executor& to, void* target, std::size_t bytes)
{
    if (bytes == 0) {
        return;
    }
    for (const Executor* end : {&from, &to}) {
        for (const auto& logger : end->state().loggers()) {
            logger->on_copy(from.name(), to.name(), bytes);
        }
        if (from == to) {
            break;
        }
    }
    if (from.is_host() && to.is_host()) {
        std::memcpy(target, source, bytes);
    } else if (from.is_host()) {
        to.state().copy_from_host(source, target, bytes);
    } else if (to.is_host()) {
        from.state().copy_to_host(source, target, bytes);
    } else if (from.backend() == to.backend()) {
        from.state().copy_to_peer(source, to.state(), target, bytes);
    } else {
        std::vector<std::byte> staging(bytes);
        from.state().copy_to_host(source, staging.data(), bytes);
        to.state().copy_from_host(staging.data(), target, bytes);
    }
}

std::string ExecutorState::name() const
{
    const std::string base(linden::name(backend_));
    return is_host() ? base : base + ":" + std::to_string(device_);
}

MessageLibrary& ExecutorState::message_library()
{
    throw NotSupported("messages between devices on " + name(), "its backend has no library for them");
}

Executor ExecutorState::aside()
{
    const std::lock_guard lock(aside_mutex_);
    if (!aside_) {
        aside_ = Executor::create(backend_, {.device = device_});
        // Its memory for copies is made, too.
        Array<char> probe(*aside_, 1);
        const char letter = 0;
        probe.copy_from_host(&letter);
        has_aside_ = true;
    }
    return *aside_;
}

void* ExecutorState::allocate(std::size_t bytes)
{
    if (bytes == 0) {
        return nullptr;
    }
    check_can_allocate();
    void* data = memory_->allocate(bytes);
    if (data == nullptr) {
        synchronize();  // a kernel that has failed before makes all allocations fail: then it is named
        throw OutOfMemory(bytes, name());
    }
    allocations_.fetch_add(1, std::memory_order_relaxed);
    const std::uint64_t now = allocated_bytes_.fetch_add(bytes) + bytes;
    for (std::uint64_t peak = peak_bytes_; now > peak && !peak_bytes_.compare_exchange_weak(peak, now);) {
    }
    for (const auto& logger : loggers_) {
        logger->on_allocate(bytes, data);
    }
    return data;
}

void ExecutorState::deallocate(void* data, std::size_t bytes) noexcept
{
    if (data == nullptr) {
        return;
    }
    for (const auto& logger : loggers_) {
        logger->on_deallocate(bytes, data);
    }
    allocated_bytes_.fetch_sub(bytes);
    memory_->deallocate(data, bytes);
}

ExecutorCounters ExecutorState::counters() const
{
    return {launches_, synchronizations_, allocations_, allocated_bytes_, peak_bytes_};
}

void ExecutorState::remove_logger(const Logger* logger)
{
    std::erase_if(loggers_, [&](const auto& held) { return held.get() == logger; });
}

void HostExecutorState::copy_from_host(const void* source, void* target, std::size_t bytes)
{
    std::memcpy(target, source, bytes);
}

void HostExecutorState::copy_to_host(const void* source, void* target, std::size_t bytes)
{
    std::memcpy(target, source, bytes);
}

void HostExecutorState::copy_to_peer(const void* source, ExecutorState&, void* target, std::size_t bytes)
{
    std::memcpy(target, source, bytes);
}

void HostExecutorState::fill_zero(void* target, std::size_t bytes)
{
    if (bytes != 0) {
        std::memset(target, 0, bytes);
    }
}

namespace {

/// The plain loop of host executors.
class HostLoop : public LoopState {
public:
    void run(const std::int32_t* running, std::span<const std::uintptr_t>, bool,
             const std::function<void()>& body) override
    {
        // The kernels behind `body` change what `running` points to; the compiler cannot see it.
        const volatile std::int32_t* flag = running;
        while (*flag != 0) {
            body();
        }
    }
    void run_if(const std::int32_t* flag, const std::function<void()>& body) override
    {
        if (*static_cast<const volatile std::int32_t*>(flag) != 0) {
            body();
        }
    }
};

}  // namespace

std::unique_ptr<LoopState> HostExecutorState::make_loop() { return std::make_unique<HostLoop>(); }

}  // namespace linden
