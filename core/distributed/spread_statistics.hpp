#pragma once

#include <linden/distributed/matrix.hpp>
#include <linden/matrix/statistics.hpp>

namespace linden::distributed {

/// Collective. The statistics of the whole matrix: they are made of counts, so they are those of one process, and the
/// same on all ranks. An entry whose mirror image another rank has is sent there. O(nnz log(longest row)) work on the
/// host.
template <class V, class I>
MatrixStatistics spread_statistics(const Matrix<V, I>& matrix);

}  // namespace linden::distributed
