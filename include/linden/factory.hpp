#pragma once

#include <linden/lin_op.hpp>
#include <linden/parameters.hpp>

#include <memory>
#include <optional>
#include <utility>

namespace linden {

/// A recipe that makes an operator from an operator, e.g. a solver from a matrix.
template <class V>
class LinOpFactory {
public:
    virtual ~LinOpFactory() = default;
    /// The name in configurations, which is that of the C++ type: `Cg`.
    virtual std::string type() const = 0;
    /// The operator for `matrix`, on the factory's executor if it has one, else on the matrix's.
    /// @throws whatever the operator's constructor does
    virtual std::unique_ptr<LinOp<V>> make(LinOpPtr<V> matrix) const = 0;
    virtual void describe(ParameterVisitor& v) = 0;
    /// A copy whose parameters may be changed through `describe`.
    virtual std::shared_ptr<LinOpFactory> copy() const = 0;
};

/// The factory of operators `Op`, which has a `Parameters` struct, a `static constexpr std::string_view type_name` and
/// a constructor (Executor, Parameters, LinOpPtr).
template <class Op>
class Factory final : public LinOpFactory<typename Op::value_type> {
public:
    using value_type = typename Op::value_type;
    using Parameters = typename Op::Parameters;

    explicit Factory(Parameters parameters = {}, std::optional<Executor> exec = {})
        : parameters_(std::move(parameters)),
          exec_(std::move(exec))
    {
    }

    /// The same factory for operators on `exec`.
    Factory on(const Executor& exec) const { return Factory(parameters_, exec); }

    /// The operator for `matrix`, which is copied if it is on another executor.
    std::unique_ptr<Op> generate(LinOpPtr<value_type> matrix) const
    {
        const Executor exec = exec_.value_or(matrix->executor());
        if (!(matrix->executor() == exec)) {
            matrix = matrix->clone(exec);
        }
        return std::make_unique<Op>(exec, parameters_, std::move(matrix));
    }

    std::string type() const override { return std::string(Op::type_name); }
    std::unique_ptr<LinOp<value_type>> make(LinOpPtr<value_type> matrix) const override
    {
        return generate(std::move(matrix));
    }
    void describe(ParameterVisitor& v) override { parameters_.describe(v); }
    std::shared_ptr<LinOpFactory<value_type>> copy() const override { return std::make_shared<Factory>(*this); }
    const Parameters& parameters() const { return parameters_; }

    /// For use as a parameter of another factory.
    operator FactoryPtr<value_type>() const { return std::make_shared<const Factory>(*this); }

private:
    Parameters parameters_;
    std::optional<Executor> exec_;
};

/// Puts a value under shared ownership, so that factories can take it.
template <class Op>
std::shared_ptr<const Op> share(Op&& op)
{
    return std::make_shared<const Op>(std::move(op));
}

}  // namespace linden
