#include <linden/parameters.hpp>

#include "core/validation/cases.hpp"

namespace linden::validation {
namespace {

/// Lists what differs from the defaults in one place.
class Variations final : public ParameterVisitor {
public:
    explicit Variations(const std::string& factory) : factory_(factory) {}

    std::vector<std::string> found;

    /// Two choices at once, of different parameters.
    std::vector<std::string> pairs() const
    {
        std::vector<std::string> both;
        for (const auto& a : choices_) {
            for (const auto& b : choices_) {
                if (a.parameter < b.parameter) {
                    both.push_back(a.text + "," + b.text);
                }
            }
        }
        return both;
    }

protected:
    void flag(std::string_view name, bool& value, std::string_view) override
    {
        found.push_back(path(name) + (value ? "=false" : "=true"));
    }
    void one_of(std::string_view name, int& index, std::span<const std::string_view> choices, std::string_view) override
    {
        for (int i = 0; i < static_cast<int>(choices.size()); ++i) {
            if (i != index) {
                found.push_back(path(name) + "=" + std::string(choices[static_cast<std::size_t>(i)]));
                choices_.push_back({num_choosers_, found.back()});
            }
        }
        ++num_choosers_;
    }
    void nested(std::string_view name, ParameterGroup& group, std::string_view) override
    {
        if (name == "stop") {
            return;  // rules for when to end call the same kernels
        }
        const auto before = prefix_;
        prefix_ += std::string(name) + ".";
        group.describe(*this);
        prefix_ = before;
    }
    /// Twice as many, or two: a method with the default number of anything calls kernels for that alone.
    void integer(std::string_view name, size_type& value, std::string_view) override
    {
        found.push_back(path(name) + "=" + std::to_string(value < 2 ? value + 1 : 2));
    }
    void number(std::string_view name, double& value, std::string_view) override
    {
        found.push_back(path(name) + "=" + std::to_string(value == 0 ? 0.01 : value / 2));
    }
    void text(std::string_view, std::string&, std::string_view) override {}
    void slot(std::string_view name, FactorySlot&, std::string_view) override
    {
        if (!factory_.empty()) {
            found.push_back(path(name) + "=" + factory_);
        }
    }

private:
    std::string path(std::string_view name) const { return prefix_ + std::string(name); }
    struct Choice {
        int parameter;
        std::string text;
    };

    const std::string& factory_;
    int num_choosers_ = 0;
    std::vector<Choice> choices_;
    std::string prefix_;
};

}  // namespace

std::vector<std::string> variations(const std::function<void(ParameterVisitor&)>& describe, const std::string& factory)
{
    Variations visitor(factory);
    describe(visitor);
    auto all = visitor.found;
    const auto pairs = visitor.pairs();
    all.insert(all.end(), pairs.begin(), pairs.end());
    return all;
}

}  // namespace linden::validation
