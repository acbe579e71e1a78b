#include "core/factorization/ordering_sizes.hpp"

#include <algorithm>
#include <cstdlib>

#include "core/factorization/ordered_graph.hpp"

// instantiate: detail::OrderingSizes detail::sizes_of_ordering<I>(const HostPattern<I>&, const HostPattern<I>&, const std::vector<I>&)

namespace linden::detail {
namespace {

/// A symmetric pattern with the Cholesky factor of A^T A in this order, and no more entries than A twice: the clique of
/// each row is filled in when its first column is eliminated, if this one has the others as neighbours. [GeorgeNg85]
template <class I>
HostPattern<I> stars_of_rows(const HostPattern<I>& a, const std::vector<I>& place)
{
    const auto n = place.size();
    std::vector<I> first(n, -1), counts(n, 0);
    const auto for_each_edge = [&](const auto& edge) {
        for (std::size_t row = 0; row < n; ++row) {
            for (I k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
                if (a.col_idxs[k] != first[row]) {
                    edge(a.col_idxs[k], first[row]);
                    edge(first[row], a.col_idxs[k]);
                }
            }
        }
    };
    for (std::size_t row = 0; row < n; ++row) {
        for (I k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
            const I col = a.col_idxs[k];
            first[row] = first[row] < 0 || place[col] < place[first[row]] ? col : first[row];
        }
    }
    for_each_edge([&](I i, I) { ++counts[i]; });
    HostPattern<I> stars;
    for (const I count : counts) {
        stars.row_ptrs.push_back(stars.row_ptrs.back() + count);
    }
    stars.col_idxs.resize(static_cast<std::size_t>(stars.row_ptrs.back()));
    std::vector<I> next(stars.row_ptrs.begin(), stars.row_ptrs.end() - 1);
    for_each_edge([&](I i, I j) { stars.col_idxs[next[i]++] = j; });
    return stars;
}

}  // namespace

template <class I>
OrderingSizes sizes_of_ordering(const HostPattern<I>& a, const HostPattern<I>& graph, const std::vector<I>& order)
{
    const auto place = inverse_of(order);
    OrderingSizes sizes;
    for (std::size_t row = 0; row < order.size(); ++row) {
        I first = place[row];
        for (I k = graph.row_ptrs[row]; k < graph.row_ptrs[row + 1]; ++k) {
            first = std::min(first, place[graph.col_idxs[k]]);
        }
        const size_type reach = place[row] - first;
        sizes.bandwidth = std::max(sizes.bandwidth, reach);
        sizes.profile += reach;
    }
    const auto n = static_cast<size_type>(order.size());
    sizes.cholesky = OrderedGraph<I>(graph, order).fill();
    sizes.lu = 2 * sizes.cholesky - n;
    sizes.lu_bound = 2 * OrderedGraph<I>(stars_of_rows(a, place), order).fill() - n;
    return sizes;
}

}  // namespace linden::detail
