#pragma once

#include <linden/types.hpp>

#include <cstddef>
#include <string_view>

namespace linden {

/// Sees what an executor does. Derive, override what you care about, and `executor.add_logger(...)`.
///
/// Calls come from the thread that works, in order. A logger must not call back into the executor.
class LINDEN_EXPORT Logger {
public:
    virtual ~Logger() = default;
    /// Around a kernel: `kernel` as in `csr::spmv`, `types` as in `double, int32`. Where kernels are captured into a
    /// graph the pair comes once, at the capture.
    virtual void on_kernel_begin(std::string_view /*kernel*/, std::string_view /*types*/) {}
    virtual void on_kernel_end(std::string_view /*kernel*/, std::string_view /*types*/) {}
    virtual void on_allocate(std::size_t /*bytes*/, const void* /*data*/) {}
    virtual void on_deallocate(std::size_t /*bytes*/, const void* /*data*/) {}
    virtual void on_copy(std::string_view /*from*/, std::string_view /*to*/, std::size_t /*bytes*/) {}
};

}  // namespace linden
