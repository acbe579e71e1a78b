#pragma once

#include <linden/views.hpp>

#include "core/base/kernel.hpp"
#include "core/base/type_lists.hpp"

/// Maps from the entries of one pattern to those of another, as core/kernels/pattern.hpp makes them.
namespace linden {

/// composed[k] := inner[outer[k]], -1 where outer[k] < 0.  composed, outer: n values; composed may be outer.
template <class I>
inline constinit kernel<void(size_type n, const I* outer, const I* inner, I* composed)> pattern_compose{
    "pattern::compose", types_of<I>};

/// source[k] := the entry of a that has the place of entry k of f, -1 if a has none there. Both are of the same size
/// and have sorted rows with unique columns.  source: as many as f has.
template <class I>
inline constinit kernel<void(PatternView<I> f, PatternView<I> a, I* source)> pattern_locate{"pattern::locate",
                                                                                            types_of<I>};

}  // namespace linden
