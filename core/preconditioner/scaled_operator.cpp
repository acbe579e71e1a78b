#include <linden/error.hpp>
#include <linden/matrix/dense.hpp>
#include <linden/preconditioner/scaled_operator.hpp>

#include "core/kernels/csr.hpp"
#include "core/kernels/csr_values.hpp"
#include "core/kernels/dense.hpp"
#include "core/matrix/block_cache.hpp"
#include "core/matrix/new_values.hpp"
#include "core/matrix/operands.hpp"
#include "core/matrix/square.hpp"
#include "core/matrix/visit_csr.hpp"

// instantiate: class ScaledOperator<V>

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
ScaledOperator<V>::ScaledOperator(Executor exec, std::string_view type_name, bool is_symmetric, LinOpPtr<V> matrix)
    : LinOp<V>(exec, detail::square(type_name, matrix->size())),
      type_name_(type_name),
      matrix_(std::move(matrix)),
      rows_(exec, Array<V>(exec, this->size().rows)),
      between_(std::make_unique<detail::BlockCache<V>>(exec))
{
    if (!is_symmetric) {
        columns_.emplace(exec, Array<V>(exec, this->size().rows));
    }
}

template <class V>
void ScaledOperator<V>::generate(const FactoryPtr<V>& inner)
{
    auto scaled = scale(*matrix_);
    if (inner == nullptr) {
        return;
    }
    inner_ = inner->make(std::move(scaled));
    if (inner_->size() != this->size()) {
        throw DimensionMismatch(type_name_, "the matrix", this->size(), "the inner operator", inner_->size());
    }
    if (inner_->is_identity()) {
        inner_ = nullptr;
    }
}

template <class V>
ScaledOperator<V>::~ScaledOperator() = default;
template <class V>
ScaledOperator<V>::ScaledOperator(ScaledOperator&&) noexcept = default;
template <class V>
ScaledOperator<V>& ScaledOperator<V>::operator=(ScaledOperator&&) noexcept = default;

template <class V>
bool ScaledOperator<V>::is_capturable() const
{
    return inner_ == nullptr || inner_->is_capturable();
}

template <class V>
void ScaledOperator<V>::update_values(LinOpPtr<V> matrix)
{
    matrix = new_values_here(*this, std::move(matrix));
    auto scaled = scale(*matrix);
    matrix_ = std::move(matrix);
    if (inner_ != nullptr) {
        inner_->update_values(std::move(scaled));
    }
}

/// A~, with R and C found anew.
template <class V>
LinOpPtr<V> ScaledOperator<V>::scale(const LinOp<V>& matrix)
{
    const auto& exec = this->executor();
    LinOpPtr<V> scaled;
    visit_csr(type_name_, matrix, [&]<class I>(const Csr<V, I>& a) {
        find_scaling(a, rows_.values(), columns_ ? columns_->values() : nullptr);
        auto copy = a.copy();
        csr_scale_rows<V, I>(exec, copy.view(), rows_.values(), copy.values());
        csr_scale_columns<V, I>(exec, copy.view(), column_scaling().values(), copy.values());
        scaled = share(std::move(copy));
    });
    return scaled;
}

template <class V>
void ScaledOperator<V>::apply_impl(const Dense<V>& b, Dense<V>& x) const
{
    const size_type count = b.size().rows * b.size().cols;
    typename detail::BlockCache<V>::Lease scaled_lease(*between_, count);
    auto scaled = scaled_lease.block(b.size());
    rows_.apply(b, scaled);  // b~ := R b
    if (inner_ == nullptr) {
        column_scaling().apply(scaled, x);  // x := C b~
        return;
    }
    typename detail::BlockCache<V>::Lease solution_lease(*between_, count);
    auto solution = solution_lease.block(b.size());
    inner_->apply(scaled, solution);      // x~ := M~^-1 b~
    column_scaling().apply(solution, x);  // x := C x~
}

template <class V>
SolveResult ScaledOperator<V>::solve(const Dense<V>& b, Dense<V>& x, const SolveOptions& options) const
{
    const auto* const solver = dynamic_cast<const Solver<V>*>(inner_.get());
    if (solver == nullptr) {
        throw NotSupported(
            std::string(type_name_) + "::solve",
            "the inner operator is " + (inner_ == nullptr ? "the identity" : "a " + inner_->name()) + ", not a solver");
    }
    detail::check_operands(*this, "solve", b, x);
    SolveResult result;
    detail::with_operands_on(this->executor(), b, x, true, [&](const Dense<V>& b_here, Dense<V>& x_here) {
        result = solve_here(*solver, b_here, x_here, options);
    });
    return result;
}

template <class V>
SolveResult ScaledOperator<V>::solve_here(const Solver<V>& solver, const Dense<V>& b, Dense<V>& x,
                                          const SolveOptions& options) const
{
    const auto rhs_norms = b.norm2();
    const auto before = residual_norms(*matrix_, b, x);
    Dense<V> scaled(this->executor(), b.size()), solution(this->executor(), b.size());
    rows_.apply(b, scaled);                         // b~ := R b
    column_scaling().inverse().apply(x, solution);  // x~ := C^-1 x
    auto result = solver.solve(scaled, solution, options);
    column_scaling().apply(solution, x);  // x := C x~
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
