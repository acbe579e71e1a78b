#include <linden/error.hpp>
#include <linden/matrix/dense.hpp>
#include <linden/solver/triangular.hpp>

#include "core/config/parameter_names.hpp"
#include "core/matrix/csr_operator.hpp"
#include "core/triangular/triangular_solve.hpp"

// instantiate: class CsrOperator<Triangular, V>
// instantiate: class Triangular<V>

namespace linden {
namespace {

constexpr std::string_view algorithm_names[] = {"automatic", "levels", "syncfree", "segments",
                                                "jacobi",    "vendor", "isai"};
constexpr std::string_view side_names[] = {"lower", "upper"};
constexpr std::string_view operation_names[] = {"none", "transpose", "conjugate_transpose"};

}  // namespace

void TriangularOptions::describe(ParameterVisitor& v)
{
    v.choice("trisolve", algorithm, algorithm_names,
             "algorithm of the triangular solves; jacobi and isai are approximate");
    v("sweeps", sweeps, "trisolve=jacobi: number of Jacobi sweeps, 0 for 3; isai: number of products with M, 0 for 1");
    v("block_size", block_size, "trisolve=jacobi: maximum rows of a diagonal block, 1 to 32");
    v("power", power, "trisolve=isai: M ~ T^-1 on the pattern of T^power, at least 1");
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
    : CsrOperator<Triangular, V>(std::move(exec), detail::square("Triangular", matrix->size())),
      parameters_(parameters),
      matrix_(std::move(matrix))
{
    visit_csr("Triangular", *matrix_, [&]<class I>(const Csr<V, I>& a) {
        impl_ = detail::make_triangular_solve<V, I>(
            a, {parameters.side, parameters.unit_diagonal, parameters.operation}, parameters.solve, nullptr);
    });
}

template <class V>
TriangularAlgorithm Triangular<V>::algorithm() const
{
    return impl_->algorithm();
}

template <class V>
size_type Triangular<V>::num_levels() const
{
    return impl_->num_levels();
}

template <class V>
size_type Triangular<V>::num_zero_diagonals() const
{
    return impl_->num_zero_diagonals();
}

template <class V>
void Triangular<V>::apply_impl(const Dense<V>& b, Dense<V>& x) const
{
    impl_->solve(b, x);
}

}  // namespace linden
