#include "core/factorization/pivot_pairs.hpp"

#include <algorithm>
#include <numeric>

// instantiate: std::vector<I> detail::pivot_pairs<I>(const Matching&, const std::vector<double>&)
// instantiate: struct detail::PairedGraph<I>

namespace linden::detail {
namespace {

/// The rows i, column_of_row[i], ... until i comes again, or a row without a column.
std::vector<std::int64_t> cycle_from(std::int64_t i, const Matching& matching, std::vector<char>& seen)
{
    std::vector<std::int64_t> cycle;
    for (; i >= 0 && seen[i] == 0; i = matching.column_of_row[i]) {
        seen[i] = 1;
        cycle.push_back(i);
    }
    return cycle;
}

}  // namespace

template <class I>
std::vector<I> pivot_pairs(const Matching& matching, const std::vector<double>& diagonal)
{
    std::vector<I> partner(diagonal.size());
    std::iota(partner.begin(), partner.end(), I{0});
    std::vector<char> seen(diagonal.size(), 0);
    for (std::size_t i = 0; i < diagonal.size(); ++i) {
        auto cycle = cycle_from(static_cast<std::int64_t>(i), matching, seen);
        if (cycle.size() % 2 == 1) {
            const auto alone =
                std::max_element(cycle.begin(), cycle.end(), [&](auto k, auto l) { return diagonal[k] < diagonal[l]; });
            std::rotate(cycle.begin(), alone, cycle.end());
        }
        for (std::size_t k = cycle.size() % 2; k + 1 < cycle.size(); k += 2) {
            partner[cycle[k]] = static_cast<I>(cycle[k + 1]);
            partner[cycle[k + 1]] = static_cast<I>(cycle[k]);
        }
    }
    return partner;
}

template <class I>
PairedGraph<I>::PairedGraph(const HostPattern<I>& graph, const std::vector<I>& partner) : vertex_of(partner.size())
{
    for (I i = 0; i < static_cast<I>(partner.size()); ++i) {
        if (partner[i] >= i) {
            vertex_of[i] = vertex_of[partner[i]] = static_cast<I>(first.size());
            first.push_back(i);
            second.push_back(partner[i] == i ? I{-1} : partner[i]);
        }
    }
    std::vector<I> seen(first.size(), -1);
    for (I v = 0; v < static_cast<I>(first.size()); ++v) {
        const auto begin = static_cast<std::ptrdiff_t>(vertices.col_idxs.size());
        for (const I row : {first[v], second[v]}) {
            for (I k = row < 0 ? 0 : graph.row_ptrs[row]; row >= 0 && k < graph.row_ptrs[row + 1]; ++k) {
                const I w = vertex_of[graph.col_idxs[k]];
                if (seen[w] != v) {
                    seen[w] = v;
                    vertices.col_idxs.push_back(w);
                }
            }
        }
        std::sort(vertices.col_idxs.begin() + begin, vertices.col_idxs.end());
        vertices.row_ptrs.push_back(static_cast<I>(vertices.col_idxs.size()));
    }
}

template <class I>
std::vector<I> PairedGraph<I>::rows_of(const std::vector<I>& order) const
{
    std::vector<I> rows;
    rows.reserve(vertex_of.size());
    for (const I v : order) {
        rows.push_back(first[v]);
        if (second[v] >= 0) {
            rows.push_back(second[v]);
        }
    }
    return rows;
}

template <class I>
HostPattern<I> PairedGraph<I>::rows_together() const
{
    HostPattern<I> rows;
    for (const I v : vertex_of) {
        const std::vector<I> neighbours(vertices.col_idxs.begin() + vertices.row_ptrs[v],
                                        vertices.col_idxs.begin() + vertices.row_ptrs[v + 1]);
        auto columns = rows_of(neighbours);
        std::sort(columns.begin(), columns.end());
        rows.col_idxs.insert(rows.col_idxs.end(), columns.begin(), columns.end());
        rows.row_ptrs.push_back(static_cast<I>(rows.col_idxs.size()));
    }
    return rows;
}

}  // namespace linden::detail
