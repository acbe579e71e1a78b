#pragma once

#include <linden/matrix/dense.hpp>

#include "core/kernels/cg.hpp"
#include "core/kernels/dense.hpp"
#include "core/solver/workspace.hpp"

/// The part of a step that all conjugate gradient methods share: from the residual to the next direction.
namespace linden::detail {

template <class V>
struct CgWorkspace : SolverWorkspace<V> {
    CgWorkspace(const Executor& exec, size_type rows, size_type cols, bool preconditioned,
                size_type sums_per_column = 2)
        : SolverWorkspace<V>(exec, rows, cols, sums_per_column),
          p(exec, {rows, cols}),
          q(exec, {rows, cols}),
          z(exec, preconditioned ? Dim{rows, cols} : Dim{}),
          scalars(exec, 4 * cols),
          identity(!preconditioned)
    {
    }

    /// M^-1 r, or r itself.
    Dense<V>& preconditioned_residual() { return identity ? this->r : z; }
    V* scalar(int i) { return scalars.data() + i * this->cols(); }
    CgScalars<V> cg() { return {scalar(0), scalar(1), scalar(2), scalar(3)}; }
    /// r^H z, to be formed with z := M^-1 r; without M it comes with the update of r.
    DotRequest<V> rho() { return {this->r, scalar(0), nullptr, this->reduction.view()}; }

    Dense<V> p;  // the direction
    Dense<V> q;  // A p
    Dense<V> z;  // M^-1 r
    Array<V> scalars;
    bool identity;
};

/// z := M^-1 r, rho := r^H z
template <class V>
void cg_start(const LinOp<V>* m, CgWorkspace<V>& w)
{
    if (m != nullptr) {
        m->apply_dot(w.r, w.z, w.rho());
    } else {
        const auto r = std::as_const(w.r).view();
        dense_dot<V>(w.r.executor(), r, r, w.scalar(0), w.reduction.view());
    }
}

/// q := A p, p^H q
template <class V>
void cg_product(const LinOp<V>& a, CgWorkspace<V>& w)
{
    a.apply_dot(w.p, w.q, {w.p, w.scalar(2), nullptr, w.reduction.view()});
}

/// r := r - alpha q, stopping rule
template <class V>
void cg_residual(const LinOp<V>& a, CgWorkspace<V>& w)
{
    cg_update_residual<V>(a.executor(), std::as_const(w.q).view(), w.r.view(), w.cg(), w.identity, w.stop.view(),
                          w.reduction.view());
}

/// x := x + alpha p, p := z + beta p
template <class V>
void cg_move(Dense<V>& x, CgWorkspace<V>& w)
{
    const auto& z = std::as_const(w.preconditioned_residual());
    cg_update_direction<V>(x.executor(), z.view(), w.p.view(), x.view(), w.cg(), w.stop.view());
}

/// The half of a step that finds the next residual.
template <class V>
void cg_first_half(const LinOp<V>& a, CgWorkspace<V>& w)
{
    cg_product(a, w);
    cg_residual(a, w);
}

}  // namespace linden::detail
