#pragma once

#include <linden/views_formats.hpp>

namespace linden::reference {

/// The sum of values[k] get(column) over the entries k of a row, from left to right.
template <class V, class I, class Get>
V stencil_product(const StencilView<V, I>& a, const V* values, size_type row, const Get& get)
{
    const auto stencil = a.stencils[row];
    V sum{};
    for (I k = a.ptrs[stencil]; k < a.ptrs[stencil + 1]; ++k) {
        sum += values[k] * get(row + a.offsets[k]);
    }
    return sum;
}

}  // namespace linden::reference
