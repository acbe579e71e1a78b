#include <linden/reorder/minimum_degree.hpp>

#include "core/matrix/minimum_degree.hpp"
#include "core/matrix/pattern_arithmetic.hpp"
#include "core/matrix/pattern_operations.hpp"
#include "core/matrix/quotient_graph.hpp"
#include "core/matrix/square.hpp"

// instantiate: std::vector<I> approximate_minimum_degree<V, I>(const Csr<V, I>&)
// instantiate: std::vector<I> detail::minimum_degree_order<I>(const Executor&, PatternView<I>)
// instantiate: std::vector<I> detail::minimum_degree_order<I>(const std::vector<I>&, const std::vector<I>&)
// instantiate: std::vector<I> approximate_column_minimum_degree<V, I>(const Csr<V, I>&)
// instantiate: std::vector<I> detail::column_minimum_degree_order<I>(const Executor&, PatternView<I>)

namespace linden {

template <class I>
std::vector<I> detail::minimum_degree_order(const Executor& exec, PatternView<I> a)
{
    const auto transposed = transposed_pattern<I>(exec, a);
    const auto both = sum_of_patterns<I>(exec, a, transposed.view(), "the graph");
    return minimum_degree_order(both.row_ptrs.to_host(), both.col_idxs.to_host());
}

template <class I>
std::vector<I> detail::minimum_degree_order(const std::vector<I>& row_ptrs, const std::vector<I>& col_idxs)
{
    const auto n = static_cast<size_type>(row_ptrs.size()) - 1;
    const auto count = static_cast<size_type>(col_idxs.size());
    return QuotientGraph<I>({n, n, count, row_ptrs.data(), col_idxs.data()}).eliminate();
}

template <class V, class I>
std::vector<I> approximate_minimum_degree(const Csr<V, I>& a)
{
    detail::square("approximate_minimum_degree", a.size());
    return detail::minimum_degree_order<I>(a.executor(), a.view());
}

template <class I>
std::vector<I> detail::column_minimum_degree_order(const Executor& exec, PatternView<I> a)
{
    const auto columns = transposed_pattern<I>(exec, a);
    return QuotientGraph<I>::of_columns(columns.row_ptrs.to_host(), columns.col_idxs.to_host(), static_cast<I>(a.rows))
        .eliminate();
}

template <class V, class I>
std::vector<I> approximate_column_minimum_degree(const Csr<V, I>& a)
{
    return detail::column_minimum_degree_order<I>(a.executor(), a.view());
}

}  // namespace linden
