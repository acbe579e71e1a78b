#pragma once

#include <linden/views_formats.hpp>

#include "core/base/kernel.hpp"
#include "core/kernels/persistent.hpp"
#include "core/kernels/stop.hpp"

namespace linden {

/// WholeSolve with a matrix of a few stencils.
template <class V, class I>
struct WholeStencilSolve {
    StencilView<V, I> a;
    const V* d = nullptr;           ///< n: M^-1 = diag(d); null for M = I
    PersistentPartition partition;  ///< of the rows of A, whatever nonzeros they have
    DenseView<V> r;                 ///< n x 1: b - A x, overwritten
    DenseView<V> x;                 ///< n x 1, overwritten
};

/// Fast memory that a block of a device needs for them: three vectors and numbers of stencils.
template <class V>
constexpr size_type stencil_block_bytes(size_type max_rows)
{
    return max_rows * (3 * static_cast<size_type>(sizeof(V)) + static_cast<size_type>(sizeof(std::uint16_t)));
}

/// cg_run_persistent for such a matrix: p is all that passes through the cache and memory in an iteration, and d.
/// Workspace: persistent_header_bytes.
template <class V, class I>
inline constinit kernel<void(WholeStencilSolve<V, I> solve, DenseView<V> p, WorkspaceView workspace,
                             StopView<real_t<V>> stop)>
    cg_run_stencils{"cg::run_stencils", types_of<V, I>, {.eps = 128, .scratch = arguments(1)}};

}  // namespace linden
