#pragma once

#include <linden/error.hpp>
#include <linden/lin_op.hpp>
#include <linden/parameters.hpp>

#include <concepts>
#include <memory>
#include <optional>
#include <utility>

namespace linden {

/// Parameters from which an operator is generated for a given operator, e.g. a solver for a matrix.
template <class V>
class LINDEN_EXPORT LinOpFactory {
public:
    virtual ~LinOpFactory() = default;
    /// The name in configurations, which is the name of the C++ type: `Cg`.
    virtual std::string type() const = 0;
    /// The operator for `matrix`, on the factory's executor if it has one, else on the matrix's.
    /// @throws what the operator's constructor throws
    virtual std::unique_ptr<LinOp<V>> make(LinOpPtr<V> matrix) const = 0;
    virtual void describe(ParameterVisitor& v) = 0;
    /// A copy whose parameters can be changed through `describe`.
    virtual std::shared_ptr<LinOpFactory> copy() const = 0;
};

/// The factory of operators `Op`, which has a `Parameters` struct, a `static constexpr std::string_view type_name` and
/// a constructor (Executor, Parameters, LinOpPtr).
///
/// If GCC says that it cannot convert a list in braces to `Parameters`, write the type before the braces, as in
/// `Cg<double>::factory(Cg<double>::Parameters{.stop = ...})`: it then names the member that is wrong.
template <class Op>
class LINDEN_EXPORT Factory final : public LinOpFactory<typename Op::value_type> {
public:
    using value_type = typename Op::value_type;
    using Parameters = typename Op::Parameters;

    explicit Factory(Parameters parameters = {}, std::optional<Executor> exec = {})
        : parameters_(std::move(parameters)),
          exec_(std::move(exec))
    {
    }

    /// A copy of this factory that generates operators on `exec`.
    Factory on(const Executor& exec) const { return Factory(parameters_, exec); }

    /// Generates the operator for `matrix`, which is copied if it is on another executor.
    /// @throws InvalidParameter if it is null, and what the operator's constructor throws
    std::unique_ptr<Op> generate(LinOpPtr<value_type> matrix) const
    {
        if (matrix == nullptr) {
            throw InvalidParameter("matrix", "null", "an operator");
        }
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

namespace detail {

template <class V, class F>
class FunctionFactory final : public LinOpFactory<V> {
public:
    FunctionFactory(F function, std::string type) : function_(std::move(function)), type_(std::move(type)) {}

    std::string type() const override { return type_; }
    std::unique_ptr<LinOp<V>> make(LinOpPtr<V> matrix) const override { return function_(std::move(matrix)); }
    void describe(ParameterVisitor&) override {}
    std::shared_ptr<LinOpFactory<V>> copy() const override { return std::make_shared<FunctionFactory>(*this); }

private:
    F function_;
    std::string type_;
};

}  // namespace detail

/// A factory that calls `function(LinOpPtr<V>)`, which returns a unique pointer to an operator. With it a user-defined
/// preconditioner becomes a parameter of a solver. Printed as `type`; configurations cannot name it.
template <class V, class F>
requires std::invocable<F, LinOpPtr<V>> FactoryPtr<V> make_factory(F function, std::string type = "custom")
{
    return std::make_shared<const detail::FunctionFactory<V, F>>(std::move(function), std::move(type));
}

/// A factory of a user-defined operator whose constructor takes only the matrix: `make_factory<MyPreconditioner>()`.
template <class Op>
requires std::constructible_from<Op, LinOpPtr<typename Op::value_type>> FactoryPtr<typename Op::value_type>
make_factory(std::string type = "custom")
{
    using Matrix = LinOpPtr<typename Op::value_type>;
    return make_factory<typename Op::value_type>([](Matrix matrix) { return std::make_unique<Op>(std::move(matrix)); },
                                                 std::move(type));
}

}  // namespace linden
