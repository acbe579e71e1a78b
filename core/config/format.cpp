#include <linden/config/format.hpp>
#include <linden/error.hpp>
#include <linden/matrix/formatted.hpp>

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

template <class V, class I>
struct Choice {
    const FormatEntry<V, I>& format;
    Node parameters = object_node();
};

template <class V, class I>
Choice<V, I> find_format(std::string_view type)
{
    std::vector<std::string> names;
    for (const auto& format : format_table<V, I>()) {
        if (normalized(format.name) == normalized(type)) {
            return {format};
        }
        names.push_back(short_name(format.name));
    }
    throw InvalidParameter("format", type,
                           expected_one_of(type, names) + " with " + std::string(name(index_type_of<I>)) + " indices");
}

template <class V, class I>
Choice<V, I> parse_json_format(std::string_view text)
{
    Node object = parse_json(text, "format");
    const Node* const type = object.find("type");
    auto choice = find_format<V, I>(type == nullptr ? std::string_view() : type->text);
    std::erase_if(object.members, [](const auto& member) { return member.name == "type"; });
    choice.parameters = std::move(object);
    return choice;
}

template <class V, class I>
Choice<V, I> parse_short_format(std::string_view text)
{
    const auto type = short_type(text);
    auto choice = find_format<V, I>(type);
    if (type != text) {
        Outline outline;
        choice.format.describe(outline);
        std::string assignments(text.substr(type.size() + 1));
        if (!outline.names().empty() && assignments.find('=') >= assignments.find(',')) {
            assignments.insert(0, outline.names().front() + "=");
        }
        add_assignments(choice.parameters, assignments, outline);
    }
    return choice;
}

template <class V, class I>
Choice<V, I> parse_format(std::string_view text)
{
    auto choice = text.starts_with('{') ? parse_json_format<V, I>(text) : parse_short_format<V, I>(text);
    read_parameters(choice.format, choice.parameters, {}, {});  // of defaults, to refuse what is wrong
    return choice;
}

}  // namespace

template <class V, class I>
LinOpPtr<V> in_format(std::string_view text, std::shared_ptr<const Csr<V, I>> matrix)
{
    const auto choice = parse_format<V, I>(text);
    Reader reader(choice.parameters, {}, {});
    auto applied = choice.format.make(matrix, &reader);
    return applied == matrix ? applied : share(Formatted<V>(std::move(matrix), std::move(applied)));
}

void check_format(std::string_view text) { (void)parse_format<DefaultValue, DefaultIndex>(text); }

std::string format_names()
{
    std::string text;
    for (const auto& format : format_table<DefaultValue, DefaultIndex>()) {
        text += (text.empty() ? "" : " | ") + short_name(format.name);
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
                "  auto takes it " + std::string(format.automatic) + "\n";
    }
    return text;
}

}  // namespace linden::config
