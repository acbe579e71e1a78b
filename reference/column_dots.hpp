#pragma once

#include <linden/views.hpp>

#include "core/base/math.hpp"
#include "reference/row_sums.hpp"

namespace linden::reference {

/// wx[col] := w(:, col)^H x(:, col);  xx[col] := x(:, col)^H x(:, col) unless xx is null. Over the rows of all ranks.
template <class V>
void column_dots(DenseView<const V> w, DenseView<V> x, V* wx, V* xx, WorkspaceView workspace)
{
    for (size_type col = 0; col < x.cols; ++col) {
        RowSums<V> sums(workspace, 2);
        for (size_type row = 0; row < x.rows; ++row) {
            V* const sum = sums.at(row);
            sum[0] += conj(w(row, col)) * x(row, col);
            sum[1] += abs2(x(row, col));
        }
        sums.finish(Later{[wx, xx, col](const V* totals) {
            wx[col] = totals[0];
            if (xx != nullptr) {
                xx[col] = totals[1];
            }
        }});
    }
}

}  // namespace linden::reference
