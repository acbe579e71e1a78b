#include <linden/error.hpp>
#include <linden/matrix/dense.hpp>
#include <linden/matrix/operations.hpp>
#include <linden/parameters.hpp>
#include <linden/solver/lsqr.hpp>

#include <string>

#include "core/kernels/dense.hpp"
#include "core/kernels/lsqr.hpp"
#include "core/matrix/visit_csr.hpp"
#include "core/solver/workspace.hpp"

// instantiate: class Lsqr<V>

/// Vector words moved per iteration, for m x n matrices (matrix apart):
///
///                                          reads        writes   words
///     q := A v                             v            q        m + n
///     u := q / alpha - (alpha / beta) u    q u          u        3 m
///     beta := ||u||                        u                     m
///     y := A^H u                           u            y        m + n
///     v := y / beta - (beta / alpha) v     y v          v        3 n
///     alpha := ||v||                       v                     n
///     rotation, stopping rule                                    0
///     x := x + tau w, w := v - theta w     w x v        x w      5 n      total 6 m + 11 n
///
/// Kernels: 9, of which two work on scalars alone. A^H is a second matrix, so that its product runs over rows as that
/// of A does, in fixed order: a product by columns would add to shared values.
namespace linden {
namespace {

template <class V>
struct LsqrWorkspace final : SolverWorkspace<V> {
    LsqrWorkspace(const Executor& exec, Dim matrix, size_type num_rhs)
        : SolverWorkspace<V>(exec, matrix.rows, num_rhs),
          q(exec, {matrix.rows, num_rhs}),
          y(exec, {matrix.cols, num_rhs}),
          v(exec, {matrix.cols, num_rhs}),
          w(exec, {matrix.cols, num_rhs}),
          reals(exec, 8 * num_rhs),
          marks(exec, num_rhs)
    {
    }

    LsqrScalars<real_t<V>> scalars()
    {
        const auto at = [this](int i) { return reals.data() + i * this->cols(); };
        return {at(0), at(1), at(2), at(3), at(4), at(5), at(6), marks.data()};
    }

    /// What stagnates because its residual is orthogonal to the range of A has arrived.
    void add_details(std::vector<ColumnResult>& columns) const override
    {
        const auto is_marked = marks.to_host();
        for (std::size_t col = 0; col < columns.size(); ++col) {
            if (columns[col].status == SolveStatus::stagnated && is_marked[col] != 0) {
                columns[col].status = SolveStatus::converged;
                columns[col].least_squares = true;
            }
        }
    }

    Dense<V> q;  // A v; u is the residual's memory
    Dense<V> y;  // A^H u
    Dense<V> v;
    Dense<V> w;  // the direction
    Array<real_t<V>> reals;
    Array<std::int32_t> marks;
};

}  // namespace

/// A^H, whatever the type of indices.
template <class V>
struct Lsqr<V>::Adjoint {
    virtual ~Adjoint() = default;
    virtual const LinOp<V>& matrix() const = 0;
    virtual void update(const LinOp<V>& a) = 0;
};

namespace {

template <class V, class I, class Base>
struct AdjointCsr final : Base {
    explicit AdjointCsr(const Csr<V, I>& a) : adjoint(updatable_conjugate_transpose(a)) {}
    const LinOp<V>& matrix() const override { return adjoint.result; }
    void update(const LinOp<V>& a) override { adjoint.update(csr_of<V, I>("Lsqr", a, adjoint.result.num_nonzeros())); }

    Rearrangement<V, I> adjoint;
};

}  // namespace

template <class V>
void Lsqr<V>::Parameters::describe(ParameterVisitor& v)
{
    v.group("stop", stop, "stopping rule");
    v("normal_residual", normal_residual, "a least-squares solution has ||A^H r|| <= normal_residual ||A||_F ||r||");
}

template <class V>
Lsqr<V>::Lsqr(Executor exec, Parameters parameters, LinOpPtr<V> matrix)
    : Solver<V>(std::move(exec), std::move(parameters.stop), nullptr, std::move(matrix), SystemShape::rectangular),
      normal_residual_(parameters.normal_residual)
{
    if (!(normal_residual_ >= 0)) {
        throw InvalidParameter("normal_residual", std::to_string(normal_residual_), "at least 0");
    }
    visit_csr("Lsqr", *this->matrix(),
              [&]<class I>(const Csr<V, I>& a) { adjoint_ = std::make_unique<AdjointCsr<V, I, Adjoint>>(a); });
}

template <class V>
Lsqr<V>::~Lsqr() = default;

template <class V>
void Lsqr<V>::update_values(LinOpPtr<V> matrix)
{
    Solver<V>::update_values(std::move(matrix));
    adjoint_->update(*this->matrix());
}

template <class V>
std::unique_ptr<SolverWorkspace<V>> Lsqr<V>::make_workspace(const Executor& exec, size_type num_rhs) const
{
    return std::make_unique<LsqrWorkspace<V>>(exec, this->matrix()->size(), num_rhs);
}

template <class V>
void Lsqr<V>::start(Dense<V>& x, SolverWorkspace<V>& workspace) const
{
    auto& w = static_cast<LsqrWorkspace<V>&>(workspace);
    const auto& exec = this->executor();
    const auto s = w.scalars();
    const auto stop = w.stop.view();
    const auto v = std::as_const(w.v).view();
    const auto reduction = w.reduction.view();
    dense_fill<V>(exec, V{}, w.v.view());
    dense_fill<V>(exec, V{}, w.w.view());
    dense_norm2<V>(exec, std::as_const(w.r).view(), s.beta, reduction);  // u := r, beta := ||u||
    adjoint_->matrix().apply(w.r, w.y);
    lsqr_advance<V>(exec, std::as_const(w.y).view(), s.beta, s.beta, w.v.view(), stop);  // v := A^H u
    dense_norm2<V>(exec, v, s.alpha, reduction);                                         // alpha := ||v||
    lsqr_start<real_t<V>>(exec, s, stop);
    lsqr_correct<V>(exec, s.tau, s.weights, v, w.w.view(), x.view(), stop);  // w := v
}

template <class V>
void Lsqr<V>::step(Dense<V>& x, SolverWorkspace<V>& workspace) const
{
    auto& w = static_cast<LsqrWorkspace<V>&>(workspace);
    const auto& exec = this->executor();
    const auto s = w.scalars();
    const auto stop = w.stop.view();
    const auto reduction = w.reduction.view();
    const auto u = std::as_const(w.r).view();
    const auto v = std::as_const(w.v).view();

    this->iteration_matrix().apply(w.v, w.q);
    lsqr_advance<V>(exec, std::as_const(w.q).view(), s.alpha, s.beta, w.r.view(), stop);  // u := A v - alpha u
    dense_norm2<V>(exec, u, s.beta, reduction);                                           // beta := ||u||
    adjoint_->matrix().apply(w.r, w.y);
    lsqr_advance<V>(exec, std::as_const(w.y).view(), s.beta, s.alpha, w.v.view(), stop);  // v := A^H u - beta v
    dense_norm2<V>(exec, v, s.alpha, reduction);                                          // alpha := ||v||
    lsqr_rotate<real_t<V>>(exec, s, normal_residual_, w.r_norms.data(), stop);
    lsqr_correct<V>(exec, s.tau, s.weights, v, w.w.view(), x.view(), stop);  // x := x + tau w, w := v - theta w
    stop_check<real_t<V>>(exec, w.r_norms.data(), stop);
}

}  // namespace linden
