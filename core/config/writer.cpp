#include "core/config/writer.hpp"

#include "core/config/json.hpp"

namespace linden::config {

void Writer::flag(std::string_view name, bool& value, std::string_view)
{
    object_.add(name, text_node(Node::Kind::boolean, value ? "true" : "false")).boolean = value;
}

void Writer::integer(std::string_view name, size_type& value, std::string_view)
{
    object_.add(name, integer_node(value));
}

void Writer::number(std::string_view name, double& value, std::string_view) { object_.add(name, number_node(value)); }

void Writer::text(std::string_view name, std::string& value, std::string_view)
{
    object_.add(name, text_node(Node::Kind::string, value));
}

void Writer::one_of(std::string_view name, int& index, std::span<const std::string_view> choices, std::string_view)
{
    object_.add(name, text_node(Node::Kind::string, choices[static_cast<std::size_t>(index)]));
}

void Writer::nested(std::string_view name, ParameterGroup& group, std::string_view)
{
    Writer inner(object_.add(name, object_node()));
    group.describe(inner);
}

void Writer::slot(std::string_view name, FactorySlot& slot, std::string_view)
{
    if (slot.type().empty()) {
        object_.add(name, text_node(Node::Kind::null, "null"));
        return;
    }
    Node& held = object_.add(name, object_node());
    held.add("type", text_node(Node::Kind::string, slot.type()));
    Writer inner(held);
    slot.describe(inner);
}

}  // namespace linden::config
