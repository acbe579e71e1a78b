#pragma once

#include <linden/error.hpp>

#include <string_view>

namespace linden::detail {

/// @throws DimensionMismatch{op: who} if the matrix with the new values has not as many nonzeros as the one before
inline void require_same_nonzeros(std::string_view who, size_type before, size_type now)
{
    if (now != before) {
        throw DimensionMismatch(who, "the vector of nonzeros", {before, 1}, "that of the new matrix", {now, 1});
    }
}

}  // namespace linden::detail
