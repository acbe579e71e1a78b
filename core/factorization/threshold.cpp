#include "core/factorization/threshold.hpp"

#include <linden/error.hpp>
#include <linden/matrix/operations.hpp>

#include <algorithm>

#include "core/factorization/factor_pattern.hpp"
#include "core/kernels/ilut.hpp"
#include "core/matrix/row_pointers.hpp"

// instantiate: detail::ThresholdFactors<V, I> detail::factorize_with_threshold<V, I>(const Csr<V, I>&, const FactorizationPlan&)

namespace linden::detail {
namespace {

/// The most entries that a row of a factor has beside the diagonal. [Naumov11, 5]
size_type row_limit(Dim size, size_type num_nonzeros, size_type k)
{
    const size_type rows = std::max<size_type>(size.rows, 1);
    return std::min(num_nonzeros / rows + k, rows);
}

}  // namespace

template <class V, class I>
ThresholdFactors<V, I> factorize_with_threshold(const Csr<V, I>& a, const FactorizationPlan& plan)
{
    if (plan.k < 0) {
        throw InvalidParameter("k", std::to_string(plan.k), "at least 0");
    }
    if (!(plan.tolerance >= 0)) {
        throw InvalidParameter("tol", std::to_string(plan.tolerance), "at least 0");
    }
    const auto host = host_beside(a.executor());
    const auto matrix = a.copy(host);
    const auto n = a.size().rows;
    const ThresholdRule rule{row_limit(a.size(), a.num_nonzeros(), plan.k), plan.tolerance};
    const size_type capacity = plan.is_cholesky ? rule.ict_capacity() : rule.ilut_capacity();
    Array<I> row_ptrs(host, n + 1), cols(host, n * capacity);
    Array<V> values(host, n * capacity);
    const LimitedRowsView<V, I> rows{n, capacity, row_ptrs.data(), cols.data(), values.data()};
    const auto parts = static_cast<size_type>(std::max(host.info().num_units, 1));
    Array<std::byte> workspace(host, ilut_workspace_bytes<V, I>(n, parts));
    PivotReport report;
    const auto& factorize = plan.is_cholesky ? ict_factorize<V, I> : ilut_factorize<V, I>;
    factorize(host, matrix.view(), rule, static_cast<real_t<V>>(plan.shift), rows, &report,
              {workspace.data(), workspace.size()});
    const Array<I> counts = row_ptrs.clone();
    const auto nnz = make_row_ptrs(row_ptrs, "the factors");
    Array<I> packed_cols(host, nnz);
    Array<V> packed_values(host, nnz);
    ilut_compact<V, I>(host, {n, capacity, const_cast<I*>(counts.data()), cols.data(), values.data()}, row_ptrs.data(),
                       packed_cols.data(), packed_values.data());
    const Csr<V, I> factors(host, a.size(), std::move(row_ptrs), std::move(packed_cols), std::move(packed_values));
    return {(plan.is_cholesky ? conjugate_transpose(factors) : factors.copy()).copy(a.executor()), report};
}

}  // namespace linden::detail
