#include <linden/matrix/dense.hpp>
#include <linden/parameters.hpp>
#include <linden/solver/gcr.hpp>

#include "core/kernels/dense.hpp"
#include "core/kernels/richardson.hpp"
#include "core/solver/directions.hpp"

// instantiate: class Gcr<V>

/// Vector words moved per iteration and row, without the preconditioner (n rows, matrix apart); k directions so far:
///
///                                           reads          writes   words
///     t := A z                              z              t        2
///     h := Q^H t                            Q t                     k + 1
///     p_j := z - P y, q_j := t - Q y        z t P Q        p_j q_j  2 k + 4
///     q_j^H q_j, q_j^H r                    q_j q_j r               3
///     r := r - alpha q_j, ||r||             q_j r          r        3
///     x := x + alpha p_j                    p_j x          x        3      total (3 k + 16) n
///
/// A cycle with restarts averages k = (directions - 1) / 2; with truncation k is the number of directions. A
/// preconditioner adds its own application z := M^-1 r. Kernels without preconditioner: 9. One step is a cycle.
namespace linden {
namespace {

template <class V>
struct GcrWorkspace final : detail::DirectionsWorkspace<V> {
    GcrWorkspace(const Executor& exec, Dim size, size_type count, bool preconditioned)
        : detail::DirectionsWorkspace<V>(exec, size, count, preconditioned),
          t(exec, size)
    {
    }
    Dense<V> t;  // A z
};

}  // namespace

template <class V>
void Gcr<V>::Parameters::describe(ParameterVisitor& v)
{
    v.group("stop", stop, "stopping rule");
    v.factory("preconditioner", preconditioner, "M, applied from the right, which may vary");
    v("directions", directions, "directions that are kept, at least 1");
    v("truncated", truncated, "drop only the oldest direction, instead of restarting without any");
}

template <class V>
Gcr<V>::Gcr(Executor exec, Parameters parameters, LinOpPtr<V> matrix)
    : Solver<V>(std::move(exec), std::move(parameters.stop), std::move(parameters.preconditioner), std::move(matrix)),
      directions_(detail::directions_to_keep(parameters.directions, *this)),
      truncated_(parameters.truncated)
{
}

template <class V>
std::unique_ptr<SolverWorkspace<V>> Gcr<V>::make_workspace(const Executor& exec, size_type num_rhs) const
{
    return std::make_unique<GcrWorkspace<V>>(exec, Dim{this->size().rows, num_rhs}, directions_,
                                             this->preconditioner() != nullptr);
}

template <class V>
void Gcr<V>::start(Dense<V>&, SolverWorkspace<V>& workspace) const
{
    static_cast<GcrWorkspace<V>&>(workspace).forget();
}

template <class V>
void Gcr<V>::step(Dense<V>& x, SolverWorkspace<V>& workspace) const
{
    auto& w = static_cast<GcrWorkspace<V>&>(workspace);
    const auto& exec = this->executor();
    const auto* const m = this->iteration_preconditioner();
    const auto& z = w.preconditioned_residual();
    const auto t = std::as_const(w.t).view();
    const auto stop = w.stop.view();
    const auto reduction = w.reduction.view();

    const auto iterate = [&](size_type j) {
        const size_type count = truncated_ ? directions_ : j;
        const auto length = w.step_length(j);
        const auto p = std::as_const(w.p[j]).view();
        const auto q = std::as_const(w.q[j]).view();
        if (m != nullptr) {
            m->apply(w.r, w.z);  // z := M^-1 r
        }
        this->iteration_matrix().apply(z, w.t);                                    // t := A z
        detail::weigh_directions(std::as_const(w.t), count, w);                    // y := (Q^H t) / sigma
        directions_combine<V>(exec, z.view(), w.y(), count, j, w.p.view(), stop);  // p := z - P y
        directions_combine<V>(exec, t, w.y(), count, j, w.q.view(), stop);         // q := t - Q y
        dense_dot<V>(exec, q, q, length.pq, reduction);                            // sigma := q^H q
        dense_dot<V>(exec, q, std::as_const(w.r).view(), length.rho, reduction);   // rho := q^H r
        // r := r - alpha q, stopping rule
        cg_update_residual<V>(exec, q, w.r.view(), length, false, stop, reduction);
        richardson_update_solution<V>(exec, length.alpha, p, x.view(), stop);  // x := x + alpha p
        if (w.after_iteration) {
            w.after_iteration();
        }
    };
    detail::run_steps(w.loop, w.running_flag(), directions_, iterate);
}

}  // namespace linden
