#pragma once

#include <linden/types.hpp>

#include <vector>

namespace linden::detail {

/// The dense k x k matrix E, row by row, becomes its inverse, by Gauss-Jordan elimination with pivots from the
/// diagonal, block by block; in a block the pivot that is largest relative to its `scale` (k, what entry (i, i) was
/// summed from) comes next. For Hermitian E pivots are those of Cholesky's method. Where they are at most `tolerance`,
/// or are no numbers, rows depend on those before and are dropped: the result is the inverse of what was kept, with
/// zeros elsewhere. Returns how many were dropped. 2 k^3 operations.  W: double or std::complex<double>.
template <class W>
size_type invert_with_diagonal_pivots(std::vector<W>& e, const std::vector<double>& scales, double tolerance);

}  // namespace linden::detail
