#include "core/solver/golub_kahan.hpp"

#include <linden/error.hpp>
#include <linden/matrix/diagonal.hpp>
#include <linden/matrix/multiply.hpp>
#include <linden/matrix/operations.hpp>
#include <linden/parameters.hpp>
#include <linden/solver/golub_kahan.hpp>

#include <optional>
#include <string>
#include <utility>

#include "core/kernels/dense.hpp"
#include "core/matrix/range.hpp"
#include "core/matrix/visit_csr.hpp"
#include "core/preconditioner/alternating_copies.hpp"

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
/// With a preconditioner p := y / beta - (beta / alpha) p stands for M v, and v := M^-1 p, p^H v are its application: n
/// words and a kernel on scalars more, with column scaling 2 n.
///
/// Kernels: 6. A^H is a second matrix, so that its product runs over rows as that of A does, in fixed order: a product
/// by columns would add to shared values.
namespace linden {

/// scale A^H, whatever the type of indices.
template <class V>
struct GolubKahanSolver<V>::Adjoint {
    virtual ~Adjoint() = default;
    virtual const LinOp<V>& matrix() const = 0;
    virtual void update(const char* name, const LinOp<V>& a) = 0;
    /// 1 / ||a_j||^2 for the columns a_j of scale A, as GolubKahanKernels have it.
    virtual void find_weights(V* weights) const = 0;
    /// scale^2 A^H A
    virtual LinOpPtr<V> normal_matrix(const char* name, const LinOp<V>& a) = 0;

    real_t<V> scale = 1;  ///< a power of two, other than 1 where squares of A's values are out of range
};

namespace {

template <class V, class I, class Base>
struct AdjointCsr final : Base {
    explicit AdjointCsr(const Csr<V, I>& a) : adjoint(updatable_conjugate_transpose(a))
    {
        auto& stored = adjoint.result;
        const auto values = Dense<V>::adopt(a.executor(), {stored.num_nonzeros(), 1}, 1, stored.values());
        const auto largest = values.norm_inf().front();
        this->scale = detail::is_in_range(largest) ? 1 : detail::scale_to_one(largest);
        scale_values(adjoint.result);
    }
    const LinOp<V>& matrix() const override { return adjoint.result; }
    void update(const char* name, const LinOp<V>& a) override
    {
        adjoint.update(csr_of<V, I>(name, a, adjoint.result.num_nonzeros()));
        scale_values(adjoint.result);
    }
    void find_weights(V* weights) const override
    {
        golub_kahan_weights<V, I>(adjoint.result.executor(), adjoint.result.view(), weights);
    }
    LinOpPtr<V> normal_matrix(const char* name, const LinOp<V>& a) override
    {
        const auto& csr = csr_of<V, I>(name, a);
        if (!plan) {
            plan.emplace(adjoint.result, csr);
        }
        const auto product = products.next([&] { return plan->result(); });
        plan->compute(adjoint.result, csr, *product);
        scale_values(*product);
        return product;
    }
    void scale_values(Csr<V, I>& matrix) const
    {
        if (this->scale != 1) {
            dense_scale<V>(matrix.executor(), V{this->scale}, {matrix.num_nonzeros(), 1, 1, matrix.values()});
        }
    }

    Rearrangement<V, I> adjoint;
    std::optional<MultiplyPlan<V, I>> plan;  ///< of A^H A, where it is asked for
    detail::AlternatingCopies<V> products;
};

/// M^-1 for M ~ A^H A. New values are those of A.
template <class V, class Adjoint>
class NormalPreconditioner final : public LinOp<V> {
public:
    /// inner: none: the diagonal.
    NormalPreconditioner(const LinOp<V>& a, std::shared_ptr<Adjoint> adjoint, const FactoryPtr<V>& inner,
                         const char* name)
        : LinOp<V>(a.executor(), {a.size().cols, a.size().cols}),
          adjoint_(std::move(adjoint)),
          name_(name)
    {
        if (inner == nullptr) {
            diagonal_ = std::make_shared<Diagonal<V>>(a.executor(), Array<V>(a.executor(), a.size().cols));
            adjoint_->find_weights(diagonal_->values());
            inner_ = diagonal_;
        } else {
            inner_ = inner->make(adjoint_->normal_matrix(name_, a));
        }
        if (inner_ == nullptr || inner_->size() != this->size()) {
            throw InvalidParameter("size", "of another operator, or none", "that of A^H A");
        }
    }

    std::string name() const override { return inner_->name(); }
    bool is_capturable() const override { return inner_->is_capturable(); }
    bool is_identity() const override { return inner_->is_identity(); }
    void update_values(LinOpPtr<V> a) override
    {
        adjoint_->update(name_, *a);
        if (diagonal_ != nullptr) {
            adjoint_->find_weights(diagonal_->values());
        } else {
            inner_->update_values(adjoint_->normal_matrix(name_, *a));
        }
    }

private:
    void apply_impl(const Dense<V>& b, Dense<V>& x) const override { inner_->apply(b, x); }
    void apply_dot_impl(const Dense<V>& b, Dense<V>& x, const DotRequest<V>& dots) const override
    {
        inner_->apply_dot(b, x, dots);
    }

    std::shared_ptr<Adjoint> adjoint_;
    const char* name_;
    std::shared_ptr<Diagonal<V>> diagonal_;
    std::shared_ptr<LinOp<V>> inner_;
};

/// Null where M = I.
template <class V, class Adjoint>
FactoryPtr<V> normal_factory(const GolubKahanParameters<V>& parameters, const std::shared_ptr<Adjoint>& adjoint,
                             const char* name)
{
    const auto& inner = parameters.preconditioner;
    if (inner == nullptr && !parameters.column_scaling) {
        return nullptr;
    }
    return make_factory<V>(
        [adjoint, inner, name](const LinOpPtr<V>& a) {
            return std::make_unique<NormalPreconditioner<V, Adjoint>>(*a, adjoint, inner, name);
        },
        "of the normal equations");
}

}  // namespace

template <class V>
void GolubKahanParameters<V>::describe(ParameterVisitor& v)
{
    v.group("stop", stop, "stopping rule");
    v("normal_residual", normal_residual, "a least-squares solution has ||A^H r|| <= normal_residual ||A||_F ||r||");
    v("column_scaling", column_scaling, "scale columns to norm 1: the diagonal of A^H A as preconditioner");
    v.factory("preconditioner", preconditioner, "Hermitian positive definite, made of A^H A; none: see column_scaling");
}

template <class V>
std::shared_ptr<typename GolubKahanSolver<V>::Adjoint> GolubKahanSolver<V>::adjoint_of(const LinOp<V>& matrix,
                                                                                       const char* name)
{
    std::shared_ptr<Adjoint> adjoint;
    visit_csr(name, matrix,
              [&]<class I>(const Csr<V, I>& a) { adjoint = std::make_shared<AdjointCsr<V, I, Adjoint>>(a); });
    return adjoint;
}

template <class V>
GolubKahanSolver<V>::GolubKahanSolver(Executor exec, Parameters parameters, LinOpPtr<V> matrix, const char* name)
    : GolubKahanSolver(std::move(exec), std::move(parameters), matrix, name, adjoint_of(*matrix, name))
{
}

template <class V>
GolubKahanSolver<V>::GolubKahanSolver(Executor exec, Parameters parameters, LinOpPtr<V> matrix, const char* name,
                                      const std::shared_ptr<Adjoint>& adjoint)
    : Solver<V>(std::move(exec), std::move(parameters.stop), normal_factory(parameters, adjoint, name),
                std::move(matrix), SystemShape::rectangular),
      normal_residual_(parameters.normal_residual),
      adjoint_(adjoint)
{
    if (!(normal_residual_ >= 0)) {
        throw InvalidParameter("normal_residual", std::to_string(normal_residual_), "at least 0");
    }
}

template <class V>
GolubKahanSolver<V>::~GolubKahanSolver() = default;

template <class V>
real_t<V> GolubKahanSolver<V>::scale() const
{
    return adjoint_->scale;
}

template <class V>
void GolubKahanSolver<V>::update_values(LinOpPtr<V> matrix)
{
    Solver<V>::update_values(std::move(matrix));
    if (this->preconditioner() == nullptr) {
        adjoint_->update(this->name().c_str(), *this->matrix());
    }
}

/// M v := y / beta - (beta / alpha) M v, alpha := ||v||_M. before: alpha, or beta at the start.
template <class V>
void GolubKahanSolver<V>::find_next(SolverWorkspace<V>& workspace, const real_t<V>* before) const
{
    auto& w = static_cast<detail::GolubKahanWorkspace<V>&>(workspace);
    const auto& exec = this->executor();
    const auto s = w.lengths();
    const auto stop = w.stop.view();
    const auto reduction = w.reduction.view();
    const auto* const m = this->preconditioner().get();
    auto& p = m == nullptr ? w.v : w.p;
    adjoint_->matrix().apply(w.r, w.y);
    golub_kahan_advance<V>(exec, std::as_const(w.y).view(), s.beta, before, p.view(), stop);
    if (m == nullptr) {
        dense_norm2<V>(exec, std::as_const(w.v).view(), s.alpha, reduction);
    } else {
        m->apply_dot(p, w.v, {p, w.squares.data(), nullptr, reduction});  // v := M^-1 p
        golub_kahan_length<V>(exec, w.squares.data(), s.alpha, stop);
    }
}

template <class V>
void GolubKahanSolver<V>::start(Dense<V>& x, SolverWorkspace<V>& workspace) const
{
    auto& w = static_cast<detail::GolubKahanWorkspace<V>&>(workspace);
    const auto& exec = this->executor();
    const auto s = w.lengths();
    dense_fill<V>(exec, V{}, (this->preconditioner() == nullptr ? w.v : w.p).view());
    dense_norm2<V>(exec, std::as_const(w.r).view(), s.beta, w.reduction.view());  // u := r, beta := ||u||
    find_next(w, s.beta);                                                         // M v := A^H u
    begin(x, w);
}

template <class V>
void GolubKahanSolver<V>::step(Dense<V>& x, SolverWorkspace<V>& workspace) const
{
    auto& w = static_cast<detail::GolubKahanWorkspace<V>&>(workspace);
    const auto& exec = this->executor();
    const auto s = w.lengths();
    const auto stop = w.stop.view();

    if (scale() == 1) {
        this->iteration_matrix().apply(w.v, w.q);
    } else {
        this->iteration_matrix().apply(V{scale()}, w.v, V{0}, w.q);
    }
    golub_kahan_advance<V>(exec, std::as_const(w.q).view(), s.alpha, s.beta, w.r.view(), stop);  // u := A v - alpha u
    dense_norm2<V>(exec, std::as_const(w.r).view(), s.beta, w.reduction.view());                 // beta := ||u||
    find_next(w, s.alpha);  // M v := A^H u - beta M v
    advance(x, w);
    stop_check<real_t<V>>(exec, w.r_norms.data(), stop);
}

}  // namespace linden
