#pragma once

#include <linden/matrix/csr.hpp>

#include "core/kernels/csr.hpp"
#include "core/kernels/jacobi.hpp"

namespace linden::detail {

/// inverse := D^-1 with the diagonal D of a square matrix; zero or missing entries count as 1, and *num_zeros := their
/// number.  inverse: n values, num_zeros: one, in the executor's memory.
template <class V, class I>
void invert_diagonal(const Csr<V, I>& a, V* inverse, size_type* num_zeros)
{
    const DenseView<V> d{a.size().rows, 1, 1, inverse};
    csr_extract_diagonal<V, I>(a.executor(), a.view(), d);
    jacobi_invert_diagonal<V>(a.executor(), d, num_zeros);
}

}  // namespace linden::detail
