#include "core/factorization/direct_analysis.hpp"

#include <linden/reorder/matching.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/factorization/ordered_graph.hpp"
#include "core/matrix/cuthill_mckee.hpp"
#include "core/matrix/metis/dissection.hpp"
#include "core/matrix/minimum_degree.hpp"
#include "core/matrix/pattern_arithmetic.hpp"

// instantiate: detail::DirectAnalysis<I> detail::analyse<V, I>(const Csr<V, I>&, const DirectPlan&)
// instantiate: FactorSize detail::size_of_factors<V, I>(const DirectPlan&, const std::vector<size_type>&, size_type, bool)
// instantiate: size_type detail::DirectAnalysis<I>::num_lower() const

namespace linden::detail {

template <class I>
size_type DirectAnalysis<I>::num_lower() const
{
    return std::accumulate(counts.begin(), counts.end(), size_type{0});
}

namespace {

/// Where minimum degree leaves so many entries per row, nested dissection is tried, too.
constexpr size_type much_fill = 40;

template <class I>
OrderedGraph<I> ordered(const Executor& host, const Pattern<I>& graph, FillOrdering ordering)
{
    const HostPattern<I> a{graph.row_ptrs.to_host(), graph.col_idxs.to_host()};
    switch (ordering) {
    case FillOrdering::natural: {
        std::vector<I> order(static_cast<std::size_t>(a.rows()));
        std::iota(order.begin(), order.end(), I{0});
        return {a, std::move(order)};
    }
    case FillOrdering::rcm:
        return {a, cuthill_mckee_order<I>(host, graph.view())};
    case FillOrdering::nested_dissection:
        return {a, dissection_order(a.row_ptrs, a.col_idxs)};
    default:
        break;
    }
    OrderedGraph<I> by_degree(a, minimum_degree_order<I>(host, graph.view()));
    if (ordering == FillOrdering::amd || !has_metis || by_degree.fill() < much_fill * a.rows()) {
        return by_degree;
    }
    OrderedGraph<I> by_dissection(a, dissection_order(a.row_ptrs, a.col_idxs));
    return by_dissection.fill() < by_degree.fill() ? std::move(by_dissection) : std::move(by_degree);
}

/// The column of each row's pivot, and scalings.
template <class V, class I>
std::vector<I> matched_columns(const Csr<V, I>& a, DirectAnalysis<I>& to, bool is_symmetric)
{
    auto matching = maximum_product_matching(a);
    to.row_scaling = std::move(matching.row_scaling);
    to.column_scaling = std::move(matching.column_scaling);
    std::vector<I> partners(static_cast<std::size_t>(a.size().rows));
    std::iota(partners.begin(), partners.end(), I{0});
    if (is_symmetric) {  // |s_i a_ij s_j| <= 1 holds for the geometric means, too. [DuffPralet05]
        for (std::size_t i = 0; i < partners.size(); ++i) {
            const double mean = std::sqrt(to.row_scaling[i]) * std::sqrt(to.column_scaling[i]);
            to.row_scaling[i] = to.column_scaling[i] = mean;
        }
        return partners;
    }
    const auto left = matching.unmatched_columns();
    to.num_unmatched = static_cast<size_type>(left.size());
    auto next = left.begin();
    for (std::size_t row = 0; row < partners.size(); ++row) {
        const auto column = matching.column_of_row[row];
        partners[row] = static_cast<I>(column >= 0 ? column : *next++);
    }
    return partners;
}

}  // namespace

template <class V, class I>
DirectAnalysis<I> analyse(const Csr<V, I>& a, const DirectPlan& plan)
{
    const auto& host = a.executor();
    DirectAnalysis<I> result;
    const auto partners = matched_columns(a, result, plan.is_symmetric);
    const Array<I> row_of_column(host, inverse_of(partners));
    const auto matched = permuted_pattern<I>(host, a.view(), nullptr, row_of_column.data());
    const auto with_diagonal = pattern_with_diagonal<I>(host, matched.view());
    const auto transposed = transposed_pattern<I>(host, with_diagonal.view());
    auto found =
        ordered(host, sum_of_patterns<I>(host, with_diagonal.view(), transposed.view(), "the graph"), plan.ordering);
    result.rows = std::move(found.order);
    for (const I row : result.rows) {
        result.columns.push_back(partners[row]);
    }
    result.graph = std::move(found.graph);
    result.parent = std::move(found.parent);
    result.counts = std::move(found.counts);
    return result;
}

template <class V, class I>
FactorSize size_of_factors(const DirectPlan& plan, const std::vector<size_type>& counts, size_type entries, bool copies)
{
    const auto n = static_cast<size_type>(counts.size());
    FactorSize size;
    for (const auto count : counts) {
        const auto below = static_cast<double>(count - 1);
        size.operations += plan.is_cholesky ? below * (below + 2) : below * (2 * below + 1);
    }
    size.entries = entries;
    // The factors, and both triangles again in the order of the solves, each with its map to the factors.
    const size_type solves = copies ? (plan.is_cholesky ? 2 : 1) * (entries - n) : 0;
    size.bytes = size.entries * static_cast<size_type>(sizeof(V) + sizeof(I)) +
                 solves * static_cast<size_type>(sizeof(V) + 2 * sizeof(I)) +
                 n * static_cast<size_type>(4 * sizeof(V) + 12 * sizeof(I));
    return size;
}

}  // namespace linden::detail
