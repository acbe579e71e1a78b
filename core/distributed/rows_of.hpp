#pragma once

#include <linden/views.hpp>

namespace linden::distributed {

/// Rows [first, first + count) of a block.
template <class V>
constexpr DenseView<V> rows_of(DenseView<V> block, size_type first, size_type count)
{
    return {count, block.cols, block.stride, block.values + first * block.stride};
}

}  // namespace linden::distributed
