#include "core/deflation/galerkin_solver.hpp"

#include <algorithm>
#include <limits>

#include "core/kernels/dense.hpp"

// instantiate: class detail::GalerkinSolver<V>

namespace linden::detail {

template <class V>
GalerkinSolver<V>::GalerkinSolver(const Executor& exec, size_type num_vectors, CoarseSolve how)
    : how_(how),
      matrix_(exec, {num_vectors, num_vectors})
{
}

template <class V>
void GalerkinSolver<V>::factorize(const Dense<V>& e, const Array<real_t<V>>& scales)
{
    const auto& exec = matrix_.executor();
    const size_type k = size();
    Array<wide_t<V>> values(exec, k * k);
    Array<std::int32_t> is_kept(exec, k);
    Array<std::byte> workspace(exec, galerkin_workspace_bytes<V>(k));
    const double eps = std::numeric_limits<real_t<V>>::epsilon();
    const GalerkinView<V> view{k, values.data(), scales.data(), is_kept.data(), 8 * eps * static_cast<double>(k)};
    const auto elimination = how_ == CoarseSolve::inverse ? Elimination::inverse : Elimination::factors;

    galerkin_widen<V>(exec, k * k, e.data(), values.data());
    for (size_type first = 0; first < k; first += galerkin_block_rows) {
        galerkin_eliminate<V>(exec, view, first, elimination, {workspace.data(), workspace.size()});
    }
    galerkin_round<V>(exec, k * k, k, values.data(), is_kept.data(), matrix_.data());
    const auto kept = is_kept.to_host();
    num_dropped_ = std::count(kept.begin(), kept.end(), 0);
}

template <class V>
void GalerkinSolver<V>::apply(const Dense<V>& b, Dense<V>& x) const
{
    if (how_ == CoarseSolve::inverse) {
        matrix_.apply(b, x);
    } else {
        galerkin_substitute<V>(matrix_.executor(), matrix_.data(), b.view(), x.view());
    }
}

}  // namespace linden::detail
