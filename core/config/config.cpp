#include <linden/config/config.hpp>
#include <linden/error.hpp>

#include <algorithm>
#include <complex>

#include "core/config/json.hpp"
#include "core/config/reader.hpp"
#include "core/config/registry.hpp"
#include "core/config/short_form.hpp"
#include "core/config/writer.hpp"
#include "core/io/text_file.hpp"

// instantiate: FactoryPtr<V> config::parse_factory<V>(std::string_view, std::string_view)
// instantiate: FactoryPtr<V> config::read_factory<V>(std::string_view)
// instantiate: FactoryPtr<V> config::parse_short<V>(std::string_view, std::string_view)
// instantiate: FactoryPtr<V> config::with_parameters<V>(const LinOpFactory<V>&, std::string_view)
// instantiate: std::string config::to_json<V>(const FactoryPtr<V>&)
// instantiate: config::ShortForm config::to_short<V>(const LinOpFactory<V>&)
// instantiate: std::vector<std::string> config::registered_types<V>(config::Kind)
// instantiate: config::Kind config::kind_of<V>(std::string_view)

namespace linden::config {
namespace {

constexpr std::string_view preconditioner_slot = "preconditioner";

template <class V>
Outline outline_of(const LinOpFactory<V>& factory)
{
    Outline outline;
    show(factory, outline);
    return outline;
}

template <class V>
bool takes_preconditioner(std::string_view text)
{
    const auto names = outline_of(*find_entry<V>(short_type(text)).create()).names();
    return std::find(names.begin(), names.end(), preconditioner_slot) != names.end();
}

/// The object that a short form stands for, with words as values; `none` is a null.
template <class V>
Node short_node(std::string_view text)
{
    const auto type = short_type(text);
    if (type == "none" && type == text) {
        return text_node(Node::Kind::null, type);
    }
    Node object = object_node();
    object.add("type", text_node(Node::Kind::word, type));
    const auto outline = outline_of(*find_entry<V>(type).create());
    if (type != text) {
        add_assignments(object, text.substr(type.size() + 1), outline);
    }
    return object;
}

template <class V>
std::string short_text(const LinOpFactory<V>& factory, const Node& object, std::string_view without)
{
    const auto defaults_of = [](std::string_view type) { return to_node(*find_entry<V>(type).create()); };
    const auto assignments =
        assignments_between(object, defaults_of(factory.type()), outline_of(factory), without, defaults_of);
    return short_name(factory.type()) + (assignments.empty() ? "" : ":" + assignments);
}

}  // namespace

template <class V>
FactoryPtr<V> parse_factory(std::string_view json_text, std::string_view origin)
{
    return read_root<V>(parse_json(json_text, origin), origin);
}

template <class V>
FactoryPtr<V> read_factory(std::string_view path)
{
    return parse_factory<V>(load_text(std::string(path)).view(), path);
}

template <class V>
FactoryPtr<V> parse_short(std::string_view text, std::string_view preconditioner)
{
    Node object = short_node<V>(text);
    if (!preconditioner.empty()) {
        if (object.kind == Node::Kind::null || object.find(preconditioner_slot) != nullptr) {
            throw InvalidParameter(preconditioner_slot, preconditioner,
                                   "'" + std::string(text) + "' already says that it has another, or none");
        }
        if (takes_preconditioner<V>(text)) {
            object.add(preconditioner_slot, short_node<V>(preconditioner));
        } else if (preconditioner != "none") {
            throw InvalidParameter(preconditioner_slot, preconditioner,
                                   "none, since " + std::string(short_type(text)) + " has one of its own");
        }
    }
    return read_root<V>(std::move(object), {});
}

template <class V>
FactoryPtr<V> with_parameters(const LinOpFactory<V>& factory, std::string_view assignments)
{
    Node object = object_node();
    if (!assignments.empty()) {
        add_assignments(object, assignments, outline_of(factory));
    }
    auto changed = factory.copy();
    read_parameters(*changed, object, {}, {});
    return changed;
}

template <class V>
std::string to_json(const FactoryPtr<V>& factory)
{
    return print_json(factory == nullptr ? Node() : to_node(*factory));
}

template <class V>
ShortForm to_short(const LinOpFactory<V>& factory)
{
    const Node object = to_node(factory);
    ShortForm form{short_text(factory, object, preconditioner_slot), "none"};
    const Node* held = object.find(preconditioner_slot);
    if (held != nullptr && held->kind == Node::Kind::object) {
        form.preconditioner = short_text(*find_entry<V>(held->find("type")->text).create(), *held, {});
    }
    return form;
}

template <class V>
std::vector<std::string> registered_types(Kind kind)
{
    std::vector<std::string> types;
    for (const auto& entry : registry<V>()) {
        if (entry.kind == kind) {
            types.emplace_back(entry.type);
        }
    }
    return types;
}

template <class V>
Kind kind_of(std::string_view type)
{
    return find_entry<V>(type).kind;
}

}  // namespace linden::config
