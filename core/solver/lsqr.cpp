#include <linden/solver/lsqr.hpp>

#include "core/kernels/dense.hpp"
#include "core/kernels/lsqr.hpp"
#include "core/solver/golub_kahan.hpp"

// instantiate: class Lsqr<V>

/// Vector words moved per iteration, for m x n matrices (matrix apart):
///
///                                          reads        writes   words
///     bidiagonalization (golub_kahan.cpp)                        6 m + 6 n
///     rotation, stopping rule                                    0
///     x := x + tau w, w := v - theta w     w x v        x w      5 n      total 6 m + 11 n
///
/// Kernels: 9, of which two work on scalars alone.
namespace linden {
namespace {

template <class V>
struct LsqrWorkspace final : detail::GolubKahanWorkspace<V> {
    LsqrWorkspace(const Executor& exec, Dim matrix, size_type num_rhs, bool has_preconditioner, real_t<V> scale)
        : detail::GolubKahanWorkspace<V>(exec, matrix, num_rhs, 5, has_preconditioner, scale),
          w(exec, {matrix.cols, num_rhs})
    {
    }

    LsqrScalars<real_t<V>> scalars()
    {
        return {this->lengths(), this->scalar(0), this->scalar(1), this->scalar(2), this->scalar(3)};
    }

    Dense<V> w;  // the direction
};

}  // namespace

template <class V>
std::unique_ptr<SolverWorkspace<V>> Lsqr<V>::make_workspace(const Executor& exec, size_type num_rhs) const
{
    return std::make_unique<LsqrWorkspace<V>>(exec, this->matrix()->size(), num_rhs, this->preconditioner() != nullptr,
                                              this->scale());
}

template <class V>
void Lsqr<V>::begin(Dense<V>& x, SolverWorkspace<V>& workspace) const
{
    auto& w = static_cast<LsqrWorkspace<V>&>(workspace);
    const auto& exec = this->executor();
    const auto s = w.scalars();
    const auto stop = w.stop.view();
    dense_fill<V>(exec, V{}, w.w.view());
    lsqr_start<real_t<V>>(exec, s, stop);
    lsqr_correct<V>(exec, s.tau, s.weights, std::as_const(w.v).view(), w.w.view(), x.view(), stop);  // w := v
}

template <class V>
void Lsqr<V>::advance(Dense<V>& x, SolverWorkspace<V>& workspace) const
{
    auto& w = static_cast<LsqrWorkspace<V>&>(workspace);
    const auto& exec = this->executor();
    const auto s = w.scalars();
    const auto stop = w.stop.view();
    lsqr_rotate<real_t<V>>(exec, s, this->normal_residual(), w.r_norms.data(), stop);
    // x := x + tau w, w := v - theta w
    lsqr_correct<V>(exec, s.tau, s.weights, std::as_const(w.v).view(), w.w.view(), x.view(), stop);
}

}  // namespace linden
