#pragma once

#include <linden/error.hpp>
#include <linden/solver/solver.hpp>

#include <algorithm>

#include "core/kernels/cg.hpp"
#include "core/kernels/directions.hpp"
#include "core/solver/basis.hpp"
#include "core/solver/workspace.hpp"

/// What the methods that keep directions have in common.
namespace linden::detail {

/// How many directions are kept. @throws InvalidParameter unless at least 1 is wanted
template <class V>
size_type directions_to_keep(size_type wanted, const Solver<V>& solver)
{
    if (wanted < 1) {
        throw InvalidParameter("directions", std::to_string(wanted), "at least 1");
    }
    return std::max(size_type{1}, std::min({wanted, most_steps<V>(solver), solver.stop().max_iterations}));
}

/// Directions p_i, their products q_i, and sigma_i, by which products with them are divided.
template <class V>
struct DirectionsWorkspace : SolverWorkspace<V> {
    DirectionsWorkspace(const Executor& exec, Dim size, size_type count, bool preconditioned)
        : SolverWorkspace<V>(exec, size.rows, size.cols, count + 1),
          num_directions(count),
          p(exec, count, size),
          q(exec, count, size),
          z(exec, preconditioned ? size : Dim{}),
          values(exec, (3 * count + 3) * size.cols)
    {
        this->step_reports_iterations = true;
        // Products with directions that do not exist yet are formed, and then not used.
        exec.state().fill_zero(q.values().data(), q.values().bytes());
    }

    V* h() { return values.data(); }
    V* y() { return h() + num_directions * this->cols(); }
    V* sigma(size_type i) { return y() + (num_directions + i) * this->cols(); }
    /// rho / sigma_i is the step length.
    CgScalars<V> step_length(size_type i)
    {
        const auto k = this->cols();
        V* const rho = sigma(num_directions);
        return {rho, rho + k, sigma(i), rho + 2 * k};
    }
    V* rho() { return step_length(0).rho; }
    /// M^-1 r, or r itself.
    const Dense<V>& preconditioned_residual() const { return z.size().rows == 0 ? this->r : z; }

    /// There are no directions.
    void forget()
    {
        const auto bytes = static_cast<std::size_t>((num_directions + 3) * this->cols()) * sizeof(V);
        z.executor().state().fill_zero(sigma(0), bytes);
    }

    size_type num_directions;
    Basis<V> p;
    Basis<V> q;  // A p
    Dense<V> z;  // M^-1 r
    Array<V> values;
};

/// The weights y that make z orthogonal to the first `count` directions, from products of `product` with their q.
template <class V>
void weigh_directions(const Dense<V>& product, size_type count, DirectionsWorkspace<V>& w)
{
    if (count == 0) {
        return;
    }
    const auto& exec = product.executor();
    const auto stop = w.stop.view();
    gmres_multi_dot<V>(exec, w.q.first(count), product.view(), w.h(), stop, w.reduction.view());  // h := Q^H z
    directions_weights<V>(exec, w.h(), w.sigma(0), count, w.y(), w.rho(), stop);                  // y := h / sigma
}

}  // namespace linden::detail
