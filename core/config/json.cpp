#include "core/config/json.hpp"

#include <linden/error.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>

namespace linden::config {
namespace {

/// Limits recursion; no configuration nests deeper.
constexpr std::size_t max_depth = 64;

/// How far the parser has read.
struct Position {
    std::int64_t line = 1;
    char last = 0;
};

/// The characters of a text, which keep account of what is read.
class CountingIterator {
public:
    using iterator_category = std::input_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char*;
    using reference = const char&;

    CountingIterator(const char* at, Position* position) : at_(at), position_(position) {}
    reference operator*() const { return *at_; }
    CountingIterator& operator++()
    {
        position_->line += *at_ == '\n';
        position_->last = *at_++;
        return *this;
    }
    CountingIterator operator++(int)
    {
        const auto before = *this;
        ++*this;
        return before;
    }
    friend bool operator==(const CountingIterator& a, const CountingIterator& b) { return a.at_ == b.at_; }
    friend bool operator!=(const CountingIterator& a, const CountingIterator& b) { return a.at_ != b.at_; }

private:
    const char* at_;
    Position* position_;
};

/// What the parser says is wrong, of `[json.exception.parse_error.101] parse error at line 1, column 5: what is wrong`.
std::string bare_problem(std::string message)
{
    if (const auto id_end = message.find("] "); id_end != std::string::npos) {
        message.erase(0, id_end + 2);
    }
    if (message.rfind("parse error at ", 0) == 0) {
        message.erase(0, message.find(": ") + 2);
    }
    return message;
}

/// Builds the tree from the parser's events.
class TreeBuilder final : public nlohmann::json_sax<nlohmann::json> {
public:
    TreeBuilder(std::string_view text, std::string_view origin, const Position* position)
        : text_(text),
          origin_(origin),
          position_(position)
    {
    }

    Node take() { return std::move(root_); }

    bool null() override
    {
        put(Node::Kind::null, "null");
        return true;
    }
    bool boolean(bool value) override
    {
        put(Node::Kind::boolean, value ? "true" : "false").boolean = value;
        return true;
    }
    bool number_integer(number_integer_t value) override
    {
        put(Node::Kind::integer, std::to_string(value)).integer = value;
        return true;
    }
    bool number_unsigned(number_unsigned_t value) override
    {
        if (value > static_cast<number_unsigned_t>(std::numeric_limits<std::int64_t>::max())) {
            return number_float(static_cast<double>(value), std::to_string(value));
        }
        return number_integer(static_cast<number_integer_t>(value));
    }
    bool number_float(number_float_t value, const string_t& text) override
    {
        put(Node::Kind::number, text).number = value;
        return true;
    }
    bool string(string_t& value) override
    {
        put(Node::Kind::string, value);
        return true;
    }
    bool binary(binary_t&) override { return false; }  // not in JSON texts
    bool start_object(std::size_t) override { return open(Node::Kind::object, "{...}"); }
    bool start_array(std::size_t) override { return open(Node::Kind::array, "[...]"); }
    bool end_object() override { return close(); }
    bool end_array() override { return close(); }

    bool key(string_t& name) override
    {
        if (open_.back()->find(name) != nullptr) {
            throw FileError(origin_, position_->line, "the key '" + name + "' is given twice");
        }
        open_.back()->add(name, {});
        return true;
    }

    bool parse_error(std::size_t read, const std::string&, const nlohmann::json::exception& error) override
    {
        const auto before = text_.substr(0, read == 0 ? 0 : read - 1);
        const auto last = before.find_last_not_of(" \t\r\n");
        const bool is_closing =
            before.size() < text_.size() && (text_[before.size()] == '}' || text_[before.size()] == ']');
        const bool is_after_comma = is_closing && last != std::string_view::npos && before[last] == ',';
        throw FileError(
            origin_, 1 + std::count(before.begin(), before.end(), '\n'),
            bare_problem(error.what()) + (is_after_comma ? "; JSON has no comma before a closing bracket" : ""));
    }

private:
    Node& place()
    {
        if (open_.empty()) {
            return root_;
        }
        return open_.back()->kind == Node::Kind::array ? open_.back()->add({}, {}) : open_.back()->members.back().value;
    }

    Node& put(Node::Kind kind, std::string_view text)
    {
        Node& node = place();
        node = text_node(kind, text);
        // The end of a number shows only in the character after it.
        const bool ahead = (kind == Node::Kind::integer || kind == Node::Kind::number) && position_->last == '\n';
        node.line = position_->line - ahead;
        return node;
    }

    bool open(Node::Kind kind, std::string_view text)
    {
        if (open_.size() == max_depth) {
            throw FileError(origin_, position_->line, "nested deeper than " + std::to_string(max_depth) + " levels");
        }
        open_.push_back(&put(kind, text));
        return true;
    }
    bool close()
    {
        open_.pop_back();
        return true;
    }

    std::string_view text_;
    std::string_view origin_;
    const Position* position_;
    Node root_;
    std::vector<Node*> open_;  // no member is added to a parent while a child is open, so these stay
};

nlohmann::ordered_json to_value(const Node& node)
{
    switch (node.kind) {
    case Node::Kind::null:
        return nullptr;
    case Node::Kind::boolean:
        return node.boolean;
    case Node::Kind::integer:
        return node.integer;
    case Node::Kind::number:
        return std::isfinite(node.number) ? nlohmann::ordered_json(node.number)
                                          : nlohmann::ordered_json(print_number(node.number));
    case Node::Kind::string:
    case Node::Kind::word:
        return node.text;
    case Node::Kind::array:
    case Node::Kind::object:
        break;
    }
    auto value = node.kind == Node::Kind::array ? nlohmann::ordered_json::array() : nlohmann::ordered_json::object();
    for (const auto& member : node.members) {
        if (node.kind == Node::Kind::array) {
            value.push_back(to_value(member.value));
        } else {
            value[member.name] = to_value(member.value);
        }
    }
    return value;
}

}  // namespace

Node parse_json(std::string_view text, std::string_view origin)
{
    Position position;
    TreeBuilder builder(text, origin, &position);
    const CountingIterator first(text.data(), &position);
    const CountingIterator last(text.data() + text.size(), &position);
    nlohmann::json::sax_parse(first, last, &builder, nlohmann::json::input_format_t::json, true, true);
    return builder.take();
}

std::string print_json(const Node& node)
{
    return to_value(node).dump(4, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string print_number(double value)
{
    char digits[32];
    const auto end = std::to_chars(std::begin(digits), std::end(digits), value).ptr;
    return std::string(digits, end);
}

}  // namespace linden::config
