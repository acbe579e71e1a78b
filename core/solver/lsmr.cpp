#include <linden/solver/lsmr.hpp>

#include "core/kernels/dense.hpp"
#include "core/kernels/lsmr.hpp"
#include "core/solver/golub_kahan.hpp"

// instantiate: class Lsmr<V>

/// Vector words moved per iteration, for m x n matrices (matrix apart):
///
///                                                    reads      writes   words
///     bidiagonalization (golub_kahan.cpp)                                6 m + 6 n
///     rotations, stopping rule                                           0
///     g := h - sigma g, x := x + tau g,
///     h := v - theta h                               g h x v    g x h    7 n      total 6 m + 13 n
///
/// Kernels: 9, of which two work on scalars alone.
namespace linden {
namespace {

template <class V>
struct LsmrWorkspace final : detail::GolubKahanWorkspace<V> {
    LsmrWorkspace(const Executor& exec, Dim matrix, size_type num_rhs, bool has_preconditioner, real_t<V> scale)
        : detail::GolubKahanWorkspace<V>(exec, matrix, num_rhs, LsmrScalars<real_t<V>>::num_own, has_preconditioner,
                                         scale),
          g(exec, {matrix.cols, num_rhs}),
          h(exec, {matrix.cols, num_rhs})
    {
    }

    LsmrScalars<real_t<V>> scalars() { return {this->lengths(), this->scalar(0)}; }

    Dense<V> g;  // the direction, h-bar in the paper
    Dense<V> h;  // that of LSQR
};

}  // namespace

template <class V>
std::unique_ptr<SolverWorkspace<V>> Lsmr<V>::make_workspace(const Executor& exec, size_type num_rhs) const
{
    return std::make_unique<LsmrWorkspace<V>>(exec, this->matrix()->size(), num_rhs, this->preconditioner() != nullptr,
                                              this->scale());
}

template <class V>
void Lsmr<V>::begin(Dense<V>& x, SolverWorkspace<V>& workspace) const
{
    auto& w = static_cast<LsmrWorkspace<V>&>(workspace);
    const auto& exec = this->executor();
    const auto s = w.scalars();
    const auto stop = w.stop.view();
    dense_fill<V>(exec, V{}, w.g.view());
    dense_fill<V>(exec, V{}, w.h.view());
    lsmr_start<real_t<V>>(exec, s, stop);
    // h := v
    lsmr_correct<V>(exec, s.own, std::as_const(w.v).view(), w.h.view(), w.g.view(), x.view(), stop);
}

template <class V>
void Lsmr<V>::advance(Dense<V>& x, SolverWorkspace<V>& workspace) const
{
    auto& w = static_cast<LsmrWorkspace<V>&>(workspace);
    const auto& exec = this->executor();
    const auto s = w.scalars();
    const auto stop = w.stop.view();
    lsmr_rotate<real_t<V>>(exec, s, this->normal_residual(), w.r_norms.data(), stop);
    // g := h - sigma g, x := x + tau g, h := v - theta h
    lsmr_correct<V>(exec, s.own, std::as_const(w.v).view(), w.h.view(), w.g.view(), x.view(), stop);
}

}  // namespace linden
