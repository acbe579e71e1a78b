#include <linden/preconditioner/scaled.hpp>

#include <linden/error.hpp>

#include <array>
#include <string>

#include "core/matrix/visit_csr.hpp"
#include "core/preconditioner/equilibration.hpp"

// instantiate: class Scaled<V>

namespace linden {

template <class V>
void Scaled<V>::Parameters::describe(ParameterVisitor& v)
{
    static constexpr std::array<std::string_view, 3> norms{"infinity", "two", "one"};
    v.choice("norm", norm, norms, "norm of rows and columns that becomes 1");
    v("scaling_steps", scaling_steps, "number of iterations for it, at least 1");
    v("powers_of_two", powers_of_two, "round factors to powers of two, which change no digits");
    v.factory("inner", inner, "preconditioner or solver for the scaled matrix; none: the identity");
}

template <class V>
Scaled<V>::Scaled(Executor exec, Parameters parameters, LinOpPtr<V> matrix)
    : ScaledOperator<V>(exec, type_name, false, std::move(matrix)),
      parameters_(std::move(parameters))
{
    if (parameters_.scaling_steps < 1) {
        throw InvalidParameter("scaling_steps", std::to_string(parameters_.scaling_steps), "at least 1");
    }
    visit_csr(type_name, *this->matrix(), [&]<class I>(const Csr<V, I>& a) {
        equilibration_ = std::make_shared<detail::EquilibrationOf<V, I>>(a);
    });
    this->generate(parameters_.inner);
}

template <class V>
std::unique_ptr<LinOp<V>> Scaled<V>::clone(const Executor& exec) const
{
    return std::make_unique<Scaled>(exec, parameters_, this->matrix()->clone(exec));
}

template <class V>
void Scaled<V>::find_scaling(const LinOp<V>& matrix, V* rows, V* columns)
{
    equilibration_->compute(matrix, parameters_.norm, parameters_.scaling_steps, parameters_.powers_of_two, rows,
                            columns);
}

}  // namespace linden
