#pragma once

#include <linden/error.hpp>
#include <linden/executor.hpp>

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "core/base/executor_state.hpp"

/// The kernel table: one variable per kernel and type combination, one slot per backend.
///
/// A kernel is declared once in core/kernels/, bound by each backend beside its definition, and called like a
/// function: `csr_spmv<V, I>(exec, ...)`. An empty slot throws `KernelNotAvailable`. Kernels stay inside the library.
namespace linden {

/// An entry of the kernel table without the kernel's signature.
class KernelEntry {
public:
    std::string_view name() const { return name_; }
    /// As in `double, int32`.
    std::string_view types() const { return types_; }
    bool available(Backend b) const { return slots_[static_cast<int>(b)] != nullptr; }

    /// All kernels bound by at least one backend, in the order of binding.
    static std::span<const KernelEntry* const> all();

protected:
    constexpr KernelEntry(std::string_view name, std::string_view types) : name_(name), types_(types) {}

    using AnyFunction = void (*)();
    void bind_slot(Backend b, AnyFunction f);

    AnyFunction slot(Backend b) const
    {
        const auto f = slots_[static_cast<int>(b)];
        if (f == nullptr) {
            throw KernelNotAvailable(name_, b, types_);
        }
        return f;
    }

    void begin(ExecutorState& state) const
    {
        if (state.is_host()) {  // a device's launches are counted where they are made
            state.count_launches(1);
        }
        for (const auto& logger : state.loggers()) {
            logger->on_kernel_begin(name_, types_);
        }
    }
    void end(ExecutorState& state) const
    {
        for (const auto& logger : state.loggers()) {
            logger->on_kernel_end(name_, types_);
        }
    }

private:
    std::string_view name_;
    std::string_view types_;
    std::array<AnyFunction, num_backends> slots_{};
};

template <class Signature>
class kernel;

/// A kernel taking `Args...`; a backend's function takes the executor before them.
template <class... Args>
class kernel<void(Args...)> : public KernelEntry {
public:
    using Function = void (*)(const Executor&, Args...);

    constexpr kernel(std::string_view name, std::string_view types) : KernelEntry(name, types) {}

    void bind(Backend b, Function f) { bind_slot(b, reinterpret_cast<AnyFunction>(f)); }

    /// Runs the kernel on `exec`'s backend. All kernels are called, counted and logged here.
    void operator()(const Executor& exec, Args... args) const
    {
        auto& state = exec.state();
        const auto f = reinterpret_cast<Function>(slot(state.backend()));
        begin(state);
        f(exec, args...);
        end(state);
    }
};

}  // namespace linden
