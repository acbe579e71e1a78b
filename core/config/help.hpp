#pragma once

#include <linden/parameters.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace linden::config {

/// The help on one parameter.
struct HelpRow {
    std::string name;  ///< with the groups it is in: `stop.max_iterations`
    std::string type;
    std::string value;  ///< the default
    std::string meaning;
};

/// Collects one row per parameter.
class HelpVisitor final : public ParameterVisitor {
public:
    explicit HelpVisitor(std::string prefix = {}) : prefix_(std::move(prefix)) {}

    const std::vector<HelpRow>& rows() const { return rows_; }

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
    void add(std::string_view name, std::string_view type, std::string_view value, std::string_view meaning);

    std::string prefix_;
    std::vector<HelpRow> rows_;
};

/// The rows as lines with aligned columns.
std::string table(const std::vector<HelpRow>& rows);

}  // namespace linden::config
