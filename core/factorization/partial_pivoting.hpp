#pragma once

#include <linden/matrix/csr.hpp>

#include "core/factorization/direct_analysis.hpp"

namespace linden::detail {

/// Chooses the rows of pivots by elimination, column by column, in the order of analysis.columns: the largest entry of
/// the column, unless that of analysis.rows[j] has a tenth of it. Overwrites `rows` with them, and returns the pattern
/// of L + U with all fill. Sequential. a: in host memory. [GilbertPeierls88]
/// @throws InvalidParameter if I cannot count the entries
template <class V, class I>
HostPattern<I> pivoted_pattern(const Csr<V, I>& a, const DirectAnalysis<I>& analysis, std::vector<I>& rows);

}  // namespace linden::detail
