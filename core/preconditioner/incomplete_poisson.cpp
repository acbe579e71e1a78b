#include <linden/error.hpp>
#include <linden/matrix/dense.hpp>
#include <linden/preconditioner/incomplete_poisson.hpp>

#include <cmath>

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
namespace detail {

/// M^-1, for any index type.
template <class V>
class PoissonInverse {
public:
    virtual ~PoissonInverse() = default;

    virtual const LinOp<V>& matrix() const = 0;
    virtual void update(const LinOp<V>& a) = 0;
    virtual std::unique_ptr<PoissonInverse> clone(const Executor& exec) const = 0;
    virtual size_type num_nonzeros() const = 0;
    virtual size_type num_zero_diagonals() const = 0;
};

}  // namespace detail

namespace {

template <class V, class I>
class PoissonInverseOf final : public detail::PoissonInverse<V> {
public:
    PoissonInverseOf(const Csr<V, I>& a, const typename IncompletePoisson<V>::Parameters& p)
        : is_scaled_(p.scaling),
          num_nonzeros_of_a_(a.num_nonzeros()),
          diagonal_(a.executor(), a.size().rows),
          num_zeros_(a.executor(), 1),
          matrix_(with_diagonal(a))
    {
        fill(a, p.threshold);
        if (p.threshold > 0) {
            drop_zeros();
        }
    }

    const LinOp<V>& matrix() const override { return matrix_; }
    void update(const LinOp<V>& a) override { fill(csr_of<V, I>("IncompletePoisson", a, num_nonzeros_of_a_), 0); }
    std::unique_ptr<detail::PoissonInverse<V>> clone(const Executor& exec) const override
    {
        return std::unique_ptr<PoissonInverseOf>(new PoissonInverseOf(*this, exec));
    }
    size_type num_nonzeros() const override { return matrix_.num_nonzeros(); }
    size_type num_zero_diagonals() const override { return num_zeros_.to_host().front(); }

private:
    PoissonInverseOf(const PoissonInverseOf& other, const Executor& exec)
        : is_scaled_(other.is_scaled_),
          num_nonzeros_of_a_(other.num_nonzeros_of_a_),
          diagonal_(other.diagonal_.clone(exec)),
          num_zeros_(other.num_zeros_.clone(exec)),
          matrix_(other.matrix_.copy(exec))
    {
    }

    static Csr<V, I> with_diagonal(const Csr<V, I>& a)
    {
        const auto& exec = a.executor();
        auto p = detail::pattern_with_diagonal<I>(exec, a.view());
        const auto nnz = p.col_idxs.size();
        return Csr<V, I>(exec, a.size(), std::move(p.row_ptrs), std::move(p.col_idxs), Array<V>(exec, nnz));
    }

    void fill(const Csr<V, I>& a, double threshold)
    {
        const auto& exec = a.executor();
        detail::invert_diagonal(a, diagonal_.data(), num_zeros_.data());
        incomplete_poisson_values<V, I>(exec, a.view(), a.values(), diagonal_.data(), matrix_.view(), is_scaled_,
                                        threshold, matrix_.values());
    }

    void drop_zeros()
    {
        const auto& exec = matrix_.executor();
        Array<I> row_ptrs(exec, matrix_.size().rows + 1);
        incomplete_poisson_count_kept<V, I>(exec, matrix_.view(), matrix_.values(), row_ptrs.data());
        const auto nnz = detail::make_row_ptrs(row_ptrs, "the preconditioner");
        Array<I> col_idxs(exec, nnz);
        Array<V> values(exec, nnz);
        incomplete_poisson_take_kept<V, I>(exec, matrix_.view(), matrix_.values(), row_ptrs.data(), col_idxs.data(),
                                           values.data());
        matrix_ = Csr<V, I>(exec, matrix_.size(), std::move(row_ptrs), std::move(col_idxs), std::move(values));
    }

    bool is_scaled_;
    size_type num_nonzeros_of_a_;
    Array<V> diagonal_;  ///< D^-1
    Array<size_type> num_zeros_;
    Csr<V, I> matrix_;
};

template <class V>
std::unique_ptr<detail::PoissonInverse<V>> inverse_of(const LinOp<V>& matrix,
                                                      const typename IncompletePoisson<V>::Parameters& p)
{
    if (!(p.threshold >= 0) || !std::isfinite(p.threshold)) {
        throw InvalidParameter("threshold", std::to_string(p.threshold), "a number of at least 0");
    }
    detail::square("IncompletePoisson", matrix.size());
    std::unique_ptr<detail::PoissonInverse<V>> result;
    visit_csr("IncompletePoisson", matrix,
              [&]<class I>(const Csr<V, I>& a) { result = std::make_unique<PoissonInverseOf<V, I>>(a, p); });
    return result;
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
    : IncompletePoisson(exec, matrix->size(), inverse_of<V>(*matrix, parameters))
{
}

template <class V>
IncompletePoisson<V>::IncompletePoisson(const Executor& exec, Dim size,
                                        std::unique_ptr<detail::PoissonInverse<V>> inverse)
    : LinOp<V>(exec, size),
      inverse_(std::move(inverse))
{
}

template <class V>
IncompletePoisson<V>::~IncompletePoisson() = default;
template <class V>
IncompletePoisson<V>::IncompletePoisson(IncompletePoisson&&) noexcept = default;
template <class V>
IncompletePoisson<V>& IncompletePoisson<V>::operator=(IncompletePoisson&&) noexcept = default;

template <class V>
std::unique_ptr<LinOp<V>> IncompletePoisson<V>::clone(const Executor& exec) const
{
    return std::unique_ptr<LinOp<V>>(new IncompletePoisson(exec, this->size(), inverse_->clone(exec)));
}

template <class V>
void IncompletePoisson<V>::update_values(LinOpPtr<V> matrix)
{
    inverse_->update(*new_values_here(*this, std::move(matrix)));
}

template <class V>
const LinOp<V>& IncompletePoisson<V>::inverse() const
{
    return inverse_->matrix();
}

template <class V>
size_type IncompletePoisson<V>::num_nonzeros() const
{
    return inverse_->num_nonzeros();
}

template <class V>
size_type IncompletePoisson<V>::num_zero_diagonals() const
{
    return inverse_->num_zero_diagonals();
}

template <class V>
void IncompletePoisson<V>::apply_impl(const Dense<V>& b, Dense<V>& x) const
{
    inverse_->matrix().apply(b, x);
}

template <class V>
void IncompletePoisson<V>::apply_impl(Scalar<V> alpha, const Dense<V>& b, Scalar<V> beta, Dense<V>& x) const
{
    inverse_->matrix().apply(alpha, b, beta, x);
}

template <class V>
void IncompletePoisson<V>::apply_dot_impl(const Dense<V>& b, Dense<V>& x, const DotRequest<V>& dots) const
{
    inverse_->matrix().apply_dot(b, x, dots);
}

}  // namespace linden
