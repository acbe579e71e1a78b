#include <linden/error.hpp>
#include <linden/matrix/dense.hpp>
#include <linden/preconditioner/symmetric_scaling.hpp>

#include "core/kernels/csr.hpp"
#include "core/kernels/csr_values.hpp"
#include "core/kernels/dense.hpp"
#include "core/kernels/jacobi.hpp"
#include "core/matrix/block_cache.hpp"
#include "core/matrix/new_values.hpp"
#include "core/matrix/operands.hpp"
#include "core/matrix/square.hpp"
#include "core/matrix/visit_csr.hpp"

// instantiate: class SymmetricScaling<V>

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
void SymmetricScaling<V>::Parameters::describe(ParameterVisitor& v)
{
    v.factory("inner", inner, "preconditioner or solver for the scaled matrix; none: the identity");
}

template <class V>
SymmetricScaling<V>::SymmetricScaling(Executor exec, Parameters parameters, LinOpPtr<V> matrix)
    : LinOp<V>(exec, detail::square("SymmetricScaling", matrix->size())),
      parameters_(std::move(parameters)),
      matrix_(std::move(matrix)),
      scaling_(exec, Array<V>(exec, this->size().rows)),
      num_zeros_(exec, 1),
      between_(std::make_unique<detail::BlockCache<V>>(exec))
{
    auto scaled = scale(*matrix_);
    if (parameters_.inner == nullptr) {
        return;
    }
    inner_ = parameters_.inner->make(std::move(scaled));
    if (inner_->size() != this->size()) {
        throw DimensionMismatch("SymmetricScaling", "the matrix", this->size(), "the inner operator", inner_->size());
    }
    if (inner_->is_identity()) {
        inner_ = nullptr;
    }
}

template <class V>
SymmetricScaling<V>::~SymmetricScaling() = default;
template <class V>
SymmetricScaling<V>::SymmetricScaling(SymmetricScaling&&) noexcept = default;
template <class V>
SymmetricScaling<V>& SymmetricScaling<V>::operator=(SymmetricScaling&&) noexcept = default;

template <class V>
std::unique_ptr<LinOp<V>> SymmetricScaling<V>::clone(const Executor& exec) const
{
    return std::make_unique<SymmetricScaling>(exec, parameters_, matrix_->clone(exec));
}

template <class V>
bool SymmetricScaling<V>::is_capturable() const
{
    return inner_ == nullptr || inner_->is_capturable();
}

template <class V>
size_type SymmetricScaling<V>::num_zero_diagonals() const
{
    return num_zeros_.to_host().front();
}

template <class V>
void SymmetricScaling<V>::update_values(LinOpPtr<V> matrix)
{
    matrix = new_values_here(*this, std::move(matrix));
    auto scaled = scale(*matrix);
    matrix_ = std::move(matrix);
    if (inner_ != nullptr) {
        inner_->update_values(std::move(scaled));
    }
}

/// Computes D^-1/2 of new values, and A~.
template <class V>
LinOpPtr<V> SymmetricScaling<V>::scale(const LinOp<V>& matrix)
{
    const auto& exec = this->executor();
    LinOpPtr<V> scaled;
    visit_csr("SymmetricScaling", matrix, [&]<class I>(const Csr<V, I>& a) {
        V* const d = scaling_.values();
        const DenseView<V> column{this->size().rows, 1, 1, d};
        csr_extract_diagonal<V, I>(exec, a.view(), column);
        jacobi_inverse_root<V>(exec, column, num_zeros_.data());
        auto copy = a.copy();
        csr_scale_rows<V, I>(exec, copy.view(), d, copy.values());
        csr_scale_columns<V, I>(exec, copy.view(), d, copy.values());
        scaled = share(std::move(copy));
    });
    return scaled;
}

template <class V>
void SymmetricScaling<V>::apply_impl(const Dense<V>& b, Dense<V>& x) const
{
    const size_type count = b.size().rows * b.size().cols;
    typename detail::BlockCache<V>::Lease scaled_lease(*between_, count);
    auto scaled = scaled_lease.block(b.size());
    scaling_.apply(b, scaled);  // b~ := D^-1/2 b
    if (inner_ == nullptr) {
        scaling_.apply(scaled, x);  // x := D^-1/2 b~
        return;
    }
    typename detail::BlockCache<V>::Lease solution_lease(*between_, count);
    auto solution = solution_lease.block(b.size());
    inner_->apply(scaled, solution);  // x~ := M~^-1 b~
    scaling_.apply(solution, x);      // x := D^-1/2 x~
}

template <class V>
SolveResult SymmetricScaling<V>::solve(const Dense<V>& b, Dense<V>& x, const SolveOptions& options) const
{
    const auto* const solver = dynamic_cast<const Solver<V>*>(inner_.get());
    if (solver == nullptr) {
        throw NotSupported(
            "SymmetricScaling::solve",
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
SolveResult SymmetricScaling<V>::solve_here(const Solver<V>& solver, const Dense<V>& b, Dense<V>& x,
                                            const SolveOptions& options) const
{
    const auto rhs_norms = b.norm2();
    const auto before = residual_norms(*matrix_, b, x);
    Dense<V> scaled(this->executor(), b.size()), solution(this->executor(), b.size());
    scaling_.apply(b, scaled);              // b~ := D^-1/2 b
    scaling_.inverse().apply(x, solution);  // x~ := D^1/2 x
    auto result = solver.solve(scaled, solution, options);
    scaling_.apply(solution, x);  // x := D^-1/2 x~
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
