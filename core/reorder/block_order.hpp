#pragma once

#include <linden/array.hpp>

#include "core/kernels/levels.hpp"
#include "core/kernels/pattern_maps.hpp"

/// Orders by keys.
namespace linden::detail {

/// Blocks by colours, in a colour by number.
template <class I>
struct BlockOrder {
    BlockOrder(const Executor& exec, const Array<I>& colours, size_type num_colours)
        : order(exec, colours.size()),
          position(exec, colours.size()),
          colour_ptrs(exec, num_colours + 1)
    {
        Array<std::byte> workspace(exec, levels_order_workspace_bytes<I>(colours.size()));
        levels_order<I>(exec, colours.size(), num_colours, colours.data(), Side::lower, order.data(), position.data(),
                        colour_ptrs.data(), {workspace.data(), workspace.size()});
    }

    Array<I> order, position, colour_ptrs;
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
