#pragma once

#include <linden/distributed/partition.hpp>

#include <algorithm>
#include <vector>

/// What parts of rows cost, counted.
namespace linden::distributed {

/// A row whose value another part needs.
struct NeededRow {
    std::int32_t part;  // that needs it
    std::int32_t owner;
    std::int64_t row;

    friend auto operator<=>(const NeededRow&, const NeededRow&) = default;
};

/// Adds rows, nonzeros and the edge cut of `rows` to the report. part_of(col) is the part of any row.
/// @return what each part needs of others, each once, in ascending order
template <class V, class I, class PartOf>
std::vector<NeededRow> count_rows(const CsrData<V, I>& rows, const std::vector<std::int32_t>& parts,
                                  const PartOf& part_of, PartitionReport& report)
{
    std::vector<NeededRow> needed;
    for (std::size_t row = 0; row < parts.size(); ++row) {
        auto& part = report.parts[static_cast<std::size_t>(parts[row])];
        ++part.rows;
        for (auto k = rows.row_ptrs[row]; k < rows.row_ptrs[row + 1]; ++k) {
            const auto col = static_cast<std::int64_t>(rows.col_idxs[static_cast<std::size_t>(k)]);
            ++part.nonzeros;
            if (const auto owner = part_of(col); owner != parts[row]) {
                ++report.edge_cut;
                needed.push_back({parts[row], owner, col});
            }
        }
    }
    std::sort(needed.begin(), needed.end());
    needed.erase(std::unique(needed.begin(), needed.end()), needed.end());
    return needed;
}

/// Adds ghosts and neighbours to the report. needed: each once, in ascending order.
inline void count_ghosts(const std::vector<NeededRow>& needed, PartitionReport& report)
{
    for (std::size_t i = 0; i < needed.size(); ++i) {
        auto& part = report.parts[static_cast<std::size_t>(needed[i].part)];
        ++part.ghosts;
        if (i == 0 || needed[i - 1].part != needed[i].part || needed[i - 1].owner != needed[i].owner) {
            ++part.neighbours;
        }
    }
}

}  // namespace linden::distributed
