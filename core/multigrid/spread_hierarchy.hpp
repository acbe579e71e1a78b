#pragma once

#include "core/multigrid/hierarchy.hpp"

namespace linden::detail {

/// Levels whose rows are spread over the ranks of a distributed::Matrix, down to one of at most `gathered_rows`, which
/// each rank has as a whole with the levels below it. Collective.
/// @throws NotSupported if the matrix is no distributed::Matrix, OutOfMemory, RemoteError
template <class V>
std::shared_ptr<AmgHierarchy<V>> make_spread_hierarchy(const LinOp<V>& matrix, const AmgPlan& plan,
                                                       size_type gathered_rows);

}  // namespace linden::detail
