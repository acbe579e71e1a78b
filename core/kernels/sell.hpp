#pragma once

#include <linden/views_formats.hpp>

#include "core/base/kernel.hpp"
#include "core/kernels/stored_types.hpp"

/// Products with matrices in (sliced) ELLPACK.
namespace linden {

/// Calls `f.operator()<V, S, J>()` for every value type, storage type and type of column indices of `sell_spmv`: values
/// as they are with all index types, rounded ones with 32 bits, both with 16 bits.
template <class F>
void for_each_sell_type(F&& f)
{
    for_each_value([&]<class V>() {
        for_each_index([&]<class I>() { f.template operator()<V, V, I>(); });
        f.template operator()<V, V, std::uint16_t>();
        for_each_lower_storage<V>([&]<class S>() {
            f.template operator()<V, S, std::int32_t>();
            f.template operator()<V, S, std::uint16_t>();
        });
    });
}

/// x := alpha A b + beta x, arithmetic in V.  b: n x k, x: m x k.  With beta = 0 the old x is not read; what b holds in
/// columns where a row has no entry does not matter. A row's products are summed from left to right. A is read once for
/// all k columns. slice_rows is a power of two from 32 where there are slice pointers. Deterministic.
/// Bytes: entries (S + J) with padding, + (n + m) k V. [KreutzerEtAl14]
template <class V, class S, class J>
inline constinit kernel<void(SellView<S, J>, Scalar<V>, DenseView<const V>, Scalar<V>, DenseView<V>)> sell_spmv{
    "sell::spmv", types_of<V, S, J>};

/// x := A b;  wx[col] := w(:, col)^H x(:, col);  xx[col] := x(:, col)^H x(:, col) unless xx is null.
/// b: n x k, x and w: m x k; w may be b.  Deterministic. Workspace: reduction_workspace_bytes<V>(2 k).
template <class V, class S, class J>
inline constinit kernel<void(SellView<S, J>, DenseView<const V>, DenseView<V>, DenseView<const V>, V*, V*,
                             WorkspaceView)>
    sell_spmv_dot{"sell::spmv_dot", types_of<V, S, J>};

}  // namespace linden
