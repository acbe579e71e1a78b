#pragma once

#include <linden/views.hpp>

#include <optional>
#include <vector>

namespace linden::detail {

/// The column of each row's pivot: a matching of rows with columns through entries that are not 0, of rows' only
/// entries, then of the diagonal where it is free, then of each row's largest entry that is left, then whatever
/// completes it. Good for an elimination that exchanges pivots itself: they may be small. a: n x n, in host memory.
/// Nothing where no matching is complete or a complete one takes long to find, and where more than half of the rows
/// have no diagonal entry: their order is not meant to be that of pivots. O(nnz).
template <class V, class I>
std::optional<std::vector<I>> plain_pivots(CsrView<V, I> a);

}  // namespace linden::detail
