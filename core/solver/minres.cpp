#include <linden/matrix/dense.hpp>
#include <linden/solver/minres.hpp>

#include "core/kernels/dense.hpp"
#include "core/kernels/minres.hpp"
#include "core/solver/workspace.hpp"

// instantiate: class Minres<V>

/// Vector words moved per iteration and row, without the preconditioner (n rows, matrix apart):
///
///                                                     reads            writes       words
///     q := A v, v^H q                                 v                q            2
///     v_old, v := v, w0 q - w1 v - w2 v_old,          q v v_old        v_old v      9
///     d_old, d := d, w0 v - w3 d - w4 d_old           d d_old          d_old d
///     v^H v                                           v                             1
///     x := x + m0 d                                   d x              x            3      total 15 n
///
/// A preconditioner adds its application and 5 n: z besides v, r := m1 r + m2 v and its norm. It may form v^H z itself,
/// which saves 1 n. Kernels without preconditioner: 7, of which three work on scalars alone.
namespace linden {
namespace {

template <class V>
struct MinresWorkspace final : SolverWorkspace<V> {
    MinresWorkspace(const Executor& exec, Dim size, bool preconditioned)
        : SolverWorkspace<V>(exec, size.rows, size.cols),
          q(exec, size),
          v_old(exec, size),
          d(exec, size),
          d_old(exec, size),
          v(exec, preconditioned ? size : Dim{}),
          z(exec, preconditioned ? size : Dim{}),
          values(exec, 2 * size.cols),
          reals(exec, 19 * size.cols),
          identity(!preconditioned)
    {
    }

    /// The newest vector of the Lanczos process. Without M the memory of the residual serves, which is not needed then.
    Dense<V>& lanczos() { return identity ? this->r : v; }
    Dense<V>& preconditioned() { return identity ? this->r : z; }
    MinresScalars<V> scalars()
    {
        const auto k = this->cols();
        const auto at = [&](int i) { return reals.data() + i * k; };
        return {values.data(), values.data() + k, at(0), at(2), at(4), at(6), at(8), at(9), at(10), at(16)};
    }
    MinresVectors<V> vectors()
    {
        return {std::as_const(q).view(),
                std::as_const(preconditioned()).view(),
                lanczos().view(),
                v_old.view(),
                d.view(),
                d_old.view()};
    }

    Dense<V> q;      // A z
    Dense<V> v_old;  // the Lanczos vector before v
    Dense<V> d;      // the direction
    Dense<V> d_old;  // the one before
    Dense<V> v;      // the Lanczos vector
    Dense<V> z;      // M^-1 v
    Array<V> values;
    Array<real_t<V>> reals;
    bool identity;
};

/// z := M^-1 v, v^H z
template <class V>
void apply_preconditioner(const LinOp<V>* m, MinresWorkspace<V>& w)
{
    const auto& v = std::as_const(w.lanczos());
    V* const gamma_squared = w.scalars().gamma_squared;
    if (m != nullptr) {
        m->apply_dot(v, w.z, {v, gamma_squared, nullptr, w.reduction.view()});
    } else {
        dense_dot<V>(v.executor(), v.view(), v.view(), gamma_squared, w.reduction.view());
    }
}

}  // namespace

template <class V>
void Minres<V>::Parameters::describe(ParameterVisitor& v)
{
    v.group("stop", stop, "stopping rule");
    v.factory("preconditioner", preconditioner, "M, Hermitian positive definite");
}

template <class V>
Minres<V>::Minres(Executor exec, Parameters parameters, LinOpPtr<V> matrix)
    : Solver<V>(std::move(exec), std::move(parameters.stop), std::move(parameters.preconditioner), std::move(matrix))
{
}

template <class V>
std::unique_ptr<SolverWorkspace<V>> Minres<V>::make_workspace(const Executor& exec, size_type num_rhs) const
{
    return std::make_unique<MinresWorkspace<V>>(exec, Dim{this->size().rows, num_rhs},
                                                this->preconditioner() != nullptr);
}

template <class V>
void Minres<V>::start(Dense<V>&, SolverWorkspace<V>& workspace) const
{
    auto& w = static_cast<MinresWorkspace<V>&>(workspace);
    const auto& exec = this->executor();
    if (!w.identity) {
        dense_copy<V>(exec, std::as_const(w.r).view(), w.v.view());  // v := r
    }
    for (auto* const before : {&w.v_old, &w.d, &w.d_old}) {
        dense_fill<V>(exec, V{}, before->view());
    }
    apply_preconditioner(this->iteration_preconditioner(), w);
    minres_start<V>(exec, w.scalars(), w.stop.view());
}

template <class V>
void Minres<V>::step(Dense<V>& x, SolverWorkspace<V>& workspace) const
{
    auto& w = static_cast<MinresWorkspace<V>&>(workspace);
    const auto& exec = this->executor();
    const auto s = w.scalars();
    const auto stop = w.stop.view();
    const auto reduction = w.reduction.view();
    const auto& z = std::as_const(w.preconditioned());
    const auto no_residual = DenseView<V>{0, w.cols(), w.cols(), nullptr};

    this->iteration_matrix().apply_dot(z, w.q, {z, s.delta, nullptr, reduction});  // q := A z, z^H q
    minres_weights<V>(exec, s, stop);
    minres_advance<V>(exec, w.vectors(), s.weights, stop);  // the next v and d
    apply_preconditioner(this->iteration_preconditioner(), w);
    minres_rotate<V>(exec, s, w.r_norms.data(), stop);
    // x := x + m0 d, r := m1 r + m2 v
    minres_correct<V>(exec, s.movement, std::as_const(w.d).view(), std::as_const(w.lanczos()).view(), x.view(),
                      w.identity ? no_residual : w.r.view());
    if (!w.identity) {
        dense_norm2<V>(exec, std::as_const(w.r).view(), w.r_norms.data(), reduction);
    }
    stop_check<real_t<V>>(exec, w.r_norms.data(), stop);
}

}  // namespace linden
