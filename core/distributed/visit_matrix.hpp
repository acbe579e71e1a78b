#pragma once

#include <linden/distributed/matrix.hpp>

#include "core/base/type_lists.hpp"

namespace linden::distributed {

/// Calls `f(matrix)` if the operator is a distributed::Matrix; false if not.
template <class V, class F>
bool visit_if_distributed(const LinOp<V>& op, F&& f)
{
    bool found = false;
    for_each_index([&]<class I>() {
        if (const auto* matrix = found ? nullptr : dynamic_cast<const Matrix<V, I>*>(&op); matrix != nullptr) {
            found = true;
            f(*matrix);
        }
    });
    return found;
}

}  // namespace linden::distributed
