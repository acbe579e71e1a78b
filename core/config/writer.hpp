#pragma once

#include <linden/parameters.hpp>

#include <string_view>

#include "core/config/node.hpp"

namespace linden::config {

/// Reads off the values of parameters; those of an empty slot are `null`, of a filled one an object with its `type`.
class Writer final : public ParameterVisitor {
public:
    explicit Writer(Node& object) : object_(object) {}

protected:
    void flag(std::string_view name, bool& value, std::string_view meaning) override;
    void integer(std::string_view name, size_type& value, std::string_view meaning) override;
    void number(std::string_view name, double& value, std::string_view meaning) override;
    void text(std::string_view name, std::string& value, std::string_view meaning) override;
    void one_of(std::string_view name, int& index, std::span<const std::string_view> choices,
                std::string_view meaning) override;
    void nested(std::string_view name, ParameterGroup& group, std::string_view meaning) override;
    void slot(std::string_view name, FactorySlot& slot, std::string_view meaning) override;

private:
    Node& object_;
};

/// Shows the parameters of a factory to a visitor that does not write.
template <class V>
void show(const LinOpFactory<V>& factory, ParameterVisitor& v)
{
    factory.copy()->describe(v);
}

/// The factory as an object: `type`, then its parameters.
template <class V>
Node to_node(const LinOpFactory<V>& factory)
{
    Node object = object_node();
    object.add("type", text_node(Node::Kind::string, factory.type()));
    Writer writer(object);
    show(factory, writer);
    return object;
}

}  // namespace linden::config
