#include <linden/preconditioner/symmetric_scaling.hpp>

#include "core/kernels/csr.hpp"
#include "core/kernels/jacobi.hpp"
#include "core/matrix/visit_csr.hpp"

// instantiate: class SymmetricScaling<V>

namespace linden {

template <class V>
void SymmetricScaling<V>::Parameters::describe(ParameterVisitor& v)
{
    v.factory("inner", inner, "preconditioner or solver for the scaled matrix; none: the identity");
}

template <class V>
SymmetricScaling<V>::SymmetricScaling(Executor exec, Parameters parameters, LinOpPtr<V> matrix)
    : ScaledOperator<V>(exec, type_name, true, std::move(matrix)),
      parameters_(std::move(parameters)),
      num_zeros_(exec, 1)
{
    this->generate(parameters_.inner);
}

template <class V>
std::unique_ptr<LinOp<V>> SymmetricScaling<V>::clone(const Executor& exec) const
{
    return std::make_unique<SymmetricScaling>(exec, parameters_, this->matrix()->clone(exec));
}

template <class V>
size_type SymmetricScaling<V>::num_zero_diagonals() const
{
    return num_zeros_.to_host().front();
}

template <class V>
void SymmetricScaling<V>::find_scaling(const LinOp<V>& matrix, V* rows, V*)
{
    visit_csr(type_name, matrix, [&]<class I>(const Csr<V, I>& a) {
        const DenseView<V> column{this->size().rows, 1, 1, rows};
        csr_extract_diagonal<V, I>(this->executor(), a.view(), column);
        jacobi_inverse_root<V>(this->executor(), column, num_zeros_.data());
    });
}

}  // namespace linden
