#pragma once

#include <linden/views.hpp>

#include <array>

#include "core/base/math.hpp"
#include "core/kernels/reduction.hpp"

namespace linden::reference {

/// wx[col] := w(:, col)^H x(:, col);  xx[col] := x(:, col)^H x(:, col) unless xx is null. Over the rows of all ranks.
template <class V>
void column_dots(DenseView<const V> w, DenseView<V> x, V* wx, V* xx, WorkspaceView workspace)
{
    for (size_type col = 0; col < x.cols; ++col) {
        std::array<V, 2> sums{};
        for (size_type row = 0; row < x.rows; ++row) {
            sums[0] += conj(w(row, col)) * x(row, col);
            sums[1] += abs2(x(row, col));
        }
        sum_over_ranks(workspace, sums.data(), 2);
        wx[col] = sums[0];
        if (xx != nullptr) {
            xx[col] = sums[1];
        }
    }
}

}  // namespace linden::reference
