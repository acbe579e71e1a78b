#pragma once

#include <algorithm>

#include "core/kernels/ilu_fill.hpp"

/// The search for one row of ILU(k)'s pattern, shared by the host backends.
namespace linden {

/// Finds rows of the pattern, one after the other, in memory of bytes(n).
template <class I>
class FillSearch {
public:
    static constexpr size_type bytes(size_type n) { return (2 * n * static_cast<size_type>(sizeof(I)) + 63) / 64 * 64; }

    FillSearch(PatternView<I> a, size_type k, std::byte* memory)
        : a_(a),
          max_level_(k),
          last_search_(reinterpret_cast<I*>(memory)),
          queue_(last_search_ + a.rows)
    {
        std::fill_n(last_search_, a.rows, I{-1});
    }

    /// Calls found(j) for the entries (row, j) of the upper triangle, the diagonal first, the others by levels.
    template <class Found>
    void search(size_type row, const Found& found)
    {
        const I source = static_cast<I>(row);
        last_search_[row] = source;
        queue_[0] = source;
        found(source);
        size_type end = 1;
        for (size_type first = 0, level = 0; first < end && level <= max_level_; ++level) {
            for (const size_type end_of_level = end; first < end_of_level; ++first) {
                end = visit_neighbours(queue_[first], source, end, found);
            }
        }
    }

private:
    /// Those less than `source` are queued from `end` on; returns the new end.
    template <class Found>
    size_type visit_neighbours(I vertex, I source, size_type end, const Found& found)
    {
        for (I e = a_.row_ptrs[vertex]; e < a_.row_ptrs[vertex + 1]; ++e) {
            const I j = a_.col_idxs[e];
            if (last_search_[j] == source) {
                continue;
            }
            last_search_[j] = source;
            if (j < source) {
                queue_[end++] = j;
            } else {
                found(j);
            }
        }
        return end;
    }

    PatternView<I> a_;
    size_type max_level_;
    I* last_search_;  ///< the row whose search came to a vertex last
    I* queue_;
};

}  // namespace linden
