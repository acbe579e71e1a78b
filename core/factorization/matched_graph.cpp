#include "core/factorization/matched_graph.hpp"

#include <algorithm>

#include "core/factorization/ordered_graph.hpp"
#include "core/matrix/row_pointers.hpp"

// instantiate: detail::HostPattern<I> detail::matched_graph<I>(PatternView<I>, const std::vector<I>&)

namespace linden::detail {
namespace {

/// The union of sorted rows, and i. Most matrices have most rows of B and B^T alike.
template <class I>
I* join_row(I i, const I* a, const I* a_end, const I* b, const I* b_end, I* to)
{
    if (std::equal(a, a_end, b, b_end) && std::find(a, a_end, i) != a_end) {
        return std::copy(a, a_end, to);
    }
    bool has_i = false;
    while (a < a_end || b < b_end) {
        const I next = b == b_end || (a < a_end && *a < *b) ? *a : *b;
        a += a < a_end && *a == next ? 1 : 0;
        b += b < b_end && *b == next ? 1 : 0;
        if (!has_i && next >= i) {
            has_i = true;
            if (next > i) {
                *to++ = i;
            }
        }
        *to++ = next;
    }
    if (!has_i) {
        *to++ = i;
    }
    return to;
}

}  // namespace

template <class I>
HostPattern<I> matched_graph(PatternView<I> a, const std::vector<I>& columns)
{
    const auto place = inverse_of(columns);
    const auto t = transpose_of(a, [&](I j) { return place[j]; });
    HostPattern<I> renamed;
    if (!std::is_sorted(place.begin(), place.end())) {
        renamed = transpose_of(view_of(t), [](I j) { return j; });
    }
    const auto b = renamed.rows() == a.rows ? view_of(renamed) : a;
    HostPattern<I> graph;
    graph.row_ptrs.reserve(place.size() + 1);
    graph.col_idxs.resize(2 * t.col_idxs.size() + place.size());
    I* to = graph.col_idxs.data();
    for (std::size_t i = 0; i < place.size(); ++i) {
        const I* const of_t = t.col_idxs.data();
        to = join_row(static_cast<I>(i), of_t + t.row_ptrs[i], of_t + t.row_ptrs[i + 1], b.col_idxs + b.row_ptrs[i],
                      b.col_idxs + b.row_ptrs[i + 1], to);
        require_fits<I>(to - graph.col_idxs.data(), "the graph");
        graph.row_ptrs.push_back(static_cast<I>(to - graph.col_idxs.data()));
    }
    graph.col_idxs.resize(static_cast<std::size_t>(graph.row_ptrs.back()));
    return graph;
}

}  // namespace linden::detail
