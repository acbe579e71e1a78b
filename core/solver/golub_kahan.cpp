#include "core/solver/golub_kahan.hpp"

#include <linden/error.hpp>
#include <linden/matrix/operations.hpp>
#include <linden/parameters.hpp>
#include <linden/solver/golub_kahan.hpp>

#include <string>

#include "core/kernels/dense.hpp"
#include "core/matrix/visit_csr.hpp"

// instantiate: struct GolubKahanParameters<V>
// instantiate: class GolubKahanSolver<V>

/// Vector words moved per iteration, for m x n matrices (matrix apart):
///
///                                          reads        writes   words
///     q := A v                             v            q        m + n
///     u := q / alpha - (alpha / beta) u    q u          u        3 m
///     beta := ||u||                        u                     m
///     y := A^H u                           u            y        m + n
///     v := y / beta - (beta / alpha) v     y v          v        3 n
///     alpha := ||v||                       v                     n        total 6 m + 6 n
///
/// Kernels: 6. A^H is a second matrix, so that its product runs over rows as that of A does, in fixed order: a product
/// by columns would add to shared values.
namespace linden {

/// A^H, whatever the type of indices.
template <class V>
struct GolubKahanSolver<V>::Adjoint {
    virtual ~Adjoint() = default;
    virtual const LinOp<V>& matrix() const = 0;
    virtual void update(const char* name, const LinOp<V>& a) = 0;
};

namespace {

template <class V, class I, class Base>
struct AdjointCsr final : Base {
    explicit AdjointCsr(const Csr<V, I>& a) : adjoint(updatable_conjugate_transpose(a)) {}
    const LinOp<V>& matrix() const override { return adjoint.result; }
    void update(const char* name, const LinOp<V>& a) override
    {
        adjoint.update(csr_of<V, I>(name, a, adjoint.result.num_nonzeros()));
    }

    Rearrangement<V, I> adjoint;
};

}  // namespace

template <class V>
void GolubKahanParameters<V>::describe(ParameterVisitor& v)
{
    v.group("stop", stop, "stopping rule");
    v("normal_residual", normal_residual, "a least-squares solution has ||A^H r|| <= normal_residual ||A||_F ||r||");
}

template <class V>
GolubKahanSolver<V>::GolubKahanSolver(Executor exec, Parameters parameters, LinOpPtr<V> matrix, const char* name)
    : Solver<V>(std::move(exec), std::move(parameters.stop), nullptr, std::move(matrix), SystemShape::rectangular),
      normal_residual_(parameters.normal_residual)
{
    if (!(normal_residual_ >= 0)) {
        throw InvalidParameter("normal_residual", std::to_string(normal_residual_), "at least 0");
    }
    visit_csr(name, *this->matrix(),
              [&]<class I>(const Csr<V, I>& a) { adjoint_ = std::make_unique<AdjointCsr<V, I, Adjoint>>(a); });
}

template <class V>
GolubKahanSolver<V>::~GolubKahanSolver() = default;

template <class V>
void GolubKahanSolver<V>::update_values(LinOpPtr<V> matrix)
{
    Solver<V>::update_values(std::move(matrix));
    adjoint_->update(this->name().c_str(), *this->matrix());
}

template <class V>
void GolubKahanSolver<V>::start(Dense<V>& x, SolverWorkspace<V>& workspace) const
{
    auto& w = static_cast<detail::GolubKahanWorkspace<V>&>(workspace);
    const auto& exec = this->executor();
    const auto s = w.lengths();
    const auto stop = w.stop.view();
    const auto reduction = w.reduction.view();
    dense_fill<V>(exec, V{}, w.v.view());
    dense_norm2<V>(exec, std::as_const(w.r).view(), s.beta, reduction);  // u := r, beta := ||u||
    adjoint_->matrix().apply(w.r, w.y);
    golub_kahan_advance<V>(exec, std::as_const(w.y).view(), s.beta, s.beta, w.v.view(), stop);  // v := A^H u
    dense_norm2<V>(exec, std::as_const(w.v).view(), s.alpha, reduction);                        // alpha := ||v||
    begin(x, w);
}

template <class V>
void GolubKahanSolver<V>::step(Dense<V>& x, SolverWorkspace<V>& workspace) const
{
    auto& w = static_cast<detail::GolubKahanWorkspace<V>&>(workspace);
    const auto& exec = this->executor();
    const auto s = w.lengths();
    const auto stop = w.stop.view();
    const auto reduction = w.reduction.view();

    this->iteration_matrix().apply(w.v, w.q);
    golub_kahan_advance<V>(exec, std::as_const(w.q).view(), s.alpha, s.beta, w.r.view(), stop);  // u := A v - alpha u
    dense_norm2<V>(exec, std::as_const(w.r).view(), s.beta, reduction);                          // beta := ||u||
    adjoint_->matrix().apply(w.r, w.y);
    golub_kahan_advance<V>(exec, std::as_const(w.y).view(), s.beta, s.alpha, w.v.view(), stop);  // v := A^H u - beta v
    dense_norm2<V>(exec, std::as_const(w.v).view(), s.alpha, reduction);                         // alpha := ||v||
    advance(x, w);
    stop_check<real_t<V>>(exec, w.r_norms.data(), stop);
}

}  // namespace linden
