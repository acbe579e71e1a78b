#pragma once

#include <linden/types.hpp>

#include <vector>

#include "core/factorization/elimination_tree.hpp"

namespace linden::detail {

/// What an order of rows and columns makes of a square pattern.
struct OrderingSizes {
    size_type bandwidth = 0;  ///< max |i - j| over entries
    size_type profile = 0;    ///< sum over rows of i - min j over entries of A + A^T [GeorgeLiu81, 4.2]
    size_type cholesky = 0;   ///< entries of L, with the diagonal, for A + A^T [GilbertEtAl94]
    size_type lu = 0;         ///< entries of L + U with pivots on the diagonal, for A + A^T
    size_type lu_bound = 0;   ///< no more with any row pivots: by the Cholesky factor of A^T A [GeorgeNg85]
};

/// a: n x n. graph: of a + a^T. Almost O(nnz); no factor, and no A^T A, is formed.
template <class I>
OrderingSizes sizes_of_ordering(const HostPattern<I>& a, const HostPattern<I>& graph, const std::vector<I>& order);

}  // namespace linden::detail
