#pragma once

#include <limits>

#include "core/kernels/breadth_first.hpp"

namespace linden {

/// When a search ends before it has found all: from level `levels` on, where it has found fewer vertices than
/// `vertices_each` for each level.
struct SearchLimits {
    size_type levels = std::numeric_limits<size_type>::max();
    size_type vertices_each = 1;

    constexpr bool is_beyond(size_type level, size_type num_found) const
    {
        return level >= levels && num_found / vertices_each < level;
    }
};

/// What a search came to.
struct SearchCounts {
    size_type num_levels = 0;  ///< whose neighbours have been looked at
    size_type num_found = 0;
    size_type was_ended = 0;  ///< 1 where the limits ended it
};

/// All levels of a search that breadth_first_start has begun: as breadth_first_level does them, until one is empty.
/// *counts := what that came to. limits: asked before each level. Workspace: breadth_first_workspace_bytes.
/// Deterministic. Reads each row once on one thread of a host, else three times.
template <class I>
inline constinit kernel<void(SearchView<I> search, SearchLimits limits, SearchCounts* counts, WorkspaceView workspace)>
    breadth_first_search{"breadth_first::search", types_of<I>};

}  // namespace linden
