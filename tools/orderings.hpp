#pragma once

#include <linden/error.hpp>
#include <linden/matrix/csr.hpp>
#include <linden/reorder/matching.hpp>

#include <chrono>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "core/factorization/ordering_sizes.hpp"
#include "core/matrix/block_triangular.hpp"
#include "core/matrix/cuthill_mckee.hpp"
#include "core/matrix/metis/dissection.hpp"
#include "core/matrix/minimum_degree.hpp"
#include "core/matrix/pattern_arithmetic.hpp"

namespace linden::tool {

/// What an order makes of a matrix and of its factors.
struct OrderingReport {
    std::string name;
    std::string why_not{};  ///< empty if the order was found
    linden::detail::OrderingSizes sizes{};
    double seconds = 0;  ///< for the order itself
};

struct OrderingsReport {
    bool is_matched = false;       ///< columns were permuted first, since the diagonal has zeros
    size_type bytes_of_entry = 0;  ///< of a factor: its value and its column
    std::vector<OrderingReport> orderings;

    std::vector<size_type> block_sizes;  ///< of the block triangular form's square blocks, from first to last
    size_type horizontal_rows = 0, horizontal_columns = 0;
    size_type vertical_rows = 0, vertical_columns = 0;

    size_type largest_block() const;
    size_type num_single_blocks() const;
    /// For people.
    std::string text() const;
};

namespace detail {

template <class I>
std::vector<I> order_by(std::string_view name, const linden::detail::Pattern<I>& a,
                        const linden::detail::HostPattern<I>& graph)
{
    const auto& exec = a.row_ptrs.executor();
    if (name == "rcm") {
        return linden::detail::cuthill_mckee_order<I>(exec, a.view());
    }
    if (name == "amd") {
        return linden::detail::minimum_degree_order<I>(exec, a.view());
    }
    if (name == "colamd") {
        return linden::detail::column_minimum_degree_order<I>(exec, a.view());
    }
    if (name == "nested_dissection") {
        return linden::detail::dissection_order(graph.row_ptrs, graph.col_idxs);
    }
    std::vector<I> order(static_cast<std::size_t>(graph.rows()));
    std::iota(order.begin(), order.end(), I{0});
    return order;
}

template <class V, class I>
void add_blocks(const CsrView<V, I>& a, const Matching& matching, OrderingsReport& report)
{
    const auto form = linden::detail::block_triangular_form<I>(a, matching.column_of_row);
    for (size_type b = 0; b < form.num_blocks(); ++b) {
        report.block_sizes.push_back(form.block_ptrs[b + 1] - form.block_ptrs[b]);
    }
    report.horizontal_rows = form.horizontal_rows;
    report.horizontal_columns = form.horizontal_columns;
    report.vertical_rows = form.vertical_rows;
    report.vertical_columns = form.vertical_columns;
}

/// The column of each row's diagonal entry, inverted: where each column goes.
template <class I>
std::vector<I> places_of_columns(const Matching& matching)
{
    std::vector<I> place(matching.column_of_row.size());
    const auto left = matching.unmatched_columns();
    auto next = left.begin();
    for (std::size_t row = 0; row < place.size(); ++row) {
        const auto column = matching.column_of_row[row];
        place[static_cast<std::size_t>(column >= 0 ? column : *next++)] = static_cast<I>(row);
    }
    return place;
}

}  // namespace detail

/// Of a square matrix on a host. value_bytes: of the values that factors would have; is_approximate: the matching.
template <class V, class I>
OrderingsReport orderings_of(const Csr<V, I>& a, bool has_bad_diagonal, size_type value_bytes, bool is_approximate)
{
    const auto& host = a.executor();
    const auto matching = is_approximate ? approximate_product_matching(a) : maximum_product_matching(a);
    OrderingsReport report;
    report.is_matched = has_bad_diagonal;
    report.bytes_of_entry = value_bytes + static_cast<size_type>(sizeof(I));
    detail::add_blocks(a.view(), matching, report);

    const Array<I> places(host, detail::places_of_columns<I>(matching));
    const auto pattern = linden::detail::pattern_with_diagonal<I>(
        host, linden::detail::permuted_pattern<I>(host, a.view(), nullptr, has_bad_diagonal ? places.data() : nullptr)
                  .view());
    const auto transposed = linden::detail::transposed_pattern<I>(host, pattern.view());
    const auto sum = linden::detail::sum_of_patterns<I>(host, pattern.view(), transposed.view(), "the graph");
    const linden::detail::HostPattern<I> here{pattern.row_ptrs.to_host(), pattern.col_idxs.to_host()};
    const linden::detail::HostPattern<I> graph{sum.row_ptrs.to_host(), sum.col_idxs.to_host()};
    for (const auto* name : {"natural", "rcm", "amd", "colamd", "nested_dissection"}) {
        OrderingReport row{name};
        try {
            const auto start = std::chrono::steady_clock::now();
            const auto order = detail::order_by<I>(name, pattern, graph);
            row.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
            row.sizes = linden::detail::sizes_of_ordering(here, graph, order);
        } catch (const NotSupported& error) {
            row.why_not = error.what();
        }
        report.orderings.push_back(std::move(row));
    }
    return report;
}

}  // namespace linden::tool
