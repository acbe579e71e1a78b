#pragma once

#include <linden/views.hpp>

#include <limits>
#include <vector>

namespace linden::detail {

/// Whether x > 0, and x and 1 / x are normal numbers.
inline bool is_normal(double x)
{
    constexpr double least = std::numeric_limits<double>::min();
    return x >= least && x <= 1 / least;
}

/// 1 / sqrt |a_ii|, if |a_ij|^2 <= |a_ii a_jj| for all entries, as of definite and of diagonally dominant symmetric
/// matrices; else nothing. Then the product of no permutation's entries is larger than that of the diagonal, since each
/// cycle's is at most that of its diagonal entries: this is what a maximum product matching would find, with scaled
/// entries of at most 1. [DuffKoster01] a: n x n, in host memory. O(nnz).
template <class V, class I>
std::vector<double> inverse_diagonal_roots(CsrView<V, I> a);

}  // namespace linden::detail
