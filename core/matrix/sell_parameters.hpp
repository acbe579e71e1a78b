#pragma once

#include <linden/error.hpp>

#include <bit>
#include <string>

namespace linden::detail {

/// @throws InvalidParameter
inline void check_slice_rows(size_type slice_rows)
{
    if (slice_rows < 32 || slice_rows > 1024 || !std::has_single_bit(static_cast<std::uint64_t>(slice_rows))) {
        throw InvalidParameter("slice_rows", std::to_string(slice_rows), "a power of two from 32 to 1024");
    }
}

/// @throws InvalidParameter
inline void check_sigma(size_type sigma)
{
    if (sigma < 1 || sigma > 65536) {
        throw InvalidParameter("sigma", std::to_string(sigma), "1 to 65536");
    }
}

}  // namespace linden::detail
