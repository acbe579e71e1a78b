#pragma once

#include <linden/error.hpp>
#include <linden/executor.hpp>

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "core/base/arguments.hpp"
#include "core/base/contract.hpp"
#include "core/base/executor_state.hpp"

/// The kernel table: one variable per kernel and type combination, one slot per backend.
///
/// A kernel is declared once in core/kernels/, bound by each backend beside its definition, and called like a
/// function: `csr_spmv<V, I>(exec, ...)`. An empty slot throws `KernelNotAvailable`. Kernels stay inside the library.
namespace linden {

class KernelEntry;

/// Runs the calls of an executor's kernels in its own way (core/inspect/inspector.hpp).
class KernelInspector {
public:
    virtual ~KernelInspector() = default;
    /// In place of the kernel. `arguments` are addresses, of one argument each.
    virtual void call(const KernelEntry& kernel, const Executor& exec, void* const* arguments) = 0;
};

/// An entry of the kernel table without the kernel's signature.
class KernelEntry {
public:
    std::string_view name() const { return name_; }
    /// As in `double, int32`.
    std::string_view types() const { return types_; }
    bool available(Backend b) const { return slots_[static_cast<int>(b)] != nullptr; }
    const Contract& contract() const { return contract_; }
    std::span<const ArgumentType> arguments() const { return signature_->arguments; }

    /// Runs the function of backend `b` as such: neither counted nor logged. `arguments` as for KernelInspector.
    void run(Backend b, const Executor& exec, void* const* arguments) const
    {
        signature_->run(slot(b), exec, arguments);
    }

    /// All kernels bound by at least one backend, in the order of binding.
    static std::span<const KernelEntry* const> all();

protected:
    constexpr KernelEntry(std::string_view name, std::string_view types, Contract contract)
        : name_(name),
          types_(types),
          contract_(contract)
    {
    }

    using AnyFunction = void (*)();
    /// The signature as data.
    struct Signature {
        std::span<const ArgumentType> arguments;
        void (*run)(AnyFunction f, const Executor& exec, void* const* arguments);
    };
    void bind_slot(Backend b, AnyFunction f, const Signature& signature);

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
    const Signature* signature_ = nullptr;
    Contract contract_;
};

template <class Signature>
class kernel;

/// A kernel taking `Args...`; a backend's function takes the executor before them.
template <class... Args>
class kernel<void(Args...)> : public KernelEntry {
public:
    using Function = void (*)(const Executor&, Args...);

    constexpr kernel(std::string_view name, std::string_view types, Contract contract = {})
        : KernelEntry(name, types, contract)
    {
    }

    void bind(Backend b, Function f) { bind_slot(b, reinterpret_cast<AnyFunction>(f), signature); }

    /// Runs the kernel on `exec`'s backend. All kernels are called, counted and logged here.
    void operator()(const Executor& exec, Args... args) const
    {
        auto& state = exec.state();
        const auto f = reinterpret_cast<Function>(slot(state.backend()));
        begin(state);
        if (state.inspector() != nullptr) [[unlikely]] {
            void* const addresses[] = {&args...};
            state.inspector()->call(*this, exec, addresses);
        } else {
            f(exec, args...);
        }
        end(state);
    }

private:
    static void run_with(AnyFunction f, const Executor& exec, void* const* arguments)
    {
        [&]<std::size_t... n>(std::index_sequence<n...>)
        {
            reinterpret_cast<Function>(f)(exec, *static_cast<Args*>(arguments[n])...);
        }
        (std::index_sequence_for<Args...>());
    }

    static constexpr ArgumentType argument_types[] = {argument_type<Args>...};
    static constexpr Signature signature{argument_types, run_with};
};

}  // namespace linden
