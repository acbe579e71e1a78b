#include "core/factorization/direct_analysis.hpp"

#include <linden/reorder/matching.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/math.hpp"
#include "core/factorization/diagonal_scaling.hpp"
#include "core/factorization/factor_pattern.hpp"
#include "core/factorization/matched_graph.hpp"
#include "core/factorization/ordered_graph.hpp"
#include "core/factorization/pivot_pairs.hpp"
#include "core/factorization/singletons.hpp"
#include "core/matrix/cuthill_mckee.hpp"
#include "core/matrix/metis/dissection.hpp"
#include "core/matrix/minimum_degree.hpp"
#include "core/matrix/visit_csr.hpp"

// instantiate: detail::DirectAnalysis<I> detail::analyse<V, I>(const Csr<V, I>&, const DirectPlan&, std::optional<detail::PlainOrder<I>>)
// instantiate: detail::DirectAnalysis<I> detail::analyse<I>(PatternView<I>, const detail::PlainOrder<I>&)
// instantiate: double detail::most_lu_operations<V>(const LinOp<V>&, FillOrdering)
// instantiate: FactorSize detail::size_of_factors<V, I>(const DirectPlan&, const std::vector<size_type>&, size_type, size_type)
// instantiate: size_type detail::DirectAnalysis<I>::num_lower() const
// instantiate: std::vector<I> detail::DirectAnalysis<I>::tree() const

namespace linden::detail {

template <class I>
size_type DirectAnalysis<I>::num_lower() const
{
    return std::accumulate(counts.begin(), counts.end(), size_type{0});
}

template <class I>
std::vector<I> DirectAnalysis<I>::tree() const
{
    return num_singletons == 0 ? parent : elimination_tree(whole_graph, rows, inverse_of(rows));
}

namespace {

/// Where minimum degree leaves so many entries per row, nested dissection is tried, too; where supernodes follow only
/// if it also leaves so many operations per entry of L, since they take less time than that search before [ChenEtAl08].
/// Dense matrices have no order with less: L has no entries to lose, but these times those of the graph. Nor is there
/// one, as a rule, where L has nearly all entries that it can have.
constexpr double much_fill = 40, much_work = 500, least_gain = 1.25, nearly_all = 0.75;

template <class I>
bool has_much_fill(const OrderedGraph<I>& graph, bool takes_supernodes)
{
    double operations = 0;
    for (const auto count : graph.counts) {
        operations += static_cast<double>(count) * static_cast<double>(count);
    }
    const auto n = static_cast<double>(graph.graph.rows()), fill = static_cast<double>(graph.fill());
    const auto entries = (static_cast<double>(graph.graph.num_nonzeros()) + n) / 2;
    return fill >= much_fill * n && fill > least_gain * entries && fill < nearly_all * n * n / 2 &&
           (!takes_supernodes || operations >= much_work * fill);
}

/// As `host`, with memory of its own: what an order takes on the way is not of the factors' bytes.
Executor apart_from(const Executor& host)
{
    return Executor::create(host.backend(), {.threads = static_cast<int>(host.info().num_units)});
}

/// vertices: the graph that is ordered; rows: that of the rows; rows_of(order): the rows in an order of the vertices;
/// least_degree: what minimum degree finds, if that is known.
template <class I, class RowsOf>
OrderedGraph<I> ordered(const Executor& host, const HostPattern<I>& vertices, const HostPattern<I>& rows,
                        const RowsOf& rows_of, FillOrdering ordering, bool takes_supernodes,
                        const std::vector<I>& least_degree = {})
{
    switch (ordering) {
    case FillOrdering::natural: {
        std::vector<I> order(static_cast<std::size_t>(vertices.rows()));
        std::iota(order.begin(), order.end(), I{0});
        return {rows, rows_of(order)};
    }
    case FillOrdering::rcm:
        return {rows, rows_of(cuthill_mckee_order<I>(apart_from(host), view_of(vertices)))};
    case FillOrdering::nested_dissection:
        return {rows, rows_of(dissection_order(vertices.row_ptrs, vertices.col_idxs))};
    default:
        break;
    }
    OrderedGraph<I> by_degree(
        rows,
        rows_of(least_degree.empty() ? minimum_degree_order(vertices.row_ptrs, vertices.col_idxs) : least_degree));
    if (ordering == FillOrdering::amd || !has_metis || !has_much_fill(by_degree, takes_supernodes)) {
        return by_degree;
    }
    OrderedGraph<I> by_dissection(rows, rows_of(dissection_order(vertices.row_ptrs, vertices.col_idxs)));
    return by_dissection.fill() < by_degree.fill() ? std::move(by_dissection) : std::move(by_degree);
}

/// The same with partners side by side.
template <class I>
OrderedGraph<I> ordered(const Executor& host, const HostPattern<I>& rows, const std::vector<I>& partner,
                        FillOrdering ordering, bool takes_supernodes, const std::vector<I>& least_degree = {})
{
    if (partner.empty()) {
        return ordered(
            host, rows, rows, [](const std::vector<I>& order) { return order; }, ordering, takes_supernodes,
            least_degree);
    }
    const PairedGraph<I> paired(rows, partner);
    const auto rows_of = [&](const std::vector<I>& order) { return paired.rows_of(order); };
    return ordered(host, paired.vertices, paired.rows_together(), rows_of, ordering, takes_supernodes);
}

/// Magnitudes of the scaled diagonal.
template <class V, class I>
std::vector<double> scaled_diagonal(const Csr<V, I>& a, const std::vector<double>& scaling)
{
    std::vector<double> diagonal(scaling.size(), 0);
    for (std::size_t i = 0; i < diagonal.size(); ++i) {
        for (I k = a.row_ptrs()[i]; k < a.row_ptrs()[i + 1]; ++k) {
            if (static_cast<std::size_t>(a.col_idxs()[k]) == i) {
                diagonal[i] += magnitude(a.values()[k]) * scaling[i] * scaling[i];
            }
        }
    }
    return diagonal;
}

/// The column of each row's pivot, and scalings. Of symmetric matrices the row itself; partners of 2 x 2 pivots too,
/// if there are any and the plan allows them.
template <class V, class I>
std::vector<I> matched_columns(const Csr<V, I>& a, const DirectPlan& plan, DirectAnalysis<I>& to)
{
    std::vector<I> columns(static_cast<std::size_t>(a.size().rows));
    std::iota(columns.begin(), columns.end(), I{0});
    to.row_scaling = to.column_scaling = inverse_diagonal_roots<V, I>(a.view());
    if (to.row_scaling.size() == columns.size()) {
        return columns;
    }
    auto matching =
        plan.matching == PivotMatching::maximum ? maximum_product_matching(a) : approximate_product_matching(a);
    to.row_scaling = std::move(matching.row_scaling);
    to.column_scaling = std::move(matching.column_scaling);
    const auto left = matching.unmatched_columns();
    if (!plan.is_cholesky) {
        to.unmatched = {matching.unmatched_rows(), left};
    }
    if (plan.is_symmetric) {  // |s_i a_ij s_j| <= 1 holds for the geometric means, too. [DuffPralet05]
        for (std::size_t i = 0; i < columns.size(); ++i) {
            const double mean = std::sqrt(to.row_scaling[i]) * std::sqrt(to.column_scaling[i]);
            to.row_scaling[i] = to.column_scaling[i] = mean;
        }
        if (!plan.is_cholesky) {
            to.partner = pivot_pairs<I>(matching, scaled_diagonal(a, to.row_scaling));
            if (to.partner == columns) {
                to.partner.clear();
            }
        }
        return columns;
    }
    auto next = left.begin();
    for (std::size_t row = 0; row < columns.size(); ++row) {
        const auto column = matching.column_of_row[row];
        columns[row] = static_cast<I>(column >= 0 ? column : *next++);
    }
    return columns;
}

/// An order with these pivots first, if there are any, who then keep the graph: of A + A^T, matched.
template <class I>
void order_after(const std::vector<I>& first, const Executor& host, HostPattern<I>& graph, FillOrdering ordering,
                 DirectAnalysis<I>& to)
{
    to.num_singletons = static_cast<size_type>(first.size());
    if (first.empty()) {
        return;
    }
    const auto rest = graph_without(graph, first);
    auto found = ordered(host, rest.graph, {}, ordering, false);
    to.rows = first;
    for (const I vertex : found.order) {
        to.rows.push_back(rest.names[vertex]);
    }
    to.counts.assign(first.size(), 1);
    to.counts.insert(to.counts.end(), found.counts.begin(), found.counts.end());
    to.graph = std::move(found.graph);
    to.parent = std::move(found.parent);
    to.whole_graph = std::move(graph);
}

/// Exchanges the rows of 2 x 2 pivots [a b; c d] to [c d; a b], whose large entries are its diagonal.
template <class I>
void exchange_partners(DirectAnalysis<I>& to)
{
    for (std::size_t i = 0; i + 1 < to.rows.size() && !to.partner.empty(); ++i) {
        if (to.partner[to.rows[i]] == to.rows[i + 1]) {
            to.pairs.push_back(static_cast<I>(i));
            std::swap(to.rows[i], to.rows[i + 1]);
            ++i;
        }
    }
}

}  // namespace

template <class I>
DirectAnalysis<I> analyse(PatternView<I> a, const PlainOrder<I>& plain)
{
    OrderedGraph<I> ordered(graph_of(a, plain), plain.rows);
    DirectAnalysis<I> result;
    result.rows = std::move(ordered.order);
    result.columns.reserve(result.rows.size());
    for (const I row : result.rows) {
        result.columns.push_back(plain.matched[row]);
    }
    result.counts = std::move(ordered.counts);
    result.graph = std::move(ordered.graph);
    result.parent = std::move(ordered.parent);
    return result;
}

template <class V, class I>
DirectAnalysis<I> analyse(const Csr<V, I>& a, const DirectPlan& plan, std::optional<PlainOrder<I>> plain)
{
    DirectAnalysis<I> result;
    const auto matched = matched_columns(a, plan, result);
    const bool has_order = plain && plain->has_one_block && plain->matched == matched;
    auto graph = has_order ? graph_of<I>(a.view(), *plain) : matched_graph<I>(a.view(), matched);
    if (plan.has_own_pattern && plan.ordering != FillOrdering::natural && !has_order) {
        order_after(singletons<I>(a.view(), matched), a.executor(), graph, plan.ordering, result);
    }
    result.had_short_search = has_order;
    result.is_hermitian =
        has_order && plain->is_hermitian && result.partner.empty() && result.row_scaling == result.column_scaling;
    if (result.num_singletons == 0) {
        const bool takes_supernodes =
            plan.prefers_short_search && (plan.is_symmetric || is_almost_symmetric<I>(a.view(), graph));
        result.had_short_search |= takes_supernodes;
        auto found = ordered(a.executor(), graph, result.partner, plan.ordering, takes_supernodes,
                             has_order ? plain->rows : std::vector<I>{});
        result.rows = std::move(found.order);
        result.graph = std::move(found.graph);
        result.parent = std::move(found.parent);
        result.counts = std::move(found.counts);
    }
    result.columns.reserve(matched.size());
    for (const I row : result.rows) {
        result.columns.push_back(matched[row]);
    }
    exchange_partners(result);
    return result;
}

template <class V>
double most_lu_operations(const LinOp<V>& matrix, FillOrdering ordering)
{
    double operations = 0;
    visit_csr("most_lu_operations", matrix, [&]<class I>(const Csr<V, I>& a) {
        const DirectPlan plan{.name = "Lu", .ordering = ordering, .has_own_pattern = true};
        const auto counts = analyse(a.copy(host_beside(a.executor())), plan).counts;
        operations = size_of_factors<V, I>(plan, counts, 0, 0).operations;
    });
    return operations;
}

template <class V, class I>
FactorSize size_of_factors(const DirectPlan& plan, const std::vector<size_type>& counts, size_type entries,
                           size_type num_entries)
{
    const auto n = static_cast<size_type>(counts.size());
    FactorSize size;
    for (const auto count : counts) {
        const auto below = static_cast<double>(count - 1);
        size.operations += plan.is_cholesky ? below * (below + 2) : below * (2 * below + 1);
    }
    size.entries = entries;
    // The factors, and both triangles again in the order of the solves, each with its map to the factors, and what
    // their levels take on the way.
    const size_type solves = (plan.is_cholesky ? 2 : 1) * (entries - n);
    size.bytes = size.entries * static_cast<size_type>(sizeof(V) + sizeof(I)) +
                 solves * static_cast<size_type>(sizeof(V) + 3 * sizeof(I)) +
                 num_entries * static_cast<size_type>(sizeof(I) + sizeof(real_t<V>)) +
                 n * static_cast<size_type>(12 * sizeof(V) + 12 * sizeof(I));
    return size;
}

}  // namespace linden::detail
