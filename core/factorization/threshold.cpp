#include "core/factorization/threshold.hpp"

#include <linden/error.hpp>
#include <linden/matrix/operations.hpp>

#include <algorithm>

#include "core/base/check_parameter.hpp"
#include "core/kernels/ilut.hpp"
#include "core/matrix/row_pointers.hpp"

// instantiate: detail::ThresholdFactors<V, I> detail::factorize_with_threshold<V, I>(const Csr<V, I>&, const FactorizationPlan&)
// instantiate: detail::ThresholdFactors<V, I> detail::factorize_with_threshold_on<V, I>(const Executor&, const Csr<V, I>&, const FactorizationPlan&)

namespace linden::detail {

ThresholdRule threshold_rule(Dim size, size_type num_nonzeros, const FactorizationPlan& plan)
{
    const size_type rows = std::max<size_type>(size.rows, 1);
    return {std::min(num_nonzeros / rows + plan.k, rows), plan.tolerance};
}

namespace {

/// The factors, found on the matrix's executor.
template <class V, class I>
ThresholdFactors<V, I> factorize_there(const Csr<V, I>& a, const FactorizationPlan& plan)
{
    const Executor& exec = a.executor();
    const auto n = a.size().rows;
    const auto rule = threshold_rule(a.size(), a.num_nonzeros(), plan);
    const size_type capacity = plan.is_cholesky ? rule.ict_capacity() : rule.ilut_capacity();
    Array<I> row_ptrs(exec, n + 1), cols(exec, n * capacity);
    Array<V> values(exec, n * capacity);
    Array<PivotReport> report(exec, 1);
    const auto parts = exec.is_host() ? std::max<size_type>(exec.info().num_units, 1) : ilut_device_parts<V, I>(n);
    Array<std::byte> workspace(exec, ilut_workspace_bytes<V, I>(n, parts));
    const auto& factorize = plan.is_cholesky ? ict_factorize<V, I> : ilut_factorize<V, I>;
    factorize(exec, a.view(), rule, static_cast<real_t<V>>(plan.shift),
              {n, capacity, row_ptrs.data(), cols.data(), values.data()}, report.data(),
              {workspace.data(), workspace.size()});
    Array<I> counts = row_ptrs.clone();
    const auto nnz = make_row_ptrs(row_ptrs, "the factors");
    Array<I> packed_cols(exec, nnz);
    Array<V> packed_values(exec, nnz);
    ilut_compact<V, I>(exec, {n, capacity, counts.data(), cols.data(), values.data()}, row_ptrs.data(),
                       packed_cols.data(), packed_values.data());
    Csr<V, I> factors(exec, a.size(), std::move(row_ptrs), std::move(packed_cols), std::move(packed_values));
    return {plan.is_cholesky ? conjugate_transpose(factors) : std::move(factors), report.to_host().front()};
}

}  // namespace

template <class V, class I>
ThresholdFactors<V, I> factorize_with_threshold_on(const Executor& where, const Csr<V, I>& a,
                                                   const FactorizationPlan& plan)
{
    if (plan.k < 0) {
        throw InvalidParameter("k", std::to_string(plan.k), "at least 0");
    }
    check_parameter(plan.tolerance >= 0, "tol", plan.tolerance, "at least 0");
    if (where == a.executor()) {
        return factorize_there(a, plan);
    }
    auto found = factorize_there(a.copy(where), plan);
    return {found.factors.copy(a.executor()), found.report};
}

template <class V, class I>
ThresholdFactors<V, I> factorize_with_threshold(const Csr<V, I>& a, const FactorizationPlan& plan)
{
    return factorize_with_threshold_on(a.executor(), a, plan);
}

}  // namespace linden::detail
