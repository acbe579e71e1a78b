#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace linden::config {

/// A parsed configuration, from JSON or a short form.
struct Node {
    enum class Kind {
        null,
        boolean,
        integer,
        number,
        string,
        array,  ///< its elements are members without names
        object,
        word  ///< of a short form, which does not tell types apart
    };
    struct Member;

    Kind kind = Kind::null;
    bool boolean = false;
    std::int64_t integer = 0;
    double number = 0;
    std::string text;  ///< of strings and words; of other scalars as written, for errors
    std::vector<Member> members;
    std::int64_t line = 0;  ///< 0 if unknown

    const Node* find(std::string_view name) const;
    Node* find(std::string_view name);
    /// Appends a member.
    Node& add(std::string_view name, Node value);
};

struct Node::Member {
    std::string name;
    Node value;
};

inline const Node* Node::find(std::string_view name) const
{
    for (const auto& member : members) {
        if (member.name == name) {
            return &member.value;
        }
    }
    return nullptr;
}

inline Node* Node::find(std::string_view name) { return const_cast<Node*>(std::as_const(*this).find(name)); }

inline Node& Node::add(std::string_view name, Node value)
{
    return members.emplace_back(Member{std::string(name), std::move(value)}).value;
}

inline Node text_node(Node::Kind kind, std::string_view text)
{
    Node node;
    node.kind = kind;
    node.text = text;
    return node;
}

inline Node integer_node(std::int64_t value)
{
    Node node = text_node(Node::Kind::integer, std::to_string(value));
    node.integer = value;
    return node;
}

inline Node object_node() { return text_node(Node::Kind::object, "{...}"); }

/// `a.b`, or just `b` at the top.
inline std::string join_path(std::string_view a, std::string_view b)
{
    return a.empty() ? std::string(b) : std::string(a) + "." + std::string(b);
}

}  // namespace linden::config
