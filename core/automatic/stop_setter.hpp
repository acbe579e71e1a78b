#pragma once

#include <linden/parameters.hpp>
#include <linden/stop/stop.hpp>

namespace linden::detail {

/// Sets the stopping rule among the parameters of a factory: what means the residual, and, unless the solver has limits
/// of its own, those of iterations.
class StopSetter final : public ParameterVisitor {
public:
    StopSetter(const Stop& stop, bool sets_limits) : stop_(stop), sets_limits_(sets_limits) {}

private:
    void nested(std::string_view name, ParameterGroup& group, std::string_view) override
    {
        is_in_stop_ = name == "stop";
        if (is_in_stop_) {
            group.describe(*this);
        }
        is_in_stop_ = false;
    }
    void integer(std::string_view name, size_type& value, std::string_view) override
    {
        set(sets_limits_ && name == "max_iterations", value, stop_.max_iterations);
        set(sets_limits_ && name == "stagnation_iterations", value, stop_.stagnation_iterations);
    }
    void number(std::string_view name, double& value, std::string_view) override
    {
        set(name == "relative_residual", value, stop_.relative_residual);
        set(name == "absolute_residual", value, stop_.absolute_residual);
        set(sets_limits_ && name == "divergence", value, stop_.divergence);
    }
    void one_of(std::string_view name, int& index, std::span<const std::string_view>, std::string_view) override
    {
        set(name == "baseline", index, static_cast<int>(stop_.baseline));
    }
    void flag(std::string_view, bool&, std::string_view) override {}
    void text(std::string_view, std::string&, std::string_view) override {}
    void slot(std::string_view, FactorySlot&, std::string_view) override {}

    template <class T>
    void set(bool is_meant, T& value, const T& wanted) const
    {
        if (is_in_stop_ && is_meant) {
            value = wanted;
        }
    }

    const Stop& stop_;
    bool sets_limits_;
    bool is_in_stop_ = false;
};

}  // namespace linden::detail
