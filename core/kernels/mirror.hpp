#pragma once

#include <linden/views.hpp>

#include "core/base/kernel.hpp"
#include "core/base/type_lists.hpp"

/// Adjoints of matrices whose patterns are symmetric.
namespace linden {

/// values[k] := the conjugate of the mirror image of entry k, source[k] := where that stands; 0 and -1 for none.
/// a: n x n, sorted rows with unique columns; source, values: as many as a has. A mirror image is looked for as far
/// from the end of its row as k is from the beginning of its own, then by bisection.
template <class V, class I>
inline constinit kernel<void(CsrView<V, I> a, I* source, V* values)> mirror_adjoint{
    "mirror::adjoint", types_of<V, I>, {.eps = 0}};

}  // namespace linden
