#pragma once

#include "core/portable/components.hpp"
#include "core/portable/multigrid.hpp"
#include "core/portable/stop.hpp"

namespace linden {

/// Calls f(kernel, BodyOf<body>()) for every kernel whose body the host backends share, where devices have their own.
template <class F>
void for_each_host_kernel(const F& f)
{
    for_each_host_components(f);
    for_each_host_multigrid(f);
    for_each_host_stop(f);
}

}  // namespace linden
