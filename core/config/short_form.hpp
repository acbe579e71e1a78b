#pragma once

#include <linden/parameters.hpp>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/config/node.hpp"

namespace linden::config {

/// The name in `name:key=value,...`.
std::string_view short_type(std::string_view text);

/// The names of parameters, and of those in the group `stop`, whose prefix may be left out.
class Outline final : public ParameterVisitor {
public:
    const std::vector<std::string>& names() const { return names_; }
    const std::vector<std::string>& stop_names() const { return stop_names_; }

protected:
    void flag(std::string_view name, bool&, std::string_view) override { names_.emplace_back(name); }
    void integer(std::string_view name, size_type&, std::string_view) override { names_.emplace_back(name); }
    void number(std::string_view name, double&, std::string_view) override { names_.emplace_back(name); }
    void text(std::string_view name, std::string&, std::string_view) override { names_.emplace_back(name); }
    void one_of(std::string_view name, int&, std::span<const std::string_view>, std::string_view) override
    {
        names_.emplace_back(name);
    }
    void nested(std::string_view name, ParameterGroup& group, std::string_view) override;
    void slot(std::string_view name, FactorySlot&, std::string_view) override { names_.emplace_back(name); }

private:
    std::vector<std::string> names_;
    std::vector<std::string> stop_names_;
};

/// Adds `key=value,key=value`, which are one at least, to `object`, as words; the names are those of `outline`.
/// @throws InvalidParameter for a key that is unknown, or given twice, or without a value
void add_assignments(Node& object, std::string_view assignments, const Outline& outline);

/// What is left of the name of a type where letter case, `-` and `_` do not matter.
std::string normalized(std::string_view name);

/// `type` as in short forms: lower case, with a hyphen between words of three letters or more, so that `BlockJacobi` is
/// `block-jacobi` but `BiCgStab` is `bicgstab`.
std::string short_name(std::string_view type);

/// `key=value,key=value` for what differs between a factory `object` and `defaults`, apart from the member `without`.
/// `defaults_of` gives the parameters that a type starts with.
std::string assignments_between(const Node& object, const Node& defaults, const Outline& outline,
                                std::string_view without, const std::function<Node(std::string_view)>& defaults_of);

}  // namespace linden::config
