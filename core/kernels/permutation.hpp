#pragma once

#include <linden/views.hpp>

#include "core/base/kernel.hpp"
#include "core/base/type_lists.hpp"

/// Kernels on permutations p of 0, ..., n - 1; (P b)(i, :) = b(p[i], :).
namespace linden {

/// inverse[p[i]] := i;  *num_invalid := the number of i where p[i] is not in 0, ..., n - 1 or is that of another i that
/// was taken for its inverse. p is a permutation if and only if this is 0; the inverse is unspecified otherwise.
/// p, inverse: n values. 3 n words.
template <class I>
inline constinit kernel<void(size_type n, const I* p, I* inverse, size_type* num_invalid)> permutation_invert{
    "permutation::invert", types_of<I>};

/// x := alpha P b + beta x.  b and x: n x k.  With beta = 0 the old x is not read. p is valid.
template <class V, class I>
inline constinit kernel<void(const I* p, Scalar<V> alpha, DenseView<const V> b, Scalar<V> beta, DenseView<V> x)>
    permutation_apply{"permutation::apply", types_of<V, I>};

}  // namespace linden
