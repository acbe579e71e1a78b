#include <linden/error.hpp>
#include <linden/preconditioner/jacobi.hpp>

#include "core/kernels/jacobi.hpp"
#include "core/matrix/inverse_diagonal.hpp"
#include "core/matrix/new_values.hpp"
#include "core/matrix/own_block.hpp"
#include "core/matrix/square.hpp"

// instantiate: class Jacobi<V>

namespace linden {
template <class V>
void Jacobi<V>::Parameters::describe(ParameterVisitor&)
{
}

template <class V>
Jacobi<V>::Jacobi(Executor exec, Parameters, LinOpPtr<V> matrix)
    : Jacobi(Diagonal<V>(exec, Array<V>(exec, detail::square("Jacobi", matrix->size()).rows)),
             Array<size_type>(exec, 1))
{
    invert_diagonal_of(*matrix);
}

template <class V>
Jacobi<V>::Jacobi(Diagonal<V> inverse, Array<size_type> num_zeros)
    : Diagonal<V>(std::move(inverse)),
      num_zeros_(std::move(num_zeros))
{
}

template <class V>
std::unique_ptr<LinOp<V>> Jacobi<V>::clone(const Executor& exec) const
{
    return std::unique_ptr<Jacobi>(new Jacobi(this->copy(exec), num_zeros_.clone(exec)));
}

template <class V>
void Jacobi<V>::update_values(LinOpPtr<V> matrix)
{
    invert_diagonal_of(*new_values_here(*this, std::move(matrix)));
}

template <class V>
void Jacobi<V>::invert_diagonal_of(const LinOp<V>& matrix)
{
    visit_own_block("Jacobi", matrix,
                    [&](const auto& csr) { detail::invert_diagonal(csr, this->values(), num_zeros_.data()); });
}

}  // namespace linden
