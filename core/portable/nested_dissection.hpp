#pragma once

#include "core/base/math.hpp"
#include "core/kernels/nested_dissection.hpp"

/// The rows of products with a dissected inverse, for hosts.
namespace linden {

/// values(position, the position's range) b
template <class V>
V range_product(const NestedDissectionView<V>& m, DenseView<const V> b, size_type position, size_type col)
{
    const V* const row = m.values + position * m.size;
    const auto range = m.ranges[position];
    V sum{};
    for (auto j = range.begin; j < range.end; ++j) {
        sum += multiply(row[j], b(m.order[j], col));
    }
    return sum;
}

/// An element of the product of nested_dissection_gather.
template <class V>
V gathered(const NestedDissectionView<V>& m, DenseView<const V> b, size_type row, size_type col)
{
    const size_type position = m.separators + row;
    return b(m.order[position], col) + range_product(m, b, position, col);
}

/// An element of the product of nested_dissection_expand, at a position.
template <class V>
V expanded(const NestedDissectionView<V>& m, DenseView<const V> b, DenseView<const V> t, size_type position,
           size_type col)
{
    const V* const row = m.values + position * m.size + m.separators;
    V sum = position < m.separators ? range_product(m, b, position, col) : V{};
    for (size_type j = 0; j < m.size - m.separators; ++j) {
        sum += multiply(row[j], t(j, col));
    }
    return sum;
}

}  // namespace linden
