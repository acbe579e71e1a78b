#include <linden/error.hpp>
#include <linden/preconditioner/jacobi.hpp>

#include "core/kernels/jacobi.hpp"
#include "core/matrix/inverse_diagonal.hpp"
#include "core/matrix/new_values.hpp"
#include "core/matrix/own_block.hpp"
#include "core/matrix/square.hpp"

// instantiate: class Jacobi<V>

namespace linden {
namespace {

constexpr std::string_view kind_names[] = {"diagonal", "l1", "spai0"};

}  // namespace

template <class V>
void Jacobi<V>::Parameters::describe(ParameterVisitor& v)
{
    v.choice("kind", kind, kind_names,
             "diagonal: of the matrix; l1: sums of magnitudes of its rows; spai0: the nearest inverse");
}

template <class V>
Jacobi<V>::Jacobi(Executor exec, Parameters parameters, LinOpPtr<V> matrix)
    : Jacobi(parameters.kind, Diagonal<V>(exec, Array<V>(exec, detail::square("Jacobi", matrix->size()).rows)),
             Array<size_type>(exec, 1))
{
    invert_diagonal_of(*matrix);
}

template <class V>
Jacobi<V>::Jacobi(JacobiKind kind, Diagonal<V> inverse, Array<size_type> num_zeros)
    : Diagonal<V>(std::move(inverse)),
      kind_(kind),
      num_zeros_(std::move(num_zeros))
{
}

template <class V>
std::unique_ptr<LinOp<V>> Jacobi<V>::clone(const Executor& exec) const
{
    return std::unique_ptr<Jacobi>(new Jacobi(kind_, this->copy(exec), num_zeros_.clone(exec)));
}

template <class V>
void Jacobi<V>::update_values(LinOpPtr<V> matrix)
{
    invert_diagonal_of(*new_values_here(*this, std::move(matrix)));
}

template <class V>
void Jacobi<V>::invert_diagonal_of(const LinOp<V>& matrix)
{
    visit_own_block("Jacobi", matrix, [&]<class I>(const Csr<V, I>& csr) {
        detail::invert_diagonal(csr, this->values(), num_zeros_.data());
        if (kind_ != JacobiKind::diagonal) {
            const auto which = kind_ == JacobiKind::l1 ? RowScale::sum : RowScale::nearest;
            jacobi_row_scales<V, I>(csr.executor(), csr.view(), which, this->values());
        }
    });
}

}  // namespace linden
