#pragma once

#include <linden/matrix/csr.hpp>

#include "core/factorization/direct_analysis.hpp"

namespace linden::detail {

/// Chooses the rows of pivots by elimination, column by column: the largest entry of the column, unless that of the
/// row that the analysis matches with it has a tenth of it. Sequential. [GilbertPeierls88]
///
/// Columns come in the order of the analysis, which leaves little fill where pivots are mostly the matched entries. If
/// more is filled in and `may_reorder`, they may come by minimum degree of A^H A, whose fill no choice of pivots makes
/// much larger: both orders are tried in turn with limits that grow, and the first that ends is taken. [DavisEtAl04]
///
/// Overwrites `rows` and `columns` with those of the pivots, and returns the pattern of L + U with all fill. a: in host
/// memory.
/// @throws InvalidParameter if I cannot count the entries
template <class V, class I>
HostPattern<I> pivoted_pattern(const Csr<V, I>& a, const DirectAnalysis<I>& analysis, bool may_reorder,
                               std::vector<I>& rows, std::vector<I>& columns);

}  // namespace linden::detail
