#pragma once

#include <linden/array.hpp>

#include "core/kernels/levels.hpp"
#include "core/kernels/pattern_maps.hpp"

/// Orders by keys.
namespace linden::detail {

/// A stable ordering of items by keys 0, ..., num_keys - 1.
template <class I>
struct KeyOrder {
    KeyOrder(const Executor& exec, const Array<I>& keys, size_type num_keys)
        : order(exec, keys.size()),
          position(exec, keys.size()),
          key_ptrs(exec, num_keys + 1)
    {
        Array<std::byte> workspace(exec, levels_order_workspace_bytes<I>(keys.size()));
        levels_order<I>(exec, {.num_rows = keys.size(), .num_levels = num_keys, .levels = keys.data()}, order.data(),
                        position.data(), key_ptrs.data(), {workspace.data(), workspace.size()});
    }

    Array<I> order;     ///< which item stands at each position
    Array<I> position;  ///< the inverse
    Array<I> key_ptrs;  ///< positions of key k: key_ptrs[k], ..., key_ptrs[k + 1] - 1
};

/// values[places]
template <class I>
Array<I> gathered(const Executor& exec, const Array<I>& places, const Array<I>& values)
{
    Array<I> result(exec, places.size());
    pattern_compose<I>(exec, places.size(), places.data(), values.data(), result.data());
    return result;
}

}  // namespace linden::detail
