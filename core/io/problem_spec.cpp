#include "core/io/problem_spec.hpp"

#include <linden/error.hpp>
#include <linden/io/problems.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <type_traits>

#include "core/base/check_parameter.hpp"
#include "core/base/nearest_name.hpp"

namespace linden {
namespace detail {
namespace {

constexpr std::array<ProblemName, 11> problems = {{
    {"lap2d", "N", "N x N grid, 5-point Laplacian: 4, -1"},
    {"lap3d", "N", "N x N x N grid, 7-point Laplacian: 6, -1"},
    {"st27", "N", "N x N x N grid, 27-point stencil: 26, -1"},
    {"aniso2d", "N:EPS", "N x N grid, anisotropic 5-point Laplacian, y couplings times EPS"},
    {"aniso3d", "N:EPS", "N x N x N grid, anisotropic 7-point Laplacian, z couplings times EPS"},
    {"convdiff3d", "N:C", "N x N x N grid, 7-point, upwind convection C along x (nonsymmetric)"},
    {"twophase", "N:CONTRAST",
     "N x N grid, 5-point, coefficient 1 in the lower half, 1/CONTRAST in the upper; Dirichlet sides some of lrbt",
     "SIDES"},
    {"bubbles", "N:COUNT:CONTRAST:SEED", "N x N grid, 5-point, coefficient 1 in random circles, 1/CONTRAST outside"},
    {"bubbles3d", "N:COUNT:CONTRAST:SEED",
     "N x N x N grid, 7-point, coefficient 1 in random spheres, 1/CONTRAST outside"},
    {"random", "N:NNZ_PER_ROW:SEED", "N rows, random, strictly diagonally dominant, nonsymmetric"},
    {"powerlaw", "N:NNZ_PER_ROW:SEED", "as random, with row lengths of a power law and one dense row"},
}};

std::string form(const ProblemName& problem)
{
    const auto optional = problem.optional.empty() ? "" : "[:" + std::string(problem.optional) + "]";
    return std::string(problem.name) + ":" + std::string(problem.arguments) + optional;
}

std::vector<std::string_view> split(std::string_view text)
{
    std::vector<std::string_view> parts;
    for (auto colon = text.find(':'); colon != std::string_view::npos; colon = text.find(':')) {
        parts.push_back(text.substr(0, colon));
        text.remove_prefix(colon + 1);
    }
    parts.push_back(text);
    return parts;
}

}  // namespace

ProblemSpec::ProblemSpec(std::string_view spec) : spec_(spec), parts_(split(spec))
{
    std::vector<std::string> names;
    for (const auto& problem : problems) {
        names.emplace_back(problem.name);
        if (problem.name == parts_[0]) {
            problem_ = &problem;
        }
    }
    if (problem_ == nullptr) {
        fail("there is no such problem; " + expected_one_of(parts_[0].substr(0, 64), names));
    }
    const auto least = split(problem_->arguments).size() + 1;
    if (parts_.size() < least || parts_.size() > least + (problem_->optional.empty() ? 0 : 1)) {
        fail("expected " + form(*problem_));
    }
}

void ProblemSpec::fail(const std::string& expected) const { throw InvalidParameter("problem", spec_, expected); }

void ProblemSpec::fail_argument(std::size_t argument, const std::string& expected) const
{
    auto names = split(problem_->arguments);
    names.push_back(problem_->optional);
    fail(std::string(names[argument - 1]) + " in " + form(*problem_) + " must be " + expected + ", not '" +
         std::string(parts_[argument]) + "'");
}

template <class T>
T ProblemSpec::parse(std::size_t argument) const
{
    const auto text = parts_[argument];
    T value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) {
        const bool fits = !is_out_of_range<T>(text);
        fail_argument(argument, std::is_integral_v<T> ? "an integer of at most 64 bits"
                                : fits                ? "a number"
                                                      : "a number that fits a double");
    }
    return value;
}

size_type ProblemSpec::count(std::size_t argument) const
{
    const auto value = parse<size_type>(argument);
    if (value < 1) {
        fail_argument(argument, "a positive integer");
    }
    return value;
}

std::uint64_t ProblemSpec::seed(std::size_t argument) const { return parse<std::uint64_t>(argument); }

double ProblemSpec::positive(std::size_t argument) const
{
    const auto value = parse<double>(argument);
    if (!std::isfinite(value) || value <= 0) {
        fail_argument(argument, "a positive number");
    }
    return value;
}

double ProblemSpec::non_negative(std::size_t argument) const
{
    const auto value = parse<double>(argument);
    if (!std::isfinite(value) || value < 0) {
        fail_argument(argument, "a number that is not negative");
    }
    return value;
}

}  // namespace detail

std::string problem_help()
{
    std::size_t width = 0;
    for (const auto& problem : detail::problems) {
        width = std::max(width, detail::form(problem).size());
    }
    std::string help;
    for (const auto& problem : detail::problems) {
        auto line = detail::form(problem);
        line.resize(width + 2, ' ');
        help += line + std::string(problem.description) + "\n";
    }
    return help;
}

}  // namespace linden
