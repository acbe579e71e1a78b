#pragma once

#include "core/base/type_lists.hpp"

/// What tests of types that a build may lack share.
namespace linden::test {

/// Calls `f.operator()<T...>()` where this build has all of these types: nothing in f is compiled else.
template <class... T, class F>
void where_built(F&& f)
{
    if constexpr (has_types<T...>) {
        f.template operator()<T...>();
    }
}

}  // namespace linden::test
