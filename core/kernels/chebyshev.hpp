#pragma once

#include <linden/views.hpp>

#include "core/base/kernel.hpp"
#include "core/base/type_lists.hpp"

/// The vector work of Chebyshev's iteration.
namespace linden {

/// x := c[0] y + c[1] x + c[2] D (b - q), D = diag(d), or the identity where d has no values; c: 3 values in the
/// executor's memory. With c[1] = 0 the old x is not read.  d: n x 1; b, q, y, x: n x k, no two the same.
/// (5 k + 1) n words.
template <class V>
inline constinit kernel<void(const V* c, DenseView<const V> d, DenseView<const V> b, DenseView<const V> q,
                             DenseView<const V> y, DenseView<V> x)>
    chebyshev_step{"chebyshev::step", types_of<V>};

}  // namespace linden
