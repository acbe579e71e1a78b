#pragma once

#include <linden/views.hpp>

#include "core/base/kernel.hpp"
#include "core/base/type_lists.hpp"

/// Maps from the entries of one pattern to those of another, as core/kernels/pattern.hpp makes them.
namespace linden {

/// composed[k] := inner[outer[k]], -1 where outer[k] < 0.  Arguments: n, outer, inner, composed, which may be outer.
template <class I>
inline constinit kernel<void(size_type, const I*, const I*, I*)> pattern_compose{"pattern::compose", types_of<I>};

/// source[k] := the entry of `a` that has the place of entry k of `f`, -1 if a has none there. Both are of the same
/// size and have sorted rows with unique columns.  Arguments: f, a, source (nnz of f).
template <class I>
inline constinit kernel<void(PatternView<I>, PatternView<I>, I*)> pattern_locate{"pattern::locate", types_of<I>};

}  // namespace linden
