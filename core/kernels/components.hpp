#pragma once

#include <linden/views.hpp>

#include "core/base/kernel.hpp"
#include "core/base/type_lists.hpp"

namespace linden {

/// labels[i] := the least row that row i is connected with by entries, in either direction, i itself among them.
/// a: n x n, rows in any order;  labels: n values. Deterministic. Sets of rows that are known to be connected are
/// joined, an entry at a time, the one with the greater first row below the other. [JaiganeshBurtscher18]
template <class I>
inline constinit kernel<void(PatternView<I> a, I* labels)> components_find{"components::find", types_of<I>};

}  // namespace linden
