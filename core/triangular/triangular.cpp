#include <linden/error.hpp>
#include <linden/matrix/dense.hpp>
#include <linden/solver/triangular.hpp>

#include "core/config/parameter_names.hpp"
#include "core/matrix/new_values.hpp"
#include "core/matrix/square.hpp"
#include "core/triangular/triangular_solve.hpp"

// instantiate: class Triangular<V>

namespace linden {
namespace {

constexpr std::string_view algorithm_names[] = {"automatic", "levels", "syncfree", "segments", "jacobi", "vendor"};
constexpr std::string_view side_names[] = {"lower", "upper"};
constexpr std::string_view operation_names[] = {"none", "transpose", "conjugate_transpose"};

}  // namespace

void TriangularOptions::describe(ParameterVisitor& v)
{
    v.choice("trisolve", algorithm, algorithm_names, "algorithm of the triangular solves; jacobi is approximate");
    v("sweeps", sweeps, "trisolve=jacobi: number of Jacobi sweeps, at least 1");
    v("block_size", block_size, "trisolve=jacobi: maximum rows of a diagonal block, 1 to 32");
    v.choice("storage", storage, config::storage_names, "precision of the stored factors");
}

template <class V>
void Triangular<V>::Parameters::describe(ParameterVisitor& v)
{
    v.choice("side", side, side_names, "triangle T of the matrix");
    v("unit_diagonal", unit_diagonal, "assume ones on the diagonal");
    v.choice("operation", operation, operation_names, "solve with T, T^T or T^H");
    solve.describe(v);
}

template <class V>
Triangular<V>::Triangular(Executor exec, Parameters parameters, LinOpPtr<V> matrix)
    : LinOp<V>(std::move(exec), detail::square("Triangular", matrix->size())),
      parameters_(parameters),
      matrix_(std::move(matrix)),
      solve_(detail::make_triangular_solve<V>(
          "Triangular", *matrix_, {parameters.side, parameters.unit_diagonal, parameters.operation}, parameters.solve))
{
}

template <class V>
Triangular<V>::~Triangular() = default;
template <class V>
Triangular<V>::Triangular(Triangular&&) noexcept = default;
template <class V>
Triangular<V>& Triangular<V>::operator=(Triangular&&) noexcept = default;

template <class V>
std::unique_ptr<LinOp<V>> Triangular<V>::clone(const Executor& exec) const
{
    return std::make_unique<Triangular>(exec, parameters_, matrix_->clone(exec));
}

template <class V>
void Triangular<V>::update_values(LinOpPtr<V> matrix)
{
    matrix = new_values_here(*this, std::move(matrix));
    solve_->update(*matrix);
    matrix_ = std::move(matrix);
}

template <class V>
bool Triangular<V>::is_capturable() const
{
    return solve_->is_capturable();
}

template <class V>
TriangularAlgorithm Triangular<V>::algorithm() const
{
    return solve_->algorithm();
}

template <class V>
size_type Triangular<V>::num_levels() const
{
    return solve_->num_levels();
}

template <class V>
size_type Triangular<V>::num_zero_diagonals() const
{
    return solve_->num_zero_diagonals();
}

template <class V>
void Triangular<V>::apply_impl(const Dense<V>& b, Dense<V>& x) const
{
    solve_->solve(b, x);
}

}  // namespace linden
