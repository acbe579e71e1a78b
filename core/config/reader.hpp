#pragma once

#include <linden/parameters.hpp>

#include <string>
#include <string_view>
#include <vector>

#include "core/config/help.hpp"
#include "core/config/node.hpp"

namespace linden::config {

/// Sets the parameters that a configuration names; others keep their values.
/// All members @throws InvalidParameter with the path inside the configuration as its name
class Reader final : public ParameterVisitor {
public:
    /// `object` holds the parameters, or is a word that stands for none. `path` is its place in the text that `origin`
    /// names in errors; short forms have no origin. `object` and `origin` outlive the reader.
    Reader(const Node& object, std::string path, std::string_view origin)
        : object_(object),
          path_(std::move(path)),
          origin_(origin)
    {
    }

    /// Rejects members that are not parameters.
    void finish() const;

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
    const Node* find(std::string_view name);
    [[noreturn]] void fail(std::string_view name, const Node& node, std::string_view allowed) const;

    const Node& object_;
    std::string path_;
    std::string_view origin_;
    std::vector<std::string> known_;
    std::vector<HelpRow> inside_;  ///< of groups, with their paths
};

/// Lets `node`, which stands at `path`, hold the values of what `described` describes.
template <class Described>
void read_parameters(Described& described, const Node& node, std::string path, std::string_view origin)
{
    Reader reader(node, std::move(path), origin);
    described.describe(reader);
    reader.finish();
}

/// The factory that `node`, the whole of a configuration, describes.
template <class V>
FactoryPtr<V> read_root(Node node, std::string_view origin)
{
    Node holder = object_node();
    holder.add({}, std::move(node));
    FactoryPtr<V> factory;
    Reader(holder, {}, origin).template factory<V>({}, factory, {});
    return factory;
}

}  // namespace linden::config
