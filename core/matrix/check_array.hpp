#pragma once

#include <linden/array.hpp>
#include <linden/error.hpp>

#include <string>
#include <string_view>

namespace linden::detail {

/// Checks the length and the executor of an array. @throws InvalidParameter naming `what`
template <class T>
void check_array(std::string_view what, const Array<T>& array, const Executor& exec, size_type size)
{
    if (!(array.executor() == exec)) {
        throw InvalidParameter(what, "on " + array.executor().name(), "on " + exec.name());
    }
    if (array.size() != size) {
        throw InvalidParameter(what, std::to_string(array.size()) + " values", std::to_string(size) + " values");
    }
}

}  // namespace linden::detail
