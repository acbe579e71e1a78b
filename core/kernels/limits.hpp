#pragma once

#include <linden/views.hpp>

#include "core/base/kernel.hpp"
#include "core/base/type_lists.hpp"

/// What a device can do at most, where no other kernel shows it alone.
namespace linden {

/// All blocks that a device runs at once meet `count` times; met := count.  Workspace: persistent_header_bytes, zero
/// before the first call.
inline constinit kernel<void(std::int32_t count, std::int32_t* met, WorkspaceView workspace)> limits_meet{
    "limits::meet", types_of<std::int32_t>, {.scratch = arguments(2)}};

}  // namespace linden
