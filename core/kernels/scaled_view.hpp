#pragma once

#include <linden/views.hpp>

namespace linden {

/// diag(left) A diag(right), of which matrices of multigrid's cycle store the values.
template <class V, class I>
struct ScaledView {
    CsrView<V, I> a;
    const real_t<V>* left = nullptr;
    const real_t<V>* right = nullptr;
};

}  // namespace linden
