#include <linden/error.hpp>
#include <linden/matrix/dense.hpp>
#include <linden/preconditioner/transformed_operator.hpp>

#include "core/base/of_member.hpp"
#include "core/kernels/dense.hpp"
#include "core/matrix/block_cache.hpp"
#include "core/matrix/new_values.hpp"
#include "core/matrix/operands.hpp"
#include "core/matrix/square.hpp"

// instantiate: class TransformedOperator<V>

namespace linden {
namespace {

/// ||b - A x|| of each column.
template <class V>
std::vector<real_t<V>> residual_norms(const LinOp<V>& a, const Dense<V>& b, const Dense<V>& x)
{
    Dense<V> r(a.executor(), b.size());
    a.apply(x, r);
    dense_axpby<V>(a.executor(), V{1}, b.view(), V{-1}, r.view());
    return r.norm2();
}

}  // namespace

template <class V>
TransformedOperator<V>::TransformedOperator(Executor exec, std::string_view type_name, LinOpPtr<V> matrix)
    : LinOp<V>(exec, detail::square(type_name, matrix->size())),
      type_name_(type_name),
      matrix_(std::move(matrix)),
      between_(std::make_unique<detail::BlockCache<V>>(exec))
{
}

template <class V>
void TransformedOperator<V>::generate(const FactoryPtr<V>& inner)
{
    auto transformed = transform(*matrix_);
    if (inner == nullptr) {
        return;
    }
    inner_ = detail::of_member("inner", [&] { return inner->make(std::move(transformed)); });
    if (inner_ == nullptr) {
        throw InvalidParameter("inner", "null", "an operator, which its factory makes");
    }
    if (inner_->size() != this->size()) {
        throw DimensionMismatch(type_name_, "the matrix", this->size(), "the inner operator", inner_->size());
    }
    if (inner_->is_identity()) {
        inner_ = nullptr;
    }
}

template <class V>
TransformedOperator<V>::~TransformedOperator() = default;
template <class V>
TransformedOperator<V>::TransformedOperator(TransformedOperator&&) noexcept = default;
template <class V>
TransformedOperator<V>& TransformedOperator<V>::operator=(TransformedOperator&&) noexcept = default;

template <class V>
bool TransformedOperator<V>::is_capturable() const
{
    return inner_ == nullptr || inner_->is_capturable();
}

template <class V>
void TransformedOperator<V>::update_values(LinOpPtr<V> matrix)
{
    matrix = new_values_here(*this, *matrix_, std::move(matrix));
    auto transformed = transform(*matrix);
    matrix_ = std::move(matrix);
    if (inner_ != nullptr) {
        inner_->update_values(std::move(transformed));
    }
}

template <class V>
void TransformedOperator<V>::apply_impl(const Dense<V>& b, Dense<V>& x) const
{
    const size_type count = b.size().rows * b.size().cols;
    typename detail::BlockCache<V>::Lease transformed_lease(*between_, count);
    auto transformed = transformed_lease.block(b.size());
    left().apply(b, transformed);  // b~ := L b
    if (inner_ == nullptr) {
        right().apply(transformed, x);  // x := R b~
        return;
    }
    typename detail::BlockCache<V>::Lease solution_lease(*between_, count);
    auto solution = solution_lease.block(b.size());
    inner_->apply(transformed, solution);  // x~ := M~^-1 b~
    right().apply(solution, x);            // x := R x~
}

template <class V>
SolveResult TransformedOperator<V>::solve(const Dense<V>& b, Dense<V>& x, const SolveOptions& options) const
{
    const auto* const solver = dynamic_cast<const Solver<V>*>(inner_.get());
    if (solver == nullptr) {
        throw NotSupported(
            std::string(type_name_) + "::solve",
            "the inner operator is " + (inner_ == nullptr ? "the identity" : "a " + inner_->name()) + ", not a solver");
    }
    detail::check_system(*this, b, x);
    detail::OperandsOn<V> here(this->executor(), b, x, true);
    auto result = solve_here(*solver, here.b(), here.x(), options);
    here.return_x();
    return result;
}

template <class V>
SolveResult TransformedOperator<V>::solve_here(const Solver<V>& solver, const Dense<V>& b, Dense<V>& x,
                                               const SolveOptions& options) const
{
    const auto rhs_norms = b.norm2();
    const auto before = residual_norms(*matrix_, b, x);
    Dense<V> transformed(this->executor(), b.size()), solution(this->executor(), b.size());
    left().apply(b, transformed);      // b~ := L b
    apply_right_inverse(x, solution);  // x~ := R^-1 x
    auto result = solver.solve(transformed, solution, options);
    right().apply(solution, x);  // x := R x~
    const auto after = residual_norms(*matrix_, b, x);
    for (std::size_t col = 0; col < result.columns.size(); ++col) {
        auto& column = result.columns[col];
        column.rhs_norm = rhs_norms[col];
        column.initial_residual = before[col];
        column.residual = after[col];
    }
    return result;
}

}  // namespace linden
