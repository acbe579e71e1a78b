#include <linden/error.hpp>
#include <linden/matrix/dense.hpp>
#include <linden/preconditioner/incomplete_factorization.hpp>

#include "core/factorization/incomplete_factors.hpp"
#include "core/matrix/new_values.hpp"
#include "core/matrix/square.hpp"

// instantiate: class IncompleteFactorization<V>

namespace linden {
template <class V>
IncompleteFactorization<V>::IncompleteFactorization(Executor exec, detail::FactorizationPlan plan, LinOpPtr<V> matrix)
    : LinOp<V>(std::move(exec), detail::square(plan.name, matrix->size())),
      plan_(std::move(plan)),
      matrix_(std::move(matrix)),
      factors_(detail::make_incomplete_factors<V>(*matrix_, plan_))
{
}

template <class V>
IncompleteFactorization<V>::~IncompleteFactorization() = default;
template <class V>
IncompleteFactorization<V>::IncompleteFactorization(IncompleteFactorization&&) noexcept = default;
template <class V>
IncompleteFactorization<V>& IncompleteFactorization<V>::operator=(IncompleteFactorization&&) noexcept = default;

template <class V>
std::unique_ptr<LinOp<V>> IncompleteFactorization<V>::clone(const Executor& exec) const
{
    return std::unique_ptr<LinOp<V>>(new IncompleteFactorization(exec, plan_, matrix_->clone(exec)));
}

template <class V>
void IncompleteFactorization<V>::update_values(LinOpPtr<V> matrix)
{
    matrix = new_values_here(*this, std::move(matrix));
    factors_->update(*matrix);
    matrix_ = std::move(matrix);
}

template <class V>
size_type IncompleteFactorization<V>::num_bad_pivots() const
{
    return factors_->report().num_bad;
}

template <class V>
size_type IncompleteFactorization<V>::first_bad_row() const
{
    const auto report = factors_->report();
    return report.num_bad == 0 ? -1 : report.first_row;
}

template <class V>
LinOpPtr<V> IncompleteFactorization<V>::factors() const
{
    return factors_->factors();
}

template <class V>
size_type IncompleteFactorization<V>::num_nonzeros() const
{
    return factors_->num_nonzeros();
}

template <class V>
bool IncompleteFactorization<V>::is_capturable() const
{
    return factors_->is_capturable();
}

template <class V>
TriangularAlgorithm IncompleteFactorization<V>::algorithm() const
{
    return factors_->lower().algorithm();
}

template <class V>
size_type IncompleteFactorization<V>::num_levels() const
{
    return factors_->lower().num_levels();
}

template <class V>
void IncompleteFactorization<V>::apply_impl(const Dense<V>& b, Dense<V>& x) const
{
    factors_->apply(b, x);
}

}  // namespace linden
