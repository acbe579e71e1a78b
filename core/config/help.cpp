#include "core/config/help.hpp"

#include <linden/config/config.hpp>
#include <linden/error.hpp>

#include <algorithm>

#include "core/base/type_lists.hpp"
#include "core/config/json.hpp"
#include "core/config/registry.hpp"
#include "core/config/short_form.hpp"
#include "core/config/writer.hpp"

// instantiate: std::string config::help<V>(std::string_view)

namespace linden::config {
namespace {

constexpr std::string_view kind_name(Kind kind) { return kind == Kind::solver ? "solver" : "preconditioner"; }

/// The rows of a group without its prefix, to find equal groups of other types.
struct Group {
    std::string owner;
    std::string rows;
};

/// The table of one type. A group equal to one shown before is replaced by a reference.
template <class V>
std::string type_help(const Entry<V>& entry, std::vector<Group>& shown)
{
    HelpVisitor visitor;
    entry.create()->describe(visitor);
    std::vector<HelpRow> rows;
    std::vector<HelpRow> group;
    const auto name = short_name(entry.type);
    const auto close_group = [&] {
        if (group.empty()) {
            return;
        }
        const auto text = table(group);
        const auto same = std::find_if(shown.begin(), shown.end(), [&](const auto& g) { return g.rows == text; });
        if (same == shown.end()) {
            shown.push_back({name, text});
            rows.insert(rows.end(), group.begin(), group.end());
        } else {
            const auto prefix = group.front().name.substr(0, group.front().name.find('.'));
            rows.push_back({prefix + ".*", "", "", "as for " + same->owner});
        }
        group.clear();
    };
    for (const auto& row : visitor.rows()) {
        const auto dot = row.name.find('.');
        const bool grouped = dot != std::string::npos;
        const bool continues =
            grouped && !group.empty() && group.front().name.compare(0, dot + 1, row.name, 0, dot + 1) == 0;
        if (!continues) {
            close_group();
        }
        (grouped ? group : rows).push_back(row);
    }
    close_group();
    return name + " (" + std::string(kind_name(entry.kind)) + "): " + std::string(entry.meaning) + "\n" + table(rows);
}

template <class V>
std::string all_help()
{
    std::string text;
    std::vector<Group> shown;
    for (const Kind kind : {Kind::solver, Kind::preconditioner}) {
        for (const auto& entry : registry<V>()) {
            if (entry.kind == kind) {
                text += (text.empty() ? "" : "\n") + type_help(entry, shown);
            }
        }
    }
    return text;
}

template <class V, class... Others>
std::string all_help(TypeList<V, Others...>)
{
    return all_help<V>();  // the types are registered for every value type
}

}  // namespace

void HelpVisitor::add(std::string_view name, std::string_view type, std::string_view value, std::string_view meaning)
{
    rows_.push_back({prefix_ + std::string(name), std::string(type), std::string(value), std::string(meaning)});
}

void HelpVisitor::flag(std::string_view name, bool& value, std::string_view meaning)
{
    add(name, "true|false", value ? "true" : "false", meaning);
}

void HelpVisitor::integer(std::string_view name, size_type& value, std::string_view meaning)
{
    add(name, "integer", std::to_string(value), meaning);
}

void HelpVisitor::number(std::string_view name, double& value, std::string_view meaning)
{
    add(name, "number", print_number(value), meaning);
}

void HelpVisitor::text(std::string_view name, std::string& value, std::string_view meaning)
{
    add(name, "string", value, meaning);
}

void HelpVisitor::one_of(std::string_view name, int& index, std::span<const std::string_view> choices,
                         std::string_view meaning)
{
    std::string type;
    for (const auto& choice : choices) {
        type += (type.empty() ? "" : "|") + std::string(choice);
    }
    add(name, type, choices[static_cast<std::size_t>(index)], meaning);
}

void HelpVisitor::nested(std::string_view name, ParameterGroup& group, std::string_view)
{
    HelpVisitor inner(prefix_ + std::string(name) + ".");
    group.describe(inner);
    rows_.insert(rows_.end(), inner.rows().begin(), inner.rows().end());
}

void HelpVisitor::slot(std::string_view name, FactorySlot& slot, std::string_view meaning)
{
    add(name, "factory", slot.type().empty() ? "none" : short_name(slot.type()), meaning);
}

std::string table(const std::vector<HelpRow>& rows)
{
    std::size_t widths[3] = {0, 0, 0};
    for (const auto& row : rows) {
        widths[0] = std::max(widths[0], row.name.size());
        widths[1] = std::max(widths[1], row.type.size());
        widths[2] = std::max(widths[2], row.value.size());
    }
    std::string text;
    for (const auto& row : rows) {
        const std::string* cells[] = {&row.name, &row.type, &row.value};
        text += "  ";
        for (int i = 0; i < 3; ++i) {
            text += *cells[i] + std::string(widths[i] - cells[i]->size() + 2, ' ');
        }
        text += row.meaning + "\n";
    }
    return text;
}

template <class V>
std::string help(std::string_view type)
{
    std::vector<Group> shown;
    return type_help(find_entry<V>(type), shown);
}

std::string help_text() { return all_help(ValueTypes{}); }

}  // namespace linden::config
