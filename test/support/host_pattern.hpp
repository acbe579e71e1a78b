#pragma once

#include <cstdint>
#include <vector>

#include "core/factorization/elimination_tree.hpp"

namespace linden::test {

/// The pattern whose rows have these columns, in their order. rows: a sequence of sequences.
template <class Rows = std::vector<std::vector<std::int32_t>>>
linden::detail::HostPattern<std::int32_t> pattern_of(const Rows& rows)
{
    linden::detail::HostPattern<std::int32_t> a;
    for (const auto& row : rows) {
        a.col_idxs.insert(a.col_idxs.end(), row.begin(), row.end());
        a.row_ptrs.push_back(static_cast<std::int32_t>(a.col_idxs.size()));
    }
    return a;
}

}  // namespace linden::test
