#pragma once

#include <linden/matrix/dense.hpp>
#include <linden/matrix/operations.hpp>

#include <limits>
#include <optional>
#include <string>

#include "core/kernels/bsr.hpp"
#include "core/kernels/coarsening.hpp"
#include "core/kernels/dense.hpp"
#include "core/matrix/pattern_operations.hpp"
#include "core/matrix/result_plan.hpp"
#include "core/multigrid/aggregates.hpp"

/// Aggregates of nodes, which are one row or the rows of several unknowns, and what they carry of a near-null space.
/// [VanekMandelBrezina96]
namespace linden::detail {

/// An entry for each block of A: its Frobenius norm, negative off the diagonal. Waits.
template <class V, class I>
Csr<V, I> node_matrix(const Csr<V, I>& a, size_type block_rows)
{
    const auto& exec = a.executor();
    const size_type nodes = a.size().rows / block_rows;
    auto result = matrix_of<V>(make_plain_pattern<I>(
        exec, {nodes, nodes}, "the nodes", [&](I* counts) { bsr_count_blocks<I>(exec, a.view(), block_rows, counts); },
        [&](Pattern<I>& p) { bsr_find_blocks<I>(exec, a.view(), block_rows, p.row_ptrs.data(), p.col_idxs.data()); }));
    coarsening_block_norms<V, I>(exec, a.view(), block_rows, result.view(), result.values());
    return result;
}

template <class I>
struct NodeAggregates {
    Pattern<I> strong;  ///< the strong entries between nodes
    Aggregates<I> aggregates;
};

/// Waits.
template <class V, class I>
NodeAggregates<I> aggregates_of(const Csr<V, I>& nodes, double threshold, bool is_hermitian)
{
    const auto& exec = nodes.executor();
    const auto n = nodes.size().rows;
    Array<real_t<V>> largest(exec, n), sums(exec, n);
    aggregation_measure<V, I>(exec, nodes.view(), largest.data(), sums.data(), nullptr);
    auto strong = strong_pattern(nodes, threshold, is_hermitian, largest, sums);
    auto aggregates = number_aggregates(find_roots(nodes, strong.view()));
    return {std::move(strong), std::move(aggregates)};
}

/// The pattern of the tentative prolongator: nodes x aggregates. Waits.
template <class I>
Pattern<I> membership_of(const Aggregates<I>& aggregates)
{
    const auto& exec = aggregates.of_rows.executor();
    const auto n = aggregates.of_rows.size();
    return make_plain_pattern<I>(
        exec, {n, aggregates.count}, "the aggregates' rows",
        [&](I* counts) { coarsening_mark_members<I>(exec, n, aggregates.of_rows.data(), counts); },
        [&](Pattern<I>& p) {
            coarsening_take_members<I>(exec, n, aggregates.of_rows.data(), p.row_ptrs.data(), p.col_idxs.data());
        });
}

/// The tentative prolongator with ones. Waits.
template <class V, class I>
Csr<V, I> indicators_of(const Aggregates<I>& aggregates)
{
    auto result = matrix_of<V>(membership_of(aggregates));
    dense_fill<V>(result.executor(), V{1}, {result.num_nonzeros(), 1, 1, result.values()});
    return result;
}

/// T with orthonormal columns, and B_c on the aggregates, of shape.vectors rows each.
template <class V, class I>
struct TentativeSystem {
    Csr<V, I> prolongator;
    Dense<V> coarse;
};

/// T B_c = b on all nodes with an aggregate.  b: rows x shape.vectors. Waits.
/// @throws InvalidParameter if I cannot hold T's entries
template <class V, class I>
TentativeSystem<V, I> tentative_system(const Aggregates<I>& aggregates, NodeShape shape, const Dense<V>& b)
{
    const auto& exec = b.executor();
    const auto membership = membership_of(aggregates);
    const auto [nodes, num_aggregates] = membership.size;
    const auto entries = membership.col_idxs.size() * shape.block_rows * shape.vectors;
    if (entries > std::numeric_limits<I>::max()) {
        throw InvalidParameter("near_nullspace", std::to_string(entries) + " entries of a prolongator",
                               "as many as the index type of the matrix holds");
    }
    Array<I> row_ptrs(exec, nodes * shape.block_rows + 1), col_idxs(exec, entries);
    coarsening_expand<I>(exec, membership.view(), shape, row_ptrs.data(), col_idxs.data());
    Array<V> values(exec, entries);
    Dense<V> coarse(exec, {num_aggregates * shape.vectors, shape.vectors});
    const auto members = transposed_pattern<I>(exec, membership.view());
    coarsening_orthonormalize<V, I>(exec, members.view(), shape, b.view(), row_ptrs.data(), values.data(),
                                    coarse.view());
    return {Csr<V, I>(exec, {nodes * shape.block_rows, num_aggregates * shape.vectors}, std::move(row_ptrs),
                      std::move(col_idxs), std::move(values)),
            std::move(coarse)};
}

/// The constants of each unknown of a node: rows x block_rows.
template <class V>
Dense<V> constants_of_unknowns(const Executor& exec, size_type rows, size_type block_rows)
{
    std::vector<V> values(static_cast<std::size_t>(rows * block_rows));
    for (size_type row = 0; row < rows; ++row) {
        values[static_cast<std::size_t>(row * block_rows + row % block_rows)] = V{1};
    }
    const Array<V> all(exec, values);
    Dense<V> result(exec, {rows, block_rows});
    dense_copy<V>(exec, {rows, block_rows, block_rows, all.data()}, result.view());
    return result;
}

}  // namespace linden::detail
