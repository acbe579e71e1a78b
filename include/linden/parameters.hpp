#pragma once

#include <linden/fwd.hpp>
#include <linden/types.hpp>

#include <memory>
#include <span>
#include <string>
#include <string_view>

/// How a parameter struct tells its contents: one `describe(ParameterVisitor&)` per struct serves printing, help,
/// reading from a configuration and the refusal of unknown keys.
namespace linden {

class ParameterVisitor;

/// A place for a factory in a parameter struct, whatever its value type.
class LINDEN_EXPORT FactorySlot {
public:
    virtual ~FactorySlot() = default;
    virtual ValueType value_type() const = 0;
    /// Its registered name as in `Cg`; empty if the slot is.
    virtual std::string type() const = 0;
    /// Puts a factory with default parameters there, and lets `v` fill them. @throws InvalidParameter if unknown
    virtual void emplace(std::string_view type, ParameterVisitor& v) = 0;
    virtual void clear() = 0;
    /// Shows the parameters of the factory that is there.
    virtual void describe(ParameterVisitor& v) const = 0;
};

/// A parameter that is a group of parameters.
class LINDEN_EXPORT ParameterGroup {
public:
    virtual ~ParameterGroup() = default;
    virtual void describe(ParameterVisitor& v) = 0;
};

/// Visits the fields of a parameter struct: name, reference, meaning.
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

    /// A factory of value type V; core/config knows which there are.
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
