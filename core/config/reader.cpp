#include "core/config/reader.hpp"

#include <linden/error.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "core/base/check_parameter.hpp"
#include "core/base/nearest_name.hpp"
#include "core/base/type_lists.hpp"
#include "core/config/registry.hpp"

namespace linden::config {
namespace {

template <class T>
std::optional<T> parse(std::string_view text)
{
    T value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = error == std::errc() && end == text.data() + text.size() && !text.empty();
    return whole ? std::optional<T>(value) : std::nullopt;
}

std::optional<double> as_number(const Node& node)
{
    switch (node.kind) {
    case Node::Kind::integer:
        return static_cast<double>(node.integer);
    case Node::Kind::number:
        return node.number;
    case Node::Kind::word:
        return parse<double>(node.text);
    case Node::Kind::string: {  // JSON has no other way to say `inf`
        const auto value = parse<double>(node.text);
        return value && !std::isfinite(*value) ? value : std::nullopt;
    }
    default:
        return {};
    }
}

std::optional<size_type> as_integer(const Node& node)
{
    if (node.kind == Node::Kind::integer) {
        return node.integer;
    }
    if (node.kind == Node::Kind::word) {
        if (const auto value = parse<size_type>(node.text)) {
            return value;
        }
    }
    // 1e6 is an integer too
    const auto value = node.kind == Node::Kind::string ? std::nullopt : as_number(node);
    const bool whole = value && std::abs(*value) < 0x1p63 && *value == std::trunc(*value);
    return whole ? std::optional(static_cast<size_type>(*value)) : std::nullopt;
}

std::optional<std::string_view> as_text(const Node& node)
{
    const bool is_text = node.kind == Node::Kind::string || node.kind == Node::Kind::word;
    return is_text ? std::optional<std::string_view>(node.text) : std::nullopt;
}

/// @throws InvalidParameter{path, the value of `node`, what is allowed and where it stands}
[[noreturn]] void refuse(std::string_view path, const Node& node, std::string allowed, std::string_view origin)
{
    if (!origin.empty()) {
        allowed += " (" + std::string(origin) + (node.line > 0 ? ":" + std::to_string(node.line) : "") + ")";
    }
    throw InvalidParameter(path.empty() ? "configuration" : path, node.text, allowed);
}

/// The node that names the type: `node` itself, or its member `type`.
const Node& type_node(const Node& node, std::string_view path, std::string_view origin)
{
    if (node.kind != Node::Kind::object) {
        return node;
    }
    const Node* type = node.find("type");
    if (type == nullptr) {
        Node missing;
        missing.line = node.line;
        refuse(join_path(path, "type"), missing, "missing; expected the name of a type, as in {\"type\": \"Cg\"}",
               origin);
    }
    return *type;
}

/// @throws InvalidParameter with the nearest name
void check_type(std::string_view type, ValueType value_type)
{
    with_value_type(value_type, [&]<class V>() { find_entry<V>(type); });
}

}  // namespace

const Node* Reader::find(std::string_view name)
{
    known_.emplace_back(name);
    return object_.find(name);
}

void Reader::fail(std::string_view name, const Node& node, std::string_view allowed) const
{
    refuse(join_path(path_, name), node, std::string(allowed), origin_);
}

void Reader::finish() const
{
    for (const auto& member : object_.members) {
        if (std::find(known_.begin(), known_.end(), member.name) != known_.end()) {
            continue;
        }
        const auto inside = std::find_if(inside_.begin(), inside_.end(), [&](const HelpRow& row) {
            return row.name.substr(row.name.rfind('.') + 1) == member.name;
        });
        fail(member.name, member.value,
             "unknown key; " +
                 (inside != inside_.end() ? "it is " + inside->name + " here" : expected_one_of(member.name, known_)));
    }
}

void Reader::flag(std::string_view name, bool& value, std::string_view)
{
    const Node* node = find(name);
    if (node == nullptr) {
        return;
    }
    const bool is_word = node->kind == Node::Kind::word && (node->text == "true" || node->text == "false");
    if (!is_word && node->kind != Node::Kind::boolean) {
        fail(name, *node, "expected true or false");
    }
    value = node->text == "true";
}

void Reader::integer(std::string_view name, size_type& value, std::string_view)
{
    if (const Node* node = find(name)) {
        const auto given = as_integer(*node);
        if (!given) {
            const bool is_long = std::abs(as_number(*node).value_or(0)) >= 0x1p63;
            fail(name, *node, is_long ? "expected an integer of at most 64 bits" : "expected an integer");
        }
        value = *given;
    }
}

void Reader::number(std::string_view name, double& value, std::string_view)
{
    if (const Node* node = find(name)) {
        const auto given = as_number(*node);
        if (!given || std::isnan(*given)) {
            const bool fits = !is_out_of_range<double>(node->text);
            fail(name, *node, fits ? "expected a number" : "expected a number that fits a double");
        }
        value = *given;
    }
}

void Reader::text(std::string_view name, std::string& value, std::string_view)
{
    if (const Node* node = find(name)) {
        const auto given = as_text(*node);
        if (!given) {
            fail(name, *node, "expected a string");
        }
        value = *given;
    }
}

void Reader::one_of(std::string_view name, int& index, std::span<const std::string_view> choices, std::string_view)
{
    const Node* node = find(name);
    if (node == nullptr) {
        return;
    }
    const bool is_word = as_text(*node) || node->kind == Node::Kind::boolean;
    const auto at = is_word ? std::find(choices.begin(), choices.end(), node->text) : choices.end();
    if (at == choices.end()) {
        fail(name, *node, expected_one_of(node->text, {choices.begin(), choices.end()}));
    }
    index = static_cast<int>(at - choices.begin());
}

void Reader::nested(std::string_view name, ParameterGroup& group, std::string_view)
{
    HelpVisitor inside(std::string(name) + ".");
    group.describe(inside);
    inside_.insert(inside_.end(), inside.rows().begin(), inside.rows().end());
    if (const Node* node = find(name)) {
        if (node->kind != Node::Kind::object) {
            fail(name, *node, "expected an object");
        }
        read_parameters(group, *node, join_path(path_, name), origin_);
    }
}

void Reader::slot(std::string_view name, FactorySlot& slot, std::string_view)
{
    const Node* node = find(name);
    if (node == nullptr) {
        return;
    }
    const auto path = join_path(path_, name);
    const Node& type = type_node(*node, path, origin_);
    const auto type_path = &type == node ? path : join_path(path, "type");
    if (type.kind == Node::Kind::null || as_text(type) == "none") {
        slot.clear();
        return;
    }
    if (!as_text(type)) {
        refuse(type_path, type,
               &type == node ? "expected an object with a type, or the name of one" : "expected the name of a type",
               origin_);
    }
    try {
        check_type(type.text, slot.value_type());
    } catch (const InvalidParameter& error) {
        refuse(type_path, type, error.allowed, origin_);
    }
    Reader reader(*node, path, origin_);
    reader.known_.emplace_back("type");
    slot.emplace(type.text, reader);
    reader.finish();
}

}  // namespace linden::config
