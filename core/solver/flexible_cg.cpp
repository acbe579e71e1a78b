#include <linden/matrix/dense.hpp>
#include <linden/parameters.hpp>
#include <linden/solver/flexible_cg.hpp>

#include "core/kernels/dense.hpp"
#include "core/kernels/richardson.hpp"
#include "core/solver/directions.hpp"

// instantiate: class FlexibleCg<V>

/// Vector words moved per iteration and row, without the preconditioner (n rows, matrix apart); k directions:
///
///                                     reads        writes   words
///     h := Q^H z                      Q z                   k + 1
///     p_j := z - P y                  z P          p_j      k + 2
///     q_j := A p_j, p_j^H q_j         p_j          q_j      2
///     r := r - alpha q_j, ||r||       q_j r        r        3
///     x := x + alpha p_j              p_j x        x        3      total (2 k + 11) n
///
/// A preconditioner adds its own application z := M^-1 r and, unless it computes r^H z as well, 2 n for that product.
/// Kernels without preconditioner: 6. One step is k iterations, one for each place that a direction is kept in.
namespace linden {

template <class V>
void FlexibleCg<V>::Parameters::describe(ParameterVisitor& v)
{
    v.group("stop", stop, "stopping rule");
    v.factory("preconditioner", preconditioner, "M, Hermitian positive definite, which may vary");
    v("directions", directions, "directions that new ones are made orthogonal to, at least 1");
}

template <class V>
FlexibleCg<V>::FlexibleCg(Executor exec, Parameters parameters, LinOpPtr<V> matrix)
    : Solver<V>(std::move(exec), std::move(parameters.stop), std::move(parameters.preconditioner), std::move(matrix)),
      directions_(detail::directions_to_keep(parameters.directions, *this))
{
}

template <class V>
std::unique_ptr<SolverWorkspace<V>> FlexibleCg<V>::make_workspace(const Executor& exec, size_type num_rhs) const
{
    return std::make_unique<detail::DirectionsWorkspace<V>>(exec, Dim{this->size().rows, num_rhs}, directions_,
                                                            this->preconditioner() != nullptr);
}

template <class V>
void FlexibleCg<V>::start(Dense<V>&, SolverWorkspace<V>& workspace) const
{
    auto& w = static_cast<detail::DirectionsWorkspace<V>&>(workspace);
    w.forget();
    if (this->iteration_preconditioner() == nullptr) {
        const auto r = std::as_const(w.r).view();
        dense_dot<V>(this->executor(), r, r, w.rho(), w.reduction.view());  // rho := r^H r
    }
}

template <class V>
void FlexibleCg<V>::step(Dense<V>& x, SolverWorkspace<V>& workspace) const
{
    auto& w = static_cast<detail::DirectionsWorkspace<V>&>(workspace);
    const auto& exec = this->executor();
    const auto* const m = this->iteration_preconditioner();
    const auto& z = w.preconditioned_residual();
    const auto stop = w.stop.view();
    const auto reduction = w.reduction.view();

    const auto iterate = [&](size_type j) {
        const auto length = w.step_length(j);
        auto& p = w.p[j];
        auto& q = w.q[j];
        if (m != nullptr) {
            m->apply_dot(w.r, w.z, {w.r, length.rho, nullptr, reduction});  // z := M^-1 r, r^H z
        }
        detail::weigh_directions(z, directions_, w);  // y := (Q^H z) / sigma, rho := z^H r, which is p^H r
        directions_combine<V>(exec, z.view(), w.y(), directions_, j, w.p.view(), stop);  // p := z - P y
        this->iteration_matrix().apply_dot(p, q, {p, length.pq, nullptr, reduction});    // q := A p, sigma := p^H q
        // r := r - alpha q, stopping rule
        cg_update_residual<V>(exec, std::as_const(q).view(), w.r.view(), length, m == nullptr, stop, reduction);
        richardson_update_solution<V>(exec, length.alpha, std::as_const(p).view(), x.view(), stop);  // x := x + alpha p
        if (w.after_iteration) {
            w.after_iteration();
        }
    };
    for (size_type j = 0; j < directions_; ++j) {
        w.loop.run_if(w.running_flag(), [&] { iterate(j); });
    }
}

}  // namespace linden
