#include <linden/distributed/communicator.hpp>
#include <linden/error.hpp>
#include <linden/matrix/dense.hpp>
#include <linden/parameters.hpp>
#include <linden/solver/idr.hpp>

#include <algorithm>

#include "core/kernels/dense.hpp"
#include "core/kernels/idr.hpp"
#include "core/solver/basis.hpp"
#include "core/solver/workspace.hpp"

// instantiate: class Idr<V>

/// Vector words moved per row, without the preconditioner (n rows, matrix apart), from the second cycle on:
///
///                                                        reads            writes  words
///     f := P^H r                                         P r                      s + 1
///     for k = 0 .. s - 1
///       u_k := omega (r - G c) + U c, columns k .. s-1   r G U            u_k     2 (s - k) + 2
///       g_k := A u_k                                     u_k              g_k     2
///       q := P^H g_k                                     P g_k                    s + 1
///       g_k, u_k biorthogonal, x += beta u_k,            G U x r          g u x r 2 k + 8
///       r -= beta g_k
///       ||r||, stopping rule                             r                        1
///     t := A r, r^H t, t^H t                             r                t       2
///     x := x + omega r, r := r - omega t                 x r t            x r     5
///     ||r||, stopping rule                               r                        1
///     total of a cycle of s + 1 products                                          3 s^2 + 15 s + 9
///
/// For s = 4 these are 23.4 n words per product. A preconditioner adds its application and 2 n words to each product,
/// and to the last. Kernels without preconditioner: 2 per cycle, 7 per direction, 5 for the last product.
namespace linden {
namespace {

template <class V>
struct IdrWorkspace final : SolverWorkspace<V> {
    IdrWorkspace(const Executor& exec, Dim size, size_type num_directions, bool preconditioned)
        : SolverWorkspace<V>(exec, size.rows, size.cols, std::max<size_type>(2, num_directions)),
          s(num_directions),
          p(exec, s, size),
          u(exec, s, size),
          g(exec, s, size),
          t(exec, size),
          v_hat(exec, preconditioned ? size : Dim{}),
          values(exec, (s * s + 3 * s + 4) * size.cols),
          fresh(exec, size.cols)
    {
        this->step_reports_iterations = true;
    }

    IdrScalars<V> scalars()
    {
        const auto k = this->cols();
        V* const f = values.data();
        V* const q = f + s * k;
        V* const c = q + s * k;
        V* const m = c + s * k;
        V* const beta = m + s * s * k;
        return {s, f, q, m, c, beta, beta + k, beta + 2 * k, beta + 3 * k, fresh.data()};
    }

    size_type s;
    detail::Basis<V> p;  // the shadow space
    detail::Basis<V> u;  // directions
    detail::Basis<V> g;  // A U
    Dense<V> t;          // A M^-1 r; before, what M^-1 is applied to
    Dense<V> v_hat;      // M^-1 of it
    Array<V> values;
    Array<std::int32_t> fresh;
};

/// Ends an iteration: ||r||, stopping rule.
template <class V>
void check(const Executor& exec, IdrWorkspace<V>& w)
{
    dense_norm2<V>(exec, std::as_const(w.r).view(), w.r_norms.data(), w.reduction.view());
    stop_check<real_t<V>>(exec, w.r_norms.data(), w.stop.view());
    if (w.after_iteration) {
        w.after_iteration();
    }
}

/// Direction k of a cycle and the step along it.
template <class V>
void direction_step(const LinOp<V>& a, const LinOp<V>* preconditioner, size_type k, Dense<V>& x, IdrWorkspace<V>& w)
{
    const auto& exec = a.executor();
    const auto c = w.scalars();
    const auto stop = w.stop.view();
    const auto& r = std::as_const(w.r);
    if (preconditioner == nullptr) {
        idr_direction<V>(exec, w.u.view(), w.g.first(w.s), k, r.view(), c, stop);  // u_k := omega (r - G c) + U c
    } else {
        idr_project<V>(exec, w.g.first(w.s), k, r.view(), w.t.view(), c, stop);  // v := r - G c
        preconditioner->apply(w.t, w.v_hat);                                     // vhat := M^-1 v
        idr_direction<V>(exec, w.u.view(), w.g.first(0), k, std::as_const(w.v_hat).view(), c,
                         stop);  // u_k := omega vhat + U c
    }
    a.apply(w.u[k], w.g[k]);  // g_k := A u_k
    gmres_multi_dot<V>(exec, w.p.first(w.s), std::as_const(w.g[k]).view(), c.q, stop,
                       w.reduction.view());                                           // q := P^H g_k
    idr_coefficients<V>(exec, c, k, stop);                                            // biorthogonality, M e_k, beta, c
    idr_update<V>(exec, {w.u.view(), w.g.view(), x.view(), w.r.view()}, k, c, stop);  // g_k, u_k; x += beta u_k
    check(exec, w);
}

/// The step into the next space G_j.
template <class V>
void omega_step(const LinOp<V>& a, const LinOp<V>* preconditioner, double kappa, Dense<V>& x, IdrWorkspace<V>& w)
{
    const auto& exec = a.executor();
    const auto c = w.scalars();
    const auto stop = w.stop.view();
    const Dense<V>* v = &w.r;
    if (preconditioner != nullptr) {
        preconditioner->apply(w.r, w.v_hat);  // vhat := M^-1 r
        v = &w.v_hat;
    }
    a.apply_dot(*v, w.t, {w.r, c.rt, c.tt, w.reduction.view()});  // t := A vhat, r^H t, t^H t
    idr_omega<V>(exec, kappa, c, stop);
    idr_minimise<V>(exec, std::as_const(w.t).view(), v->view(), x.view(), w.r.view(), c,
                    stop);  // x := x + omega vhat, r := r - omega t
    check(exec, w);
}

}  // namespace

template <class V>
void Idr<V>::Parameters::describe(ParameterVisitor& v)
{
    v.group("stop", stop, "stopping rule");
    v.factory("preconditioner", preconditioner, "M, applied from the right");
    v("s", s, "dimension of the shadow space, at least 1: directions per cycle");
    v("kappa", kappa, "least cosine of the angle that sets omega, 0 to 1; 0: minimal residuals");
}

template <class V>
Idr<V>::Idr(Executor exec, Parameters parameters, LinOpPtr<V> matrix)
    : Solver<V>(std::move(exec), std::move(parameters.stop), std::move(parameters.preconditioner), std::move(matrix)),
      s_(std::max(size_type{1}, std::min(parameters.s, detail::most_steps<V>(*this)))),
      kappa_(parameters.kappa)
{
    if (parameters.s < 1) {
        throw InvalidParameter("s", std::to_string(parameters.s), "at least 1");
    }
    if (!(kappa_ >= 0 && kappa_ < 1)) {
        throw InvalidParameter("kappa", std::to_string(kappa_), "at least 0 and less than 1");
    }
}

template <class V>
std::unique_ptr<SolverWorkspace<V>> Idr<V>::make_workspace(const Executor& exec, size_type num_rhs) const
{
    auto workspace =
        std::make_unique<IdrWorkspace<V>>(exec, Dim{this->size().rows, num_rhs}, s_, this->preconditioner() != nullptr);
    idr_shadow<V>(exec, workspace->p.view(), this->communicator().rank());
    return workspace;
}

template <class V>
void Idr<V>::start(Dense<V>&, SolverWorkspace<V>& workspace) const
{
    auto& w = static_cast<IdrWorkspace<V>&>(workspace);
    idr_start<V>(this->executor(), w.scalars(), w.stop.view());
}

template <class V>
void Idr<V>::step(Dense<V>& x, SolverWorkspace<V>& workspace) const
{
    auto& w = static_cast<IdrWorkspace<V>&>(workspace);
    const auto& exec = this->executor();
    const auto& a = this->iteration_matrix();
    const auto* const m = this->iteration_preconditioner();
    const auto c = w.scalars();

    gmres_multi_dot<V>(exec, w.p.first(w.s), std::as_const(w.r).view(), c.f, w.stop.view(),
                       w.reduction.view());  // f := P^H r
    idr_begin<V>(exec, c, w.stop.view());    // c := M^-1 f
    for (size_type k = 0; k < w.s; ++k) {
        w.loop.run_if(w.running_flag(), [&] { direction_step(a, m, k, x, w); });
    }
    w.loop.run_if(w.running_flag(), [&] { omega_step(a, m, kappa_, x, w); });
}

}  // namespace linden
