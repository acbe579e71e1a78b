#include <linden/error.hpp>
#include <linden/matrix/dense.hpp>
#include <linden/preconditioner/incomplete_poisson.hpp>

#include <cmath>

#include "core/base/check_parameter.hpp"
#include "core/kernels/incomplete_poisson.hpp"
#include "core/matrix/inverse_diagonal.hpp"
#include "core/matrix/new_values.hpp"
#include "core/matrix/pattern_operations.hpp"
#include "core/matrix/square.hpp"
#include "core/matrix/visit_csr.hpp"

// instantiate: class IncompletePoisson<V>

/// An application is a product with a matrix on A's pattern and the diagonal: 2 n words and the entries, 2 nnz - n
/// operations (9 n for the 5-point stencil, as for A itself). Its limit is (2 n V + bytes of the matrix) / bandwidth.
namespace linden {
namespace {

/// A's pattern and the diagonal, with room for values.
template <class V, class I>
Csr<V, I> with_diagonal(const Csr<V, I>& a)
{
    const auto& exec = a.executor();
    auto p = detail::pattern_with_diagonal<I>(exec, a.view());
    const auto nnz = p.col_idxs.size();
    return Csr<V, I>(exec, a.size(), std::move(p.row_ptrs), std::move(p.col_idxs), Array<V>(exec, nnz));
}

/// D^-1 and, with its zeros counted, the values of M^-1.
template <class V, class I>
void fill(const Csr<V, I>& a, bool is_scaled, double threshold, Array<V>& diagonal, Array<size_type>& num_zeros,
          Csr<V, I>& inverse)
{
    detail::invert_diagonal(a, diagonal.data(), num_zeros.data());
    incomplete_poisson_values<V, I>(a.executor(), a.view(), a.values(), diagonal.data(), inverse.view(), is_scaled,
                                    threshold, inverse.values());
}

/// The entries that are not zero.
template <class V, class I>
Csr<V, I> without_zeros(Csr<V, I> matrix)
{
    const auto& exec = matrix.executor();
    Array<I> row_ptrs(exec, matrix.size().rows + 1);
    incomplete_poisson_count_kept<V, I>(exec, matrix.view(), matrix.values(), row_ptrs.data());
    const auto nnz = detail::make_row_ptrs(row_ptrs, "the preconditioner");
    Array<I> col_idxs(exec, nnz);
    Array<V> values(exec, nnz);
    incomplete_poisson_take_kept<V, I>(exec, matrix.view(), matrix.values(), row_ptrs.data(), col_idxs.data(),
                                       values.data());
    return Csr<V, I>(exec, matrix.size(), std::move(row_ptrs), std::move(col_idxs), std::move(values));
}

}  // namespace

template <class V>
void IncompletePoisson<V>::Parameters::describe(ParameterVisitor& v)
{
    v("scaling", scaling, "scale the matrix to a unit diagonal first");
    v("threshold", threshold, "drop tolerance: off-diagonal entries of smaller magnitude are dropped");
}

template <class V>
IncompletePoisson<V>::IncompletePoisson(Executor exec, Parameters parameters, LinOpPtr<V> matrix)
    : LinOp<V>(exec, detail::square("IncompletePoisson", matrix->size())),
      is_scaled_(parameters.scaling),
      diagonal_(exec, matrix->size().rows),
      num_zeros_(exec, 1)
{
    check_parameter(parameters.threshold >= 0 && std::isfinite(parameters.threshold), "threshold", parameters.threshold,
                    "a number of at least 0");
    visit_csr("IncompletePoisson", *matrix, [&]<class I>(const Csr<V, I>& a) {
        matrix_nonzeros_ = a.num_nonzeros();
        auto inverse = with_diagonal(a);
        fill(a, is_scaled_, parameters.threshold, diagonal_, num_zeros_, inverse);
        inverse_ = std::make_unique<Csr<V, I>>(parameters.threshold > 0 ? without_zeros(std::move(inverse))
                                                                        : std::move(inverse));
    });
}

template <class V>
IncompletePoisson<V>::IncompletePoisson(const IncompletePoisson& other, const Executor& exec)
    : LinOp<V>(exec, other.size()),
      is_scaled_(other.is_scaled_),
      matrix_nonzeros_(other.matrix_nonzeros_),
      diagonal_(other.diagonal_.clone(exec)),
      num_zeros_(other.num_zeros_.clone(exec)),
      inverse_(other.inverse_->clone(exec))
{
}

template <class V>
std::unique_ptr<LinOp<V>> IncompletePoisson<V>::clone(const Executor& exec) const
{
    return std::unique_ptr<LinOp<V>>(new IncompletePoisson(*this, exec));
}

template <class V>
void IncompletePoisson<V>::update_values(LinOpPtr<V> matrix)
{
    matrix = new_values_here(*this, std::move(matrix));
    visit_csr("IncompletePoisson", *inverse_, [&]<class I>(const Csr<V, I>&) {
        const auto& a = csr_of<V, I>("IncompletePoisson", *matrix, matrix_nonzeros_);
        fill(a, is_scaled_, 0, diagonal_, num_zeros_, static_cast<Csr<V, I>&>(*inverse_));
    });
}

template <class V>
size_type IncompletePoisson<V>::num_nonzeros() const
{
    size_type num = 0;
    visit_csr("IncompletePoisson", *inverse_, [&](const auto& inverse) { num = inverse.num_nonzeros(); });
    return num;
}

template <class V>
size_type IncompletePoisson<V>::num_zero_diagonals() const
{
    return num_zeros_.to_host().front();
}

template <class V>
void IncompletePoisson<V>::apply_impl(const Dense<V>& b, Dense<V>& x) const
{
    inverse_->apply(b, x);
}

template <class V>
void IncompletePoisson<V>::apply_impl(Scalar<V> alpha, const Dense<V>& b, Scalar<V> beta, Dense<V>& x) const
{
    inverse_->apply(alpha, b, beta, x);
}

template <class V>
void IncompletePoisson<V>::apply_dot_impl(const Dense<V>& b, Dense<V>& x, const DotRequest<V>& dots) const
{
    inverse_->apply_dot(b, x, dots);
}

}  // namespace linden
