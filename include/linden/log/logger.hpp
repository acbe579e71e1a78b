#pragma once

#include <linden/types.hpp>

#include <cstddef>
#include <string_view>

namespace linden {

/// Observes an executor. Derive from it, override the events of interest, and call `executor.add_logger(...)`.
///
/// Events are reported in order, from the thread that submits the work. A logger must not call the executor; it may
/// only wait for it, and only while no loop is being recorded.
class LINDEN_EXPORT Logger {
public:
    virtual ~Logger() = default;
    /// Before and after a kernel call: `kernel` as in `csr::spmv`, `types` as in `double, int32`. Kernels recorded into
    /// a graph are reported once, when they are recorded.
    virtual void on_kernel_begin(std::string_view /*kernel*/, std::string_view /*types*/) {}
    virtual void on_kernel_end(std::string_view /*kernel*/, std::string_view /*types*/) {}
    virtual void on_allocate(std::size_t /*bytes*/, const void* /*data*/) {}
    virtual void on_deallocate(std::size_t /*bytes*/, const void* /*data*/) {}
    virtual void on_copy(std::string_view /*from*/, std::string_view /*to*/, std::size_t /*bytes*/) {}
};

}  // namespace linden
