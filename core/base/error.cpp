#include <linden/error.hpp>

namespace linden {
namespace {

std::string text(Dim d) { return std::to_string(d.rows) + " x " + std::to_string(d.cols); }

std::string text(std::string_view s) { return std::string(s); }

}  // namespace

DimensionMismatch::DimensionMismatch(std::string_view op_, std::string_view a_, Dim size_a_, std::string_view b_,
                                     Dim size_b_)
    : Error(text(op_) + ": " + text(a_) + " is " + text(size_a_) + ", " + text(b_) + " is " + text(size_b_)),
      op(op_),
      a(a_),
      b(b_),
      size_a(size_a_),
      size_b(size_b_)
{
}

InvalidParameter::InvalidParameter(std::string_view name_, std::string_view value_, std::string_view allowed_)
    : Error(text(name_) + " = '" + text(value_) + "' is not allowed: " + text(allowed_)),
      name(name_),
      value(value_),
      allowed(allowed_)
{
}

OutOfMemory::OutOfMemory(std::uint64_t bytes_, std::string_view executor_)
    : Error("out of memory: " + std::to_string(bytes_) + " bytes on " + text(executor_)),
      bytes(bytes_),
      executor(executor_)
{
}

VendorError::VendorError(std::string_view library_, std::string_view call_, std::int64_t code_,
                         std::string_view meaning)
    : Error(text(library_) + ": " + text(call_) + " failed with code " + std::to_string(code_) +
            (meaning.empty() ? std::string() : " (" + text(meaning) + ")")),
      library(library_),
      call(call_),
      code(code_)
{
}

FileError::FileError(std::string_view path_, std::int64_t line_, std::string_view problem_)
    : Error(text(path_) + (line_ > 0 ? ":" + std::to_string(line_) : std::string()) + ": " + text(problem_)),
      path(path_),
      line(line_),
      problem(problem_)
{
}

KernelNotAvailable::KernelNotAvailable(std::string_view kernel_, Backend backend_, std::string_view types_)
    : Error("kernel " + text(kernel_) + "<" + text(types_) + "> is not available on " + text(linden::name(backend_))),
      kernel(kernel_),
      types(types_),
      backend(backend_)
{
}

BackendNotAvailable::BackendNotAvailable(Backend backend_, std::string_view why_)
    : Error("executor " + text(linden::name(backend_)) + " is not available: " + text(why_)),
      backend(backend_),
      why(why_)
{
}

NotSupported::NotSupported(std::string_view op_, std::string_view why_)
    : Error(text(op_) + " is not supported: " + text(why_)),
      op(op_),
      why(why_)
{
}

RemoteError::RemoteError(int rank_, std::string_view type_, std::string_view text_)
    : Error("rank " + std::to_string(rank_) + " failed with " + text(type_) + ": " + text(text_)),
      rank(rank_),
      type(type_),
      message(text_)
{
}

}  // namespace linden
