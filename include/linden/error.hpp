#pragma once

#include <linden/types.hpp>

#include <cstdint>
#include <exception>
#include <string>
#include <string_view>

/// Typed exceptions. Each holds its data as members; the text is built from them.
///
/// Exceptions are for wrong input and for failing resources. Outcomes of a numerical method (not converged,
/// breakdown) are results: see `SolveResult`.
namespace linden {

class LINDEN_EXPORT Error : public std::exception {
public:
    explicit Error(std::string message) : message_(std::move(message)) {}
    const char* what() const noexcept override { return message_.c_str(); }

private:
    std::string message_;
};

/// Two operands whose sizes do not match, e.g. `Csr::apply: the operator is 5 x 4, b is 5 x 1`.
class LINDEN_EXPORT DimensionMismatch : public Error {
public:
    DimensionMismatch(std::string_view op, std::string_view a, Dim size_a, std::string_view b, Dim size_b);
    std::string op, a, b;
    Dim size_a, size_b;
};

/// A parameter whose value is not allowed; `allowed` describes the allowed values.
class LINDEN_EXPORT InvalidParameter : public Error {
public:
    InvalidParameter(std::string_view name, std::string_view value, std::string_view allowed);
    std::string name, value, allowed;
};

class LINDEN_EXPORT OutOfMemory : public Error {
public:
    OutOfMemory(std::uint64_t bytes, std::string_view executor);
    std::uint64_t bytes;
    std::string executor;
};

/// A call into a vendor's library or runtime failed.
class LINDEN_EXPORT VendorError : public Error {
public:
    VendorError(std::string_view library, std::string_view call, std::int64_t code, std::string_view meaning = {});
    std::string library, call;
    std::int64_t code;
};

/// A file that cannot be read, written or parsed; `line` is 1-based, 0 if the error is in no particular line.
class LINDEN_EXPORT FileError : public Error {
public:
    FileError(std::string_view path, std::int64_t line, std::string_view problem);
    std::string path;
    std::int64_t line;
    std::string problem;
};

/// The backend has no such kernel for these types.
class LINDEN_EXPORT KernelNotAvailable : public Error {
public:
    KernelNotAvailable(std::string_view kernel, Backend backend, std::string_view types);
    std::string kernel, types;
    Backend backend;
};

/// The backend was not built, or the device does not exist.
class LINDEN_EXPORT BackendNotAvailable : public Error {
public:
    BackendNotAvailable(Backend backend, std::string_view why);
    Backend backend;
    std::string why;
};

/// The operation does not exist for this operator, e.g. Jacobi of a matrix-free operator.
class LINDEN_EXPORT NotSupported : public Error {
public:
    NotSupported(std::string_view op, std::string_view why);
    std::string op, why;
};

/// Another process of the communicator failed: its rank, the type and the text of its exception. What this process was
/// doing together with it has ended.
class LINDEN_EXPORT RemoteError : public Error {
public:
    RemoteError(int rank, std::string_view type, std::string_view message);
    int rank;
    std::string type, message;
};

}  // namespace linden
