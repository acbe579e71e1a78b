#pragma once

#include <linden/matrix/csr.hpp>

#include <memory>
#include <utility>

#include "core/kernels/array.hpp"
#include "core/kernels/ilu.hpp"
#include "core/triangular/level_pattern.hpp"

/// The numeric phase of incomplete factorizations.
namespace linden::detail {

/// The level-set ordering of the factors' rows, and other data that depends on the pattern only.
template <class I>
struct FactorSchedule {
    FactorSchedule(const Executor& exec, PatternView<I> f, const RowLevels<I>& lower)
        : pattern(f),
          num_levels(lower.count),
          diagonal(exec, f.rows),
          order(exec),
          level_ptrs(exec)
    {
        pattern_find_diagonal<I>(exec, f, diagonal.data());
        LevelOrder<I> by_levels(exec, lower);
        order = std::move(by_levels.order);
        level_ptrs = std::move(by_levels.level_ptrs);
    }
    FactorPatternView<I> view() const
    {
        return {pattern, diagonal.data(), order.data(), num_levels, level_ptrs.data()};
    }

    PatternView<I> pattern;
    size_type num_levels;
    Array<I> diagonal, order, level_ptrs;
};

/// Options of the numeric phase.
struct NumericRule {
    bool is_cholesky = false;
    double shift = 0;  ///< adds shift ||a_i||_2 to a_ii
};

/// Incomplete factors on a fixed pattern, as IncompleteFactorization::factors describes them.
template <class V, class I>
class NumericFactorization {
public:
    /// `factors` has room for the values; entry k of it starts as entry source[k] of A, -1 for fill. `lower`: the
    /// levels of its lower triangle.
    NumericFactorization(std::shared_ptr<Csr<V, I>> factors, Array<I> source, NumericRule rule,
                         const RowLevels<I>& lower)
        : exec_(factors->executor()),
          factors_(std::move(factors)),
          source_(std::move(source)),
          rule_(rule),
          schedule_(exec_, factors_->view(), lower),
          norms_(exec_, factors_->size().rows),
          workspace_(exec_, ilu_workspace_bytes(factors_->size().rows))
    {
    }

    void set_shift(double shift) { rule_.shift = shift; }

    /// The factors of `a`, whose pattern is that of the matrix that `source` is about. Allocates nothing.
    void factorize(const Csr<V, I>& a, PivotReport* report)
    {
        const PatternView<I> pattern = schedule_.pattern;
        V* const values = factors_->values();
        array_gather<V, V, I>(exec_, pattern.num_nonzeros, source_.data(), a.values(), values, Conjugate::no);
        ilu_prepare_rows<V, I>(exec_, pattern, schedule_.diagonal.data(), static_cast<real_t<V>>(rule_.shift), values,
                               norms_.data());
        const auto& kernel = rule_.is_cholesky ? ic_factorize<V, I> : ilu_factorize<V, I>;
        kernel(exec_, schedule_.view(), {norms_.data()}, values, report, {workspace_.data(), workspace_.size()});
    }

private:
    Executor exec_;
    std::shared_ptr<Csr<V, I>> factors_;
    Array<I> source_;
    NumericRule rule_;
    FactorSchedule<I> schedule_;
    Array<real_t<V>> norms_;
    Array<std::byte> workspace_;
};

/// The levels that a factorization and the solve with its lower factor take.
template <class V, class I>
RowLevels<I> lower_levels(const Csr<V, I>& factors)
{
    const auto& exec = factors.executor();
    return {exec, factors.view(), Side::lower, level_unit_for(exec)};
}

}  // namespace linden::detail
