#include <linden/matrix/dense.hpp>
#include <linden/solver/deflated_cg.hpp>

#include "core/deflation/deflation_space.hpp"
#include "core/kernels/cg.hpp"
#include "core/kernels/dense.hpp"
#include "core/solver/cg_steps.hpp"

// instantiate: class DeflatedCg<V>

/// Vector words moved per iteration and row, without the preconditioner (n rows, matrix apart):
///
///                                                     reads        writes   words
///     q := A p, p^H q                                 p            q        2
///     r := r - alpha q, r^H r                         r q          r        3
///     c := E^-1 ((A Z)^H (z + beta p) - Z^H r / alpha)      r                     1
///     x := x + alpha p, p := z + beta p - Z c         z p x        p x      5      total 11 n
///
/// In addition n indices (the domains of rows), at most k^2 words of E^-1, and the entries of A Z with z there. With a
/// user-defined basis instead of domains, A Z and Z have n k words each, and p is read and written once more.
namespace linden {
namespace {

template <class V>
struct DeflatedCgWorkspace final : detail::CgWorkspace<V> {
    DeflatedCgWorkspace(const Executor& exec, size_type rows, size_type cols, bool preconditioned,
                        const detail::DeflationSpace<V>& space)
        : detail::CgWorkspace<V>(exec, rows, cols, preconditioned),
          memory(exec, space.block_values(cols)),
          blocks(space.blocks_in(exec, memory.data(), cols))
    {
    }

    Array<V> memory;
    detail::DeflationBlocks<V> blocks;
};

/// The permutation in which the preconditioner iterates, if it has one.
template <class V>
LinOpPtr<V> ordering_of(const LinOp<V>* preconditioner)
{
    const auto* const reorderable = dynamic_cast<const Reorderable<V>*>(preconditioner);
    if (reorderable == nullptr) {
        return nullptr;
    }
    const auto system = reorderable->reordered_system();
    return system.matrix == nullptr ? nullptr : system.to;
}

}  // namespace

template <class V>
void DeflatedCg<V>::Parameters::describe(ParameterVisitor& v)
{
    v.group("stop", stop, "stopping rule");
    v.factory("preconditioner", preconditioner, "M, Hermitian positive definite");
    deflation.describe(v);
}

template <class V>
DeflatedCg<V>::DeflatedCg(Executor exec, Parameters parameters, LinOpPtr<V> matrix)
    : Solver<V>(std::move(exec), std::move(parameters.stop), std::move(parameters.preconditioner), std::move(matrix)),
      space_(detail::make_deflation_space<V>(parameters.deflation, *this->matrix(),
                                             ordering_of<V>(this->preconditioner().get()).get(),
                                             detail::Symmetry::hermitian))
{
}

template <class V>
DeflatedCg<V>::~DeflatedCg() = default;

template <class V>
void DeflatedCg<V>::update_values(LinOpPtr<V> matrix)
{
    Solver<V>::update_values(std::move(matrix));
    space_->update(*this->matrix());
}

template <class V>
size_type DeflatedCg<V>::num_vectors() const
{
    return space_->num_vectors();
}

template <class V>
size_type DeflatedCg<V>::num_dropped_vectors() const
{
    return space_->num_dropped();
}

template <class V>
size_type DeflatedCg<V>::num_separators() const
{
    return space_->num_separators();
}

template <class V>
std::unique_ptr<SolverWorkspace<V>> DeflatedCg<V>::make_workspace(const Executor& exec, size_type num_rhs) const
{
    return std::make_unique<DeflatedCgWorkspace<V>>(exec, this->size().rows, num_rhs, this->preconditioner() != nullptr,
                                                    *space_);
}

template <class V>
void DeflatedCg<V>::start(Dense<V>& x, SolverWorkspace<V>& workspace) const
{
    auto& w = static_cast<DeflatedCgWorkspace<V>&>(workspace);
    const auto& exec = this->executor();
    const auto r = std::as_const(w.r).view();

    space_->solve(w.r, w.blocks);
    deflation_begin<V>(exec, w.blocks.coefficients.view(), w.stop.view());
    space_->add(V{1}, w.blocks, x);  // x := x + Q r
    this->iteration_matrix().apply(x, w.r);
    dense_axpby<V>(exec, V{1}, w.b->view(), V{-1}, w.r.view());  // r := b - A x
    dense_norm2<V>(exec, r, w.r_norms.data(), w.reduction.view());
    stop_check<real_t<V>>(exec, w.r_norms.data(), w.stop.view());

    detail::cg_start(this->iteration_preconditioner(), w);  // z := M^-1 r, rho := r^H z
    // p := z - Q A z, rho := r^H p
    space_->first_direction(w.preconditioned_residual(), w.r, w.blocks, w.p, w.cg(), w.stop.view());
}

template <class V>
void DeflatedCg<V>::step(Dense<V>& x, SolverWorkspace<V>& workspace) const
{
    auto& w = static_cast<DeflatedCgWorkspace<V>&>(workspace);
    const auto& z = w.preconditioned_residual();
    detail::cg_product(this->iteration_matrix(), w);  // q := A p, p^H q
    auto held = w.reduction.hold();
    detail::cg_residual(this->iteration_matrix(), w);  // r := r - alpha q, stopping rule
    if (const auto* const m = this->iteration_preconditioner(); m != nullptr) {
        m->apply_dot(w.r, w.z, w.rho());  // z := M^-1 r, rho := r^H z
    }
    space_->sum_ahead(z, w.r, w.blocks, w.reduction.view());  // Z^H A z, Z^H r
    held.release();                                           // all sums in one message
    // x := x + alpha p, p := z + beta p, p := p - Z E^-1 Z^H (A p - r / alpha), rho := r^H p
    space_->advance(z, w.r, w.blocks, w.p, x, w.cg(), w.stop.view());
}

}  // namespace linden
