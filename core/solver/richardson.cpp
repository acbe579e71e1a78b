#include <linden/error.hpp>
#include <linden/matrix/dense.hpp>
#include <linden/solver/richardson.hpp>

#include <cmath>

#include "core/base/check_parameter.hpp"
#include "core/kernels/cg.hpp"
#include "core/kernels/dense.hpp"
#include "core/kernels/richardson.hpp"
#include "core/matrix/block_cache.hpp"
#include "core/solver/workspace.hpp"

// instantiate: class Richardson<V>

/// Vector words moved per iteration and row (n rows; matrix and preconditioner apart):
///
///                                     reads        writes   words
///     q := A z                        z            q        2
///     r := r - omega q, ||r||         q r          r        3
///     x := x + omega z                z x          x        3      total 8 n
///
/// A preconditioner adds its own application z := M^-1 r; without one z is a copy of r, 2 n.
/// Without tolerance `apply` computes r := b - A x instead of the first two steps, also in 5 words. The first
/// iteration, from x = 0, is one application of M^-1 and, if omega is not 1, 2 n. The limit of an iteration is (8 n V +
/// bytes of A + bytes of M^-1) / bandwidth.
namespace linden {
namespace {

/// CG's kernel that updates the residual uses the step length rho / (p^H A p), here relaxation / 1.
template <class V>
struct RichardsonWorkspace final : SolverWorkspace<V> {
    RichardsonWorkspace(const Executor& exec, size_type rows, size_type cols)
        : SolverWorkspace<V>(exec, rows, cols),
          q(exec, {rows, cols}),
          z(exec, {rows, cols}),
          scalars(exec, 4 * cols)
    {
    }
    V* scalar(int i) { return scalars.data() + i * this->cols(); }
    DenseView<V> scalar_row(int i) { return {1, this->cols(), this->cols(), scalar(i)}; }
    CgScalars<V> step_length() { return {scalar(0), scalar(1), scalar(2), scalar(3)}; }

    Dense<V> q;  // A z
    Dense<V> z;  // M^-1 r, or r
    Array<V> scalars;
};

}  // namespace

/// Memory for r and z.
template <class V>
struct Richardson<V>::Smoothing {
    detail::BlockCache<V> blocks;
};

template <class V>
void Richardson<V>::Parameters::describe(ParameterVisitor& v)
{
    v.group("stop", stop, "stopping rule");
    v.factory("preconditioner", preconditioner, "M of x := x + relaxation M^-1 (b - A x)");
    v("relaxation", relaxation, "damping factor of the corrections, greater than 0");
}

template <class V>
Richardson<V>::Richardson(Executor exec, Parameters parameters, LinOpPtr<V> matrix)
    : Solver<V>(std::move(exec), std::move(parameters.stop), std::move(parameters.preconditioner), std::move(matrix)),
      relaxation_(static_cast<real_t<V>>(parameters.relaxation)),
      smoothing_(new Smoothing{detail::BlockCache<V>(this->executor())})
{
    check_parameter(parameters.relaxation > 0 && std::isfinite(parameters.relaxation), "relaxation",
                    parameters.relaxation, "a number greater than 0");
}

template <class V>
Richardson<V>::~Richardson() = default;

/// Whether only the number of iterations stops the solve.
template <class V>
bool Richardson<V>::has_no_tolerance() const
{
    const auto& stop = this->stop();
    return stop.relative_residual == 0 && stop.absolute_residual == 0 && stop.max_seconds == 0 &&
           stop.stagnation_iterations == 0 && stop.custom.empty();
}

template <class V>
bool Richardson<V>::is_capturable() const
{
    const auto m = this->preconditioner();
    return has_no_tolerance() ? this->matrix()->is_capturable() && (m == nullptr || m->is_capturable())
                              : Solver<V>::is_capturable();
}

template <class V>
std::unique_ptr<SolverWorkspace<V>> Richardson<V>::make_workspace(const Executor& exec, size_type num_rhs) const
{
    return std::make_unique<RichardsonWorkspace<V>>(exec, this->size().rows, num_rhs);
}

template <class V>
void Richardson<V>::start(Dense<V>&, SolverWorkspace<V>& workspace) const
{
    auto& w = static_cast<RichardsonWorkspace<V>&>(workspace);
    dense_fill<V>(this->executor(), relaxation_, w.scalar_row(0));
    dense_fill<V>(this->executor(), V{1}, w.scalar_row(2));
}

template <class V>
void Richardson<V>::step(Dense<V>& x, SolverWorkspace<V>& workspace) const
{
    auto& w = static_cast<RichardsonWorkspace<V>&>(workspace);
    const auto& exec = this->executor();
    const auto z = std::as_const(w.z).view();
    const auto length = w.step_length();

    if (const auto* const m = this->iteration_preconditioner(); m != nullptr) {
        m->apply(w.r, w.z);  // z := M^-1 r
    } else {
        dense_copy<V>(exec, std::as_const(w.r).view(), w.z.view());
    }
    this->iteration_matrix().apply(w.z, w.q);  // q := A z
    // r := r - omega q, stopping rule
    cg_update_residual<V>(exec, std::as_const(w.q).view(), w.r.view(), length, false, w.stop.view(),
                          w.reduction.view());
    richardson_update_solution<V>(exec, length.alpha, z, x.view(), w.stop.view());  // x := x + omega z
}

/// Without tolerance, residual norms are not needed, nor the residual of x = 0, which is b.
template <class V>
void Richardson<V>::apply_impl(const Dense<V>& b, Dense<V>& x) const
{
    const auto& exec = this->executor();
    const auto num_iterations = this->stop().max_iterations;
    if (!has_no_tolerance() || num_iterations == 0) {
        Solver<V>::apply_impl(b, x);
        return;
    }
    const auto m = this->preconditioner();
    if (m == nullptr) {
        dense_axpby<V>(exec, relaxation_, b.view(), V{}, x.view());  // x := omega b
    } else {
        m->apply(b, x);  // x := omega M^-1 b
        if (relaxation_ != V{1}) {
            dense_scale<V>(exec, relaxation_, x.view());
        }
    }
    const size_type count = num_iterations > 1 ? b.size().rows * b.size().cols : 0;
    typename detail::BlockCache<V>::Lease r_lease(smoothing_->blocks, count), z_lease(smoothing_->blocks, count);
    auto r = r_lease.block(b.size());
    auto z = z_lease.block(b.size());
    for (size_type iteration = 1; iteration < num_iterations; ++iteration) {
        this->matrix()->apply(x, r);
        dense_axpby<V>(exec, V{1}, b.view(), V{-1}, r.view());  // r := b - A x
        if (m != nullptr) {
            m->apply(r, z);  // z := M^-1 r
        }
        const auto& correction = m == nullptr ? r : z;
        dense_axpby<V>(exec, relaxation_, correction.view(), V{1}, x.view());  // x := x + omega z
    }
}

}  // namespace linden
