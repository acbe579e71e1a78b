#include "core/factorization/incomplete_factors.hpp"

#include <linden/error.hpp>
#include <linden/matrix/dense.hpp>

#include <optional>

#include "core/factorization/factor_pattern.hpp"
#include "core/factorization/threshold.hpp"
#include "core/kernels/csr_values.hpp"
#include "core/matrix/parts.hpp"
#include "core/matrix/visit_csr.hpp"
#include "core/solver/level_pattern.hpp"

// instantiate: std::unique_ptr<detail::IncompleteFactors<V>> detail::make_incomplete_factors(const LinOp<V>&, const FactorizationPlan&)

namespace linden::detail {
namespace {

/// The order in which the rows of factors can be found, and what else only the pattern decides.
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

template <class V, class I>
class FactorsOf final : public IncompleteFactors<V> {
public:
    FactorsOf(const Csr<V, I>& a, const FactorizationPlan& plan)
        : exec_(a.executor()),
          plan_(plan),
          source_(exec_),
          report_(exec_, 1),
          between_(exec_)
    {
        std::optional<RowLevels<I>> levels;
        if (plan.fill == Fill::threshold) {
            auto found = factorize_with_threshold(a, plan);
            factors_ = std::make_shared<Csr<V, I>>(std::move(found.factors));
            report_ = Array<PivotReport>(exec_, std::vector<PivotReport>{found.report});
        } else {
            take_pattern(a);
            make_schedule(levels.emplace(lower_levels()));
            factorize(a);
        }
        const Side lower = Side::lower, upper = Side::upper;
        const bool is_cholesky = plan.is_cholesky;
        const auto how = plan.triangular;
        lower_ = make_triangular_solve<V, I>(*factors_, {lower, !is_cholesky}, how, levels ? &*levels : nullptr);
        const TriangleChoice adjoint{lower, false, MatrixOperation::conjugate_transpose};
        upper_ = make_triangular_solve<V, I>(*factors_, is_cholesky ? adjoint : TriangleChoice{upper}, how, nullptr);
    }

    void apply(const Dense<V>& b, Dense<V>& x) const override
    {
        typename BlockCache<V>::Lease lease(between_, b.size().rows * b.size().cols);
        auto y = lease.block(b.size());
        lower_->solve(b, y);
        upper_->solve(y, x);
    }

    bool is_capturable() const override { return lower_->is_capturable() && upper_->is_capturable(); }

    void update(const LinOp<V>& matrix) override
    {
        const auto& a = dynamic_cast<const Csr<V, I>&>(matrix);
        if (schedule_ == nullptr) {  // thresholds have found the pattern
            source_ = source_of<I>(exec_, factors_->view(), a.view());
            make_schedule(lower_levels());
        }
        factorize(a);
        lower_->update(*factors_);
        upper_->update(*factors_);
    }

    PivotReport report() const override { return report_.to_host().front(); }
    LinOpPtr<V> factors() const override { return factors_; }
    size_type num_nonzeros() const override { return factors_->num_nonzeros(); }
    const TriangularSolve<V>& lower() const override { return *lower_; }

private:
    void take_pattern(const Csr<V, I>& a)
    {
        auto f = plan_.fill == Fill::none ? pattern_without_fill<I>(exec_, a.view(), plan_.is_cholesky)
                                          : pattern_with_levels<I>(exec_, a.view(), plan_.k, plan_.is_cholesky);
        source_ = std::move(f.source);
        factors_ = std::make_shared<Csr<V, I>>(exec_, a.size(), std::move(f.row_ptrs), std::move(f.col_idxs),
                                               Array<V>(exec_, source_.size()));
    }

    RowLevels<I> lower_levels() const { return {exec_, factors_->view(), Side::lower, level_unit_for(exec_)}; }
    void make_schedule(const RowLevels<I>& lower)
    {
        schedule_ = std::make_unique<FactorSchedule<I>>(exec_, factors_->view(), lower);
    }

    /// On the pattern that there is.
    void factorize(const Csr<V, I>& a)
    {
        const PatternView<I> pattern = schedule_->pattern;
        V* const values = factors_->values();
        array_gather<V, I>(exec_, pattern.num_nonzeros, source_.data(), a.values(), values, Conjugate::no);
        Array<real_t<V>> norms(exec_, pattern.rows);
        ilu_prepare_rows<V, I>(exec_, pattern, schedule_->diagonal.data(), static_cast<real_t<V>>(plan_.shift), values,
                               norms.data());
        Array<std::byte> workspace(exec_, ilu_workspace_bytes(pattern.rows));
        const auto& kernel = plan_.is_cholesky ? ic_factorize<V, I> : ilu_factorize<V, I>;
        kernel(exec_, schedule_->view(), norms.data(), values, report_.data(), {workspace.data(), workspace.size()});
    }

    Executor exec_;
    FactorizationPlan plan_;
    std::shared_ptr<Csr<V, I>> factors_;
    Array<I> source_;
    Array<PivotReport> report_;
    std::unique_ptr<FactorSchedule<I>> schedule_;
    std::unique_ptr<TriangularSolve<V>> lower_, upper_;
    mutable BlockCache<V> between_;
};

}  // namespace

template <class V>
std::unique_ptr<IncompleteFactors<V>> make_incomplete_factors(const LinOp<V>& matrix, const FactorizationPlan& plan)
{
    if (plan.k < 0) {
        throw InvalidParameter("k", std::to_string(plan.k), "at least 0");
    }
    std::unique_ptr<IncompleteFactors<V>> factors;
    visit_csr(plan.name, matrix,
              [&]<class I>(const Csr<V, I>& a) { factors = std::make_unique<FactorsOf<V, I>>(a, plan); });
    return factors;
}

}  // namespace linden::detail
