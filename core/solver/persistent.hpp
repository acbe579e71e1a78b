#pragma once

#include <linden/array.hpp>
#include <linden/matrix/diagonal.hpp>
#include <linden/matrix/formatted.hpp>
#include <linden/matrix/stencil.hpp>

#include <memory>
#include <optional>
#include <vector>

#include "core/base/type_lists.hpp"
#include "core/kernels/persistent.hpp"
#include "core/kernels/stop.hpp"

/// Persistent kernels, which run the whole solve of a small system, as doc/decisions/0005-whole-solves-in-one-kernel.md
/// explains. They form z = M^-1 r as they go: there are plans for systems without preconditioner or with a diagonal
/// matrix on the executor of A, and null stands for no plan.
namespace linden::detail {

/// Which kernel runs the solve, and how rows are assigned to its blocks.
struct PersistentPlan {
    enum class Variant {
        cluster,  ///< of the blocks of one cluster, which hold the whole system
        grid,     ///< of all blocks that a device runs at once, which hold the vectors
        spread,   ///< as `grid`, on each of the devices over which the rows are spread
        stencils  ///< as `grid`, for a matrix of a few stencils
    };
    Variant variant;
    PersistentPartition partition;
};

/// For a kernel of a cluster whose blocks need `block_bytes(partition)` to hold `num_vectors` vectors and A.
template <class V>
std::shared_ptr<const PersistentPlan> plan_cluster(const LinOp<V>& a, const LinOp<V>* preconditioner, int num_vectors,
                                                   size_type (*block_bytes)(PersistentPartition));

/// For a kernel of the grid that holds `num_vectors` vectors, where the cache has room for a fair part of A.
template <class V>
std::shared_ptr<const PersistentPlan> plan_grid(const LinOp<V>& a, const LinOp<V>* preconditioner, int num_vectors);

/// For the kernel of the grid for a matrix of a few stencils, as such or `Formatted`.
template <class V>
std::shared_ptr<const PersistentPlan> plan_stencils(const LinOp<V>& a, const LinOp<V>* preconditioner);

/// Calls `f(matrix)` for a Stencil, as such or `Formatted`. Returns false for others.
template <class V, class F>
bool visit_if_stencil(const LinOp<V>& op, const F& f)
{
    const auto* const formatted = dynamic_cast<const Formatted<V>*>(&op);
    const LinOp<V>& applied = formatted == nullptr ? op : *formatted->applied();
    bool is_stencil = false;
    for_each_index([&]<class I>() {
        if (const auto* const matrix = dynamic_cast<const Stencil<V, I>*>(&applied)) {
            is_stencil = true;
            f(*matrix);
        }
    });
    return is_stencil;
}

/// Collective where A is spread. For kernels on several devices that exchange values themselves, each of which holds
/// `num_vectors` vectors of its rows, if that suits all of them.
template <class V>
std::shared_ptr<const PersistentPlan> plan_spread(const LinOp<V>& a, const LinOp<V>* preconditioner, int num_vectors);

/// Collective. Runs CG for one right-hand side on all devices by such a plan, from the residual r, with p as scratch;
/// false if A is not what it was planned for. `workspace`: a persistent_workspace.
template <class V>
bool cg_run_spread_plan(const PersistentPlan& plan, const LinOp<V>& a, const LinOp<V>* preconditioner, DenseView<V> r,
                        DenseView<V> x, DenseView<V> p, WorkspaceView workspace, StopView<real_t<V>> stop);

/// The workspace of a kernel of a grid for right-hand sides of `size`; empty for other plans, and for several
/// columns, since persistent kernels solve for one.
template <class V>
Array<std::byte> persistent_workspace(const Executor& exec, Dim size, const PersistentPlan* plan);

/// d where M^-1 = diag(d); null where there is no M.
template <class V>
const V* diagonal_values(const LinOp<V>* preconditioner)
{
    const auto* const diagonal = dynamic_cast<const Diagonal<V>*>(preconditioner);
    return diagonal == nullptr ? nullptr : diagonal->values();
}

/// Whether A is not preconditioned, or by a diagonal matrix on `exec`.
template <class V>
bool is_diagonal_on(const Executor& exec, const LinOp<V>* preconditioner)
{
    return preconditioner == nullptr ||
           (dynamic_cast<const Diagonal<V>*>(preconditioner) != nullptr && preconditioner->executor() == exec);
}

/// The assignment of rows to blocks, equally many to each but the last, a multiple of `slice`. Nonzeros are counted as
/// if the rows of a slice were all as long as the longest. Nothing if A is no Csr or has no rows. Waits for the
/// executor.
template <class V>
std::optional<PersistentPartition> partition_rows(const LinOp<V>& a, size_type num_blocks, size_type slice);
/// The same for `rows` rows, by the lengths of the longest rows of slices; without these, whatever nonzeros they have.
PersistentPartition partition_slices(size_type rows, const std::vector<size_type>& widths, size_type num_blocks,
                                     size_type slice);
/// The lengths of the longest rows of slices of `slice` rows each, on the host; nothing if A is no Csr.
template <class V>
std::vector<size_type> slice_widths(const LinOp<V>& a, size_type slice);
/// Whether a grid's blocks have room for `num_vectors` vectors of the system: no look at its rows is needed if not.
template <class V>
bool grid_may_hold(const Executor& exec, size_type rows, int num_vectors);
/// Whether they have, if a block needs `block_bytes`, and the cache has room for a fair part of the matrix.
template <class V>
bool grid_holds(const Executor& exec, size_type rows, PersistentPartition partition, size_type block_bytes);

}  // namespace linden::detail
