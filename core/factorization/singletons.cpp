#include "core/factorization/singletons.hpp"

#include <algorithm>

#include "core/factorization/ordered_graph.hpp"

// instantiate: std::vector<I> detail::singletons<I>(PatternView<I>, const std::vector<I>&)
// instantiate: detail::Subgraph<I> detail::graph_without<I>(const HostPattern<I>&, const std::vector<I>&)

namespace linden::detail {
namespace {

constexpr std::size_t rows_per_singleton = 50;

/// Entries off the diagonal of the matched matrix, those of eliminated pivots left out.
template <class I>
struct EntriesLeft {
    EntriesLeft(PatternView<I> a, const std::vector<I>& place) : of_row(place.size(), 0), of_column(place.size(), 0)
    {
        for (I row = 0; row < static_cast<I>(place.size()); ++row) {
            for (I k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
                const I other = place[a.col_idxs[k]];
                of_row[row] += other != row ? 1 : 0;
                of_column[other] += other != row ? 1 : 0;
            }
        }
    }
    /// Isolated pivots are no singletons: they are in nobody's way.
    std::vector<I> first_singletons() const
    {
        std::vector<I> found;
        for (std::size_t i = 0; i < of_row.size(); ++i) {
            if ((of_row[i] == 0) != (of_column[i] == 0)) {
                found.push_back(static_cast<I>(i));
            }
        }
        return found;
    }

    std::vector<I> of_row, of_column;
};

}  // namespace

template <class I>
std::vector<I> singletons(PatternView<I> a, const std::vector<I>& columns)
{
    const auto place = inverse_of(columns);
    EntriesLeft<I> left(a, place);
    auto found = left.first_singletons();
    if (found.empty()) {
        return found;
    }
    const auto rows_of = transpose_of(a, [&](I j) { return place[j]; });
    std::vector<char> is_found(columns.size(), 0);
    for (const I i : found) {
        is_found[i] = 1;
    }
    const auto take_from = [&](std::vector<I>& count, I i) {
        if (is_found[i] == 0 && --count[i] == 0) {
            is_found[i] = 1;
            found.push_back(i);
        }
    };
    for (std::size_t next = 0; next < found.size(); ++next) {
        const I pivot = found[next];
        for (I k = a.row_ptrs[pivot]; k < a.row_ptrs[pivot + 1]; ++k) {
            take_from(left.of_column, place[a.col_idxs[k]]);
        }
        for (I k = rows_of.row_ptrs[pivot]; k < rows_of.row_ptrs[pivot + 1]; ++k) {
            take_from(left.of_row, rows_of.col_idxs[k]);
        }
    }
    if (found.size() * rows_per_singleton < columns.size()) {
        found.clear();
    }
    return found;
}

template <class I>
Subgraph<I> graph_without(const HostPattern<I>& graph, const std::vector<I>& vertices)
{
    std::vector<I> name(static_cast<std::size_t>(graph.rows()), 0);
    for (const I vertex : vertices) {
        name[vertex] = -1;
    }
    Subgraph<I> rest;
    for (std::size_t i = 0; i < name.size(); ++i) {
        if (name[i] == 0) {
            name[i] = static_cast<I>(rest.names.size());
            rest.names.push_back(static_cast<I>(i));
        }
    }
    rest.graph.col_idxs.reserve(graph.col_idxs.size());
    for (const I row : rest.names) {
        for (I k = graph.row_ptrs[row]; k < graph.row_ptrs[row + 1]; ++k) {
            if (name[graph.col_idxs[k]] >= 0) {
                rest.graph.col_idxs.push_back(name[graph.col_idxs[k]]);
            }
        }
        rest.graph.row_ptrs.push_back(static_cast<I>(rest.graph.col_idxs.size()));
    }
    return rest;
}

}  // namespace linden::detail
