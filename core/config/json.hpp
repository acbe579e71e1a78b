#pragma once

#include <string>
#include <string_view>

#include "core/config/node.hpp"

namespace linden::config {

/// Reads one JSON value; comments are allowed, keys given twice are not.
/// @throws FileError{origin, line, problem}
Node parse_json(std::string_view text, std::string_view origin);

/// The inverse, indented, with the fewest digits that read back as the same numbers; infinite and undefined numbers
/// become strings.
std::string print_json(const Node& node);

/// `value` with the fewest digits that read back as the same.
std::string print_number(double value);

inline Node number_node(double value)
{
    Node node = text_node(Node::Kind::number, print_number(value));
    node.number = value;
    return node;
}

}  // namespace linden::config
