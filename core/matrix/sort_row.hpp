#pragma once

#include <linden/types.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace linden::detail {

/// Rows up to this length are sorted by insertion, which is free for rows that are already sorted.
inline constexpr size_type max_insertion_sort = 32;

/// Stable sort of one row by column. buffer: memory of earlier calls.
template <class V, class I>
void sort_row(I* cols, V* values, size_type length, std::vector<std::pair<I, V>>& buffer)
{
    if (length > max_insertion_sort) {
        if (std::is_sorted(cols, cols + length)) {
            return;
        }
        buffer.clear();
        for (size_type k = 0; k < length; ++k) {
            buffer.emplace_back(cols[k], values[k]);
        }
        std::stable_sort(buffer.begin(), buffer.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
        for (size_type k = 0; k < length; ++k) {
            cols[k] = buffer[k].first;
            values[k] = buffer[k].second;
        }
        return;
    }
    for (size_type k = 1; k < length; ++k) {
        const auto col = cols[k];
        const auto value = values[k];
        auto hole = k;
        for (; hole > 0 && cols[hole - 1] > col; --hole) {
            cols[hole] = cols[hole - 1];
            values[hole] = values[hole - 1];
        }
        cols[hole] = col;
        values[hole] = value;
    }
}

}  // namespace linden::detail
