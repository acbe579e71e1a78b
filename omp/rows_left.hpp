#pragma once

#include <linden/types.hpp>

#include <algorithm>
#include <cstdint>

namespace linden::omp {

/// Calls body(row) for those rows of [begin, end) that `is_left(row)` holds for. They are listed block by block without
/// branches, which would be foretold wrongly where some rows are done and others are not; where all are, a block takes
/// some vector instructions.
template <class IsLeft, class Body>
void for_each_row_left(size_type begin, size_type end, const IsLeft& is_left, const Body& body)
{
    constexpr size_type block_rows = 128;
    std::uint8_t left[block_rows];
    for (size_type first = begin; first < end; first += block_rows) {
        const size_type count = std::min(block_rows, end - first);
        size_type num_left = 0;
        for (size_type i = 0; i < count; ++i) {
            num_left += is_left(first + i) ? 1 : 0;
        }
        if (num_left == 0) {
            continue;
        }
        num_left = 0;
        for (size_type i = 0; i < count; ++i) {
            left[num_left] = static_cast<std::uint8_t>(i);
            num_left += is_left(first + i) ? 1 : 0;
        }
        for (size_type i = 0; i < num_left; ++i) {
            body(first + left[i]);
        }
    }
}

}  // namespace linden::omp
