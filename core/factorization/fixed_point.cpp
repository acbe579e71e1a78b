#include "core/factorization/fixed_point.hpp"

#include <linden/error.hpp>

#include <algorithm>
#include <cmath>

#include "core/factorization/factor_pattern.hpp"
#include "core/factorization/fixed_point_step.hpp"
#include "core/factorization/numeric_factorization.hpp"
#include "core/kernels/array.hpp"

// instantiate: class detail::FixedPointIterate<V, I>
// instantiate: class detail::FixedPointFactorization<V, I>

namespace linden::detail {
namespace {

/// Rows that a sweep in place takes one after the other. A constant, so that factors do not depend on threads; few
/// enough for many blocks. ani5_crop takes the same iterations to one for 256 rows, 1024, 4096 and all, with 64 a tenth
/// more (doc/decisions/0019-steps-of-parilut.md).
constexpr size_type in_place_rows = 1024;

/// The strictest of the limits of `plan`, for a matrix with so many entries.
template <class V, class I>
FixedPointRule rule_of(const FactorizationPlan& plan, size_type rows, size_type num_nonzeros)
{
    constexpr auto bytes_of_entry = static_cast<double>(sizeof(V) + sizeof(I));
    double limit = plan.fill_limit * static_cast<double>(num_nonzeros);
    if (plan.row_limit > 0) {
        limit = std::min(limit, plan.row_limit * static_cast<double>(rows));
    }
    if (plan.byte_limit > 0) {
        limit = std::min(limit, plan.byte_limit / bytes_of_entry);
    }
    constexpr double most = 1e18;
    return {std::max(rows, static_cast<size_type>(std::min(limit, most))), plan.selection};
}

}  // namespace

template <class V, class I>
FixedPointIterate<V, I>::FixedPointIterate(const Executor& exec, Dim size)
    : exec_(exec),
      s_(exec, size),
      next_values_(exec),
      diagonal_(exec, size.rows),
      inverses_(exec, size.rows),
      scales_(exec, size.rows),
      long_rows_(exec)
{
}

template <class V, class I>
void FixedPointIterate<V, I>::exchange(FormedMatrix<V, I>& other)
{
    std::swap(s_, other);
    with_room(next_values_, s_.num_nonzeros);
    pattern_find_diagonal<I>(exec_, s_.view(), diagonal_.data());
    long_rows_.find(s_.view(), diagonal_);
}

template <class V, class I>
void FixedPointIterate<V, I>::check_pivots(const Array<real_t<V>>& norms, bool is_hermitian, PivotReport* report)
{
    parilut_check_pivots<V, I>(exec_, s_.size.rows, diagonal_.data(), norms.data(), is_hermitian, values(),
                               {inverses_.data(), scales_.data(), report});
}

template <class V, class I>
void FixedPointIterate<V, I>::sweep(const V* a)
{
    parilut_sweep<V, I>(exec_, view(), a, next_values_.data());
    std::swap(s_.values, next_values_);
}

template <class V, class I>
void FixedPointIterate<V, I>::sweep_in_place(const V* a, const Array<real_t<V>>& norms, bool is_hermitian)
{
    parilut_sweep_in_place<V, I>(exec_, view(), a, {norms.data(), is_hermitian}, in_place_rows, next_values_.data());
    std::swap(s_.values, next_values_);
}

template <class V, class I>
FixedPointFactorization<V, I>::FixedPointFactorization(Pattern<I> base, const FactorizationPlan& plan,
                                                       const Csr<V, I>& a, PivotReport* report)
    : exec_(a.executor()),
      plan_(plan),
      base_(std::move(base)),
      base_diagonal_(exec_, base_.size.rows),
      base_values_(exec_, base_.source.size()),
      norms_(exec_, base_.size.rows),
      s_(exec_, base_.size),
      source_(exec_),
      a_(exec_),
      lower_(exec_)
{
    pattern_find_diagonal<I>(exec_, base_.view(), base_diagonal_.data());
    load(a);
    FormedMatrix<V, I> first(exec_, base_.size);
    first.num_nonzeros = base_values_.size();
    first.row_ptrs = base_.row_ptrs.clone();
    first.col_idxs = base_.col_idxs.clone();
    first.values = base_values_.clone();
    s_.expect(base_.view());
    s_.exchange(first);
    locate();
    const bool has_steps = plan_.fill == Fill::swept_threshold;
    if (!has_steps || plan_.k > 0) {  // without fill-in the values of A are a start
        improve(report);
    }
    if (has_steps) {
        const size_type rows = base_.size.rows;
        FixedPointStep<V, I> step(exec_, rows, rule_of<V, I>(plan_, rows, a.num_nonzeros()));
        for (size_type i = 0; i < plan_.steps; ++i) {
            advance(step, report);
            improve(report);
        }
    }
    take_pattern_of_factors();
    s_.check_pivots(norms_, plan_.is_cholesky, report);
    store_factors();
}

template <class V, class I>
void FixedPointFactorization<V, I>::update(const Csr<V, I>& a, PivotReport* report)
{
    load(a);
    start();
    copy_bytes(exec_, a_.data(), exec_, s_.values(), static_cast<std::size_t>(s_.matrix().num_nonzeros) * sizeof(V));
    // A step sweeps once as it finds the pattern.
    sweep(plan_.fill == Fill::swept_threshold ? plan_.steps * (1 + plan_.sweeps) : plan_.sweeps, report);
    s_.check_pivots(norms_, plan_.is_cholesky, report);
    store_factors();
}

/// S takes the pattern of its next step, and values.
template <class V, class I>
void FixedPointFactorization<V, I>::advance(FixedPointStep<V, I>& step, PivotReport* report)
{
    const auto pattern = base_.view();
    const CsrView<V, I> a{pattern.rows,     pattern.cols,     pattern.num_nonzeros,
                          pattern.row_ptrs, pattern.col_idxs, base_values_.data()};
    s_.check_pivots(norms_, plan_.is_cholesky, report);
    if (plan_.sweep_order == SweepOrder::synchronous) {
        step.advance(a, s_);
    } else {
        step.enlarge(a, s_);
        locate();
        sweep(1, report);
        s_.check_pivots(norms_, plan_.is_cholesky, report);
        step.reduce(s_);
    }
    locate();
}

/// base_values_ := A with its diagonal shifted.
template <class V, class I>
void FixedPointFactorization<V, I>::load(const Csr<V, I>& a)
{
    array_gather<V, V, I>(exec_, base_values_.size(), base_.source.data(), a.values(), base_values_.data(),
                          Conjugate::no);
    ilu_prepare_rows<V, I>(exec_, base_.view(), base_diagonal_.data(), static_cast<real_t<V>>(plan_.shift),
                           base_values_.data(), norms_.data());
}

/// Where S has entries of A.
template <class V, class I>
void FixedPointFactorization<V, I>::locate()
{
    const auto s = s_.matrix().view();
    pattern_locate<I>(exec_, s, base_.view(), with_room(source_, s.num_nonzeros));
    with_room(a_, s.num_nonzeros);
    start();
}

/// A on the pattern of S.
template <class V, class I>
void FixedPointFactorization<V, I>::start()
{
    array_gather<V, V, I>(exec_, s_.matrix().num_nonzeros, source_.data(), base_values_.data(), a_.data(),
                          Conjugate::no);
}

template <class V, class I>
void FixedPointFactorization<V, I>::sweep(size_type count, PivotReport* report)
{
    for (size_type i = 0; i < count; ++i) {
        s_.check_pivots(norms_, plan_.is_cholesky, report);
        if (plan_.sweep_order == SweepOrder::synchronous) {
            s_.sweep(a_.data());
        } else {
            s_.sweep_in_place(a_.data(), norms_, plan_.is_cholesky);
        }
    }
}

/// Values for the pattern.
template <class V, class I>
void FixedPointFactorization<V, I>::improve(PivotReport* report)
{
    plan_.eliminates ? eliminate(report) : sweep(plan_.sweeps, report);
}

/// What sweeps would end at.
template <class V, class I>
void FixedPointFactorization<V, I>::eliminate(PivotReport* report)
{
    const auto s = s_.matrix().view();
    V* const values = s_.values();
    copy_bytes(exec_, a_.data(), exec_, values, static_cast<std::size_t>(s.num_nonzeros) * sizeof(V));
    const FactorSchedule<I> schedule(exec_, s, RowLevels<I>(exec_, s, Side::lower, level_unit_for(exec_)));
    Array<std::byte> workspace(exec_, ilu_workspace_bytes(s.rows));
    ilu_factorize<V, I>(exec_, schedule.view(), {norms_.data()}, values, report, {workspace.data(), workspace.size()});
    // L D
    Array<V> pivots(exec_, s.rows);
    array_gather<V, V, I>(exec_, s.rows, schedule.diagonal.data(), values, pivots.data(), Conjugate::no);
    parilut_scale<V, I>(exec_, s, false, pivots.data(), nullptr, values);
}

template <class V, class I>
void FixedPointFactorization<V, I>::take_pattern_of_factors()
{
    const auto s = s_.matrix().view();
    auto factors = plan_.is_cholesky
                       ? triangle_pattern<I>(exec_, s, Side::lower, true, false)
                       : Pattern<I>{s.size(), Array<I>(exec_, s.rows + 1), Array<I>(exec_, s.num_nonzeros)};
    if (plan_.is_cholesky) {
        lower_ = std::move(factors.source);
    } else {
        copy_bytes(exec_, s.row_ptrs, exec_, factors.row_ptrs.data(), factors.row_ptrs.bytes());
        copy_bytes(exec_, s.col_idxs, exec_, factors.col_idxs.data(), factors.col_idxs.bytes());
    }
    const auto count = factors.col_idxs.size();
    factors_ = std::make_shared<Csr<V, I>>(exec_, s.size(), std::move(factors.row_ptrs), std::move(factors.col_idxs),
                                           Array<V>(exec_, count));
}

template <class V, class I>
void FixedPointFactorization<V, I>::store_factors()
{
    const auto view = factors_->view();
    if (plan_.is_cholesky) {
        array_gather<V, V, I>(exec_, view.num_nonzeros, lower_.data(), s_.values(), factors_->values(), Conjugate::no);
    } else {
        copy_bytes(exec_, s_.values(), exec_, factors_->values(),
                   static_cast<std::size_t>(view.num_nonzeros) * sizeof(V));
    }
    parilut_scale<V, I>(exec_, view, plan_.is_cholesky, s_.inverses(), s_.scales(), factors_->values());
}

}  // namespace linden::detail
