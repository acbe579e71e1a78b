#pragma once

#include <linden/error.hpp>

#include <string_view>

namespace linden::detail {

/// `size`, which `who` needs to be square. @throws DimensionMismatch{op: who} if it is not
inline Dim square(std::string_view who, Dim size)
{
    if (size.rows != size.cols) {
        throw DimensionMismatch(who, "the matrix", size, "a square one of so many rows", {size.rows, size.rows});
    }
    return size;
}

}  // namespace linden::detail
