#pragma once

#include <linden/views.hpp>

#include "core/base/math.hpp"

namespace linden::reference {

/// wx[col] := w(:, col)^H x(:, col);  xx[col] := x(:, col)^H x(:, col) unless xx is null.
template <class V>
void column_dots(DenseView<const V> w, DenseView<V> x, V* wx, V* xx)
{
    for (size_type col = 0; col < x.cols; ++col) {
        V sum_wx{};
        V sum_xx{};
        for (size_type row = 0; row < x.rows; ++row) {
            sum_wx += conj(w(row, col)) * x(row, col);
            sum_xx += abs2(x(row, col));
        }
        wx[col] = sum_wx;
        if (xx != nullptr) {
            xx[col] = sum_xx;
        }
    }
}

}  // namespace linden::reference
