#pragma once

#include <linden/fwd.hpp>
#include <linden/types.hpp>

#include <memory>
#include <span>
#include <string>
#include <string_view>

/// Reflection of parameter structs: one `describe(ParameterVisitor&)` per struct serves printing, help texts, reading
/// from a configuration and rejecting unknown keys.
namespace linden {

class ParameterVisitor;

/// A type-erased factory member of a parameter struct.
class LINDEN_EXPORT FactorySlot {
public:
    virtual ~FactorySlot() = default;
    virtual ValueType value_type() const = 0;
    /// The registered name of the factory, as in `Cg`; empty if there is none.
    virtual std::string type() const = 0;
    /// Stores a factory with default parameters and lets `v` set them. @throws InvalidParameter if the type is unknown
    virtual void emplace(std::string_view type, ParameterVisitor& v) = 0;
    virtual void clear() = 0;
    /// Visits the parameters of the stored factory.
    virtual void describe(ParameterVisitor& v) const = 0;
};

/// A parameter that is a group of parameters.
class LINDEN_EXPORT ParameterGroup {
public:
    virtual ~ParameterGroup() = default;
    virtual void describe(ParameterVisitor& v) = 0;
};

/// Visits the members of a parameter struct: name, reference, meaning. The meaning is shown by help texts.
class LINDEN_EXPORT ParameterVisitor {
public:
    virtual ~ParameterVisitor() = default;

    void operator()(std::string_view name, bool& value, std::string_view meaning) { flag(name, value, meaning); }
    void operator()(std::string_view name, size_type& value, std::string_view meaning)
    {
        integer(name, value, meaning);
    }
    void operator()(std::string_view name, double& value, std::string_view meaning) { number(name, value, meaning); }
    void operator()(std::string_view name, std::string& value, std::string_view meaning) { text(name, value, meaning); }

    /// An enumeration whose values 0, 1, ... are called `choices`.
    template <class Enum>
    void choice(std::string_view name, Enum& value, std::span<const std::string_view> choices, std::string_view meaning)
    {
        int index = static_cast<int>(value);
        one_of(name, index, choices, meaning);
        value = static_cast<Enum>(index);
    }

    /// A struct with a `describe` of its own.
    template <class Group>
    void group(std::string_view name, Group& value, std::string_view meaning)
    {
        struct Member final : ParameterGroup {
            explicit Member(Group& g) : held(g) {}
            void describe(ParameterVisitor& v) override { held.describe(v); }
            Group& held;
        } member(value);
        nested(name, member, meaning);
    }

    /// A factory of value type V; core/config/registry.cpp lists the types.
    template <class V>
    void factory(std::string_view name, FactoryPtr<V>& value, std::string_view meaning);

protected:
    virtual void flag(std::string_view name, bool& value, std::string_view meaning) = 0;
    virtual void integer(std::string_view name, size_type& value, std::string_view meaning) = 0;
    virtual void number(std::string_view name, double& value, std::string_view meaning) = 0;
    virtual void text(std::string_view name, std::string& value, std::string_view meaning) = 0;
    virtual void one_of(std::string_view name, int& index, std::span<const std::string_view> choices,
                        std::string_view meaning) = 0;
    virtual void nested(std::string_view name, ParameterGroup& group, std::string_view meaning) = 0;
    virtual void slot(std::string_view name, FactorySlot& slot, std::string_view meaning) = 0;
};

}  // namespace linden
