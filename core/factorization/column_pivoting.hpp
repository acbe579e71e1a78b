#pragma once

#include <linden/matrix/csr.hpp>

#include <vector>

#include "core/kernels/ilut.hpp"

namespace linden::detail {

/// The columns of a's entries in the order of ILUTP: column j of A Q^T, whose ILUT has acceptable pivots, is column
/// q[j] of A. Row i takes the largest of the entries that elimination leaves right of column i - 1 as its pivot, where
/// it times `pivoting` exceeds the one on the diagonal: 0 never, 1 always. [Saad03, 10.4.4]
///
/// On the host, whatever a's executor: which column a row eliminates is known only once the row is done, and decides
/// for all later rows, so that rows cannot be found in parallel. Only U is kept, as `rule` limits it. Deterministic;
/// takes about as long as ILUT on one core.
template <class V, class I>
std::vector<I> columns_by_pivots(const Csr<V, I>& a, ThresholdRule rule, double pivoting);

}  // namespace linden::detail
