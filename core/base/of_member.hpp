#pragma once

#include <linden/error.hpp>

#include <string>
#include <string_view>

namespace linden::detail {

/// What `make` returns. If it refuses a parameter, the error names its path: that of the factory in the member `member`
/// comes before it, as in `preconditioner.inner.tol`.
template <class Make>
auto of_member(std::string_view member, const Make& make)
{
    try {
        return make();
    } catch (const InvalidParameter& error) {
        throw InvalidParameter(std::string(member) + "." + error.name, error.value, error.allowed);
    }
}

}  // namespace linden::detail
