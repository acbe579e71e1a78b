#include <linden/config/format.hpp>
#include <linden/error.hpp>
#include <linden/matrix/automatic_format.hpp>
#include <linden/matrix/formatted.hpp>

#include <algorithm>
#include <vector>

#include "core/base/nearest_name.hpp"
#include "core/base/type_lists.hpp"
#include "core/config/help.hpp"
#include "core/config/json.hpp"
#include "core/config/reader.hpp"
#include "core/config/short_form.hpp"
#include "core/matrix/format_table.hpp"

// instantiate: LinOpPtr<V> config::in_format<V, I>(std::string_view, std::shared_ptr<const Csr<V, I>>)

namespace linden::config {
namespace {

constexpr std::string_view as_it_is = "csr";
constexpr std::string_view automatic = "auto";

template <class V, class I>
std::vector<std::string> names()
{
    std::vector<std::string> all{std::string(as_it_is)};
    for (const auto& format : format_table<V, I>()) {
        all.push_back(short_name(format.name));
    }
    all.emplace_back(automatic);
    return all;
}

/// A format, which `entry` makes unless it is one of the two that the table has not, and its parameters.
template <class V, class I>
struct Choice {
    std::string name;
    const FormatEntry<V, I>* entry = nullptr;
    Node parameters = object_node();
};

/// The same as words and as JSON: `type` names the format.
template <class V, class I>
Choice<V, I> named(std::string_view type)
{
    Choice<V, I> choice{normalized(type)};
    for (const auto& format : format_table<V, I>()) {
        if (normalized(format.name) == choice.name) {
            choice.entry = &format;
        }
    }
    if (choice.entry == nullptr && choice.name != as_it_is && choice.name != automatic) {
        throw InvalidParameter(
            "format", type,
            expected_one_of(type, names<V, I>()) + " with " + std::string(name(index_type_of<I>)) + " indices");
    }
    return choice;
}

template <class V, class I>
Choice<V, I> parse_format(std::string_view text)
{
    const bool is_json = text.starts_with('{');
    Node object = is_json ? parse_json(text, "format") : text_node(Node::Kind::word, short_type(text));
    const Node* const type = is_json ? object.find("type") : &object;
    auto choice = named<V, I>(type == nullptr ? std::string_view() : type->text);
    Outline outline;
    if (choice.entry != nullptr) {
        choice.entry->describe(outline);
    }
    if (is_json) {
        std::erase_if(object.members, [](const auto& member) { return member.name == "type"; });
        choice.parameters = std::move(object);
    } else if (const auto colon = text.find(':'); colon != std::string_view::npos) {
        std::string assignments(text.substr(colon + 1));
        if (!outline.names().empty() && assignments.find('=') >= assignments.find(',')) {
            assignments.insert(0, outline.names().front() + "=");
        }
        add_assignments(choice.parameters, assignments, outline);
    }
    Reader reader(choice.parameters, {}, {});
    if (choice.entry != nullptr) {
        choice.entry->describe(reader);
    }
    reader.finish();
    return choice;
}

}  // namespace

template <class V, class I>
LinOpPtr<V> in_format(std::string_view text, std::shared_ptr<const Csr<V, I>> matrix)
{
    const auto choice = parse_format<V, I>(text);
    if (choice.name == as_it_is) {
        return matrix;
    }
    Reader reader(choice.parameters, {}, {});
    auto applied = choice.entry == nullptr ? automatic_format(matrix) : choice.entry->make(*matrix, &reader);
    return applied == matrix ? applied : share(Formatted<V>(std::move(matrix), std::move(applied)));
}

void check_format(std::string_view text) { (void)parse_format<DefaultValue, DefaultIndex>(text); }

std::string format_names()
{
    std::string text;
    for (const auto& name : names<DefaultValue, DefaultIndex>()) {
        text += (text.empty() ? "" : " | ") + name;
    }
    return text;
}

std::string format_help()
{
    std::string text;
    for (const auto& format : format_table<DefaultValue, DefaultIndex>()) {
        HelpVisitor visitor;
        format.describe(visitor);
        text += short_name(format.name) + ": " + std::string(format.purpose) + "\n" + table(visitor.rows()) +
                "  auto: " + std::string(format.automatic) + "\n";
    }
    return text;
}

}  // namespace linden::config
