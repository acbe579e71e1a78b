#pragma once

#include "core/kernels/sell.hpp"

/// Terms of truncated Neumann series.
namespace linden {

/// x := D (b - T y), D = diag(d), or the identity where d is null: with y the series of so many terms and T on, one
/// term more, D on top.  T: n x m without row_order; d: n; b, x: n x k; y: m x k; b may be y or x, y is not x.  What y
/// holds in columns where a row has no entry does not matter. Sums run in the order of the entries. Deterministic.
/// Bytes: entries (S + J) with padding, + 3 n k V, less n k V where b is y, + n V for d.
template <class V, class S, class J>
inline constinit kernel<void(SellView<S, J> t, const V* d, DenseView<const V> b, DenseView<const V> y, DenseView<V> x)>
    neumann_term{"neumann::term", types_of<V, S, J>};

}  // namespace linden
