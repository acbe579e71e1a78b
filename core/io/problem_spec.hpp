#pragma once

#include <linden/types.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// The syntax and description of a model problem.
namespace linden::detail {

struct ProblemName {
    std::string_view name;
    std::string_view arguments;
    std::string_view description;
    std::string_view optional = {};  ///< an optional last argument
};

/// A problem's name and arguments, counted from 1, with their error messages.
class ProblemSpec {
public:
    /// @throws InvalidParameter for an unknown name or a wrong number of arguments
    explicit ProblemSpec(std::string_view spec);

    std::string_view name() const { return problem_->name; }
    bool has(std::size_t argument) const { return argument < parts_.size(); }

    /// @throws InvalidParameter, as all below
    [[noreturn]] void fail(const std::string& expected) const;
    [[noreturn]] void fail_argument(std::size_t argument, const std::string& expected) const;

    size_type count(std::size_t argument) const;
    std::uint64_t seed(std::size_t argument) const;
    double positive(std::size_t argument) const;
    double non_negative(std::size_t argument) const;
    std::string_view text(std::size_t argument) const { return parts_[argument]; }

private:
    template <class T>
    T parse(std::size_t argument) const;

    std::string_view spec_;
    std::vector<std::string_view> parts_;
    const ProblemName* problem_ = nullptr;
};

}  // namespace linden::detail
