#pragma once

#include <linden/array.hpp>
#include <linden/matrix/diagonal.hpp>

#include <memory>
#include <optional>

#include "core/kernels/persistent.hpp"

/// Persistent kernels, which run the whole solve of a small system, as doc/decisions/0005-whole-solves-in-one-kernel.md
/// explains. They form z = M^-1 r as they go: there are plans for systems without preconditioner or with a diagonal
/// matrix on the executor of A, and null stands for no plan.
namespace linden::detail {

/// Which kernel runs the solve, and how rows are assigned to its blocks.
struct PersistentPlan {
    enum class Variant {
        cluster,  ///< of the blocks of one cluster, which hold the whole system
        grid      ///< of all blocks that a device runs at once, which hold the vectors
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

/// The workspace of a kernel of the grid for right-hand sides of `size`; empty for other plans, and for several
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

/// The assignment of rows to blocks, equally many to each but the last, a multiple of `slice`. Nonzeros are counted as
/// if the rows of a slice were all as long as the longest. Nothing if A is no Csr or has no rows. Waits for the
/// executor.
template <class V>
std::optional<PersistentPartition> partition_rows(const LinOp<V>& a, size_type num_blocks, size_type slice);

}  // namespace linden::detail
