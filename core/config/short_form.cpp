#include "core/config/short_form.hpp"

#include <linden/error.hpp>

#include <algorithm>
#include <cctype>

#include "core/base/nearest_name.hpp"

namespace linden::config {
namespace {

constexpr std::string_view stop_group = "stop";

bool contains(const std::vector<std::string>& names, std::string_view name)
{
    return std::find(names.begin(), names.end(), name) != names.end();
}

/// Puts `value` at `path`, as in `preconditioner.type`. A word on the way is the type of what is below it.
void insert(Node& object, std::string_view path, std::string_view value, std::string_view key)
{
    const auto dot = path.find('.');
    const auto name = path.substr(0, dot);
    Node* member = object.find(name);
    if (dot == std::string_view::npos) {
        if (member == nullptr) {
            object.add(name, text_node(Node::Kind::word, value));
            return;
        }
        if (member->kind == Node::Kind::word || member->find("type") != nullptr) {
            throw InvalidParameter(key, value, "it is given twice");
        }
        member->add("type", text_node(Node::Kind::word, value));
        return;
    }
    if (member == nullptr) {
        member = &object.add(name, object_node());
    } else if (member->kind == Node::Kind::word) {
        Node type = std::exchange(*member, object_node());
        member->add("type", std::move(type));
    }
    insert(*member, path.substr(dot + 1), value, key);
}

bool same(const Node& a, const Node& b)
{
    return a.kind == b.kind && a.text == b.text &&
           std::equal(a.members.begin(), a.members.end(), b.members.begin(), b.members.end(),
                      [](const auto& m, const auto& n) { return m.name == n.name && same(m.value, n.value); });
}

/// Collects `key=value` of what differs.
class Differences {
public:
    Differences(const Outline& outline, const std::function<Node(std::string_view)>& defaults_of)
        : outline_(outline),
          defaults_of_(defaults_of)
    {
    }

    const std::string& text() const { return text_; }

    void collect(const Node& object, const Node& defaults, const std::string& prefix, std::string_view without)
    {
        for (const auto& member : object.members) {
            const Node* standard = defaults.find(member.name);
            if (member.name == "type" || member.name == without || (standard && same(member.value, *standard))) {
                continue;
            }
            if (member.value.kind != Node::Kind::object) {
                const bool none = member.value.kind == Node::Kind::null;
                assign(prefix + member.name, none ? "none" : member.value.text);
            } else if (const Node* type = member.value.find("type")) {
                assign(prefix + member.name, short_name(type->text));
                collect(member.value, defaults_of_(type->text), prefix + member.name + ".", {});
            } else {
                collect(member.value, standard ? *standard : Node(), prefix + member.name + ".", {});
            }
        }
    }

private:
    void assign(std::string_view path, std::string_view value)
    {
        const auto prefix = std::string(stop_group) + ".";
        if (path.starts_with(prefix) && !contains(outline_.names(), path.substr(prefix.size()))) {
            path.remove_prefix(prefix.size());
        }
        text_ += (text_.empty() ? "" : ",") + std::string(path) + "=" + std::string(value);
    }

    const Outline& outline_;
    const std::function<Node(std::string_view)>& defaults_of_;
    std::string text_;
};

}  // namespace

std::string_view short_type(std::string_view text) { return text.substr(0, text.find(':')); }

void Outline::nested(std::string_view name, ParameterGroup& group, std::string_view)
{
    names_.emplace_back(name);
    if (name == stop_group) {
        Outline inner;
        group.describe(inner);
        stop_names_ = inner.names();
    }
}

void add_assignments(Node& object, std::string_view assignments, const Outline& outline)
{
    auto known = outline.names();
    known.insert(known.end(), outline.stop_names().begin(), outline.stop_names().end());
    for (bool more = true; more;) {
        const auto comma = assignments.find(',');
        const auto assignment = assignments.substr(0, comma);
        more = comma != std::string_view::npos;
        assignments.remove_prefix(more ? comma + 1 : assignments.size());
        const auto equals = assignment.find('=');
        const auto key = assignment.substr(0, equals);
        if (equals == std::string_view::npos || key.empty()) {
            throw InvalidParameter("parameters", assignment, "expected key=value");
        }
        const auto first = key.substr(0, key.find('.'));
        if (!contains(known, first)) {
            throw InvalidParameter(key, assignment.substr(equals + 1), "unknown key; " + expected_one_of(first, known));
        }
        const auto path = contains(outline.names(), first) ? std::string(key) : join_path(stop_group, key);
        insert(object, path, assignment.substr(equals + 1), key);
    }
}

std::string normalized(std::string_view name)
{
    std::string result;
    for (const char c : name) {
        if (c != '-' && c != '_') {
            result += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        }
    }
    return result;
}

std::string short_name(std::string_view type)
{
    constexpr std::size_t shortest_word = 3;
    const auto is_upper = [&](std::size_t i) { return std::isupper(static_cast<unsigned char>(type[i])) != 0; };
    std::string name;
    std::size_t previous = 0;
    for (std::size_t begin = 0, end = 0; begin < type.size(); begin = end) {
        for (end = begin + 1; end < type.size() && !is_upper(end);) {
            ++end;
        }
        const auto length = end - begin;
        name += begin > 0 && previous >= shortest_word && length >= shortest_word ? "-" : "";
        for (const char c : type.substr(begin, length)) {
            name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        }
        previous = length;
    }
    return name;
}

std::string assignments_between(const Node& object, const Node& defaults, const Outline& outline,
                                std::string_view without, const std::function<Node(std::string_view)>& defaults_of)
{
    Differences differences(outline, defaults_of);
    differences.collect(object, defaults, {}, without);
    return differences.text();
}

}  // namespace linden::config
