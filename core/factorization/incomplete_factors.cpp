#include "core/factorization/incomplete_factors.hpp"

#include <linden/error.hpp>
#include <linden/matrix/dense.hpp>

#include <optional>

#include "core/factorization/factor_pattern.hpp"
#include "core/factorization/numeric_factorization.hpp"
#include "core/factorization/threshold.hpp"
#include "core/matrix/block_cache.hpp"
#include "core/matrix/row_blocks.hpp"
#include "core/matrix/visit_csr.hpp"

// instantiate: std::unique_ptr<detail::IncompleteFactors<V>> detail::make_incomplete_factors(const LinOp<V>&, const FactorizationPlan&)

namespace linden::detail {
namespace {

template <class V, class I>
class FactorsOf final : public IncompleteFactors<V> {
public:
    FactorsOf(const Csr<V, I>& a, const FactorizationPlan& plan)
        : exec_(a.executor()),
          plan_(plan),
          matrix_nonzeros_(a.num_nonzeros()),
          report_(exec_, 1),
          between_(exec_)
    {
        std::optional<RowLevels<I>> levels;
        auto inside = pattern_inside<I>(exec_, a.view(), row_blocks(plan.blocks, plan.block_rows, a.size().rows));
        if (plan.fill == Fill::threshold) {
            auto found =
                inside ? factorize_with_threshold(restricted_to(*inside, a), plan) : factorize_with_threshold(a, plan);
            factors_ = std::make_shared<Csr<V, I>>(std::move(found.factors));
            report_ = Array<PivotReport>(exec_, std::vector<PivotReport>{found.report});
        } else {
            const PatternView<I> pattern = inside ? inside->view() : PatternView<I>(a.view());
            auto f = plan.fill == Fill::none ? pattern_without_fill<I>(exec_, pattern, plan.is_cholesky)
                                             : pattern_with_levels<I>(exec_, pattern, plan.k, plan.is_cholesky);
            if (inside) {
                f = composed(exec_, std::move(f), inside->source);
            }
            const auto nnz = f.source.size();
            factors_ = std::make_shared<Csr<V, I>>(exec_, a.size(), std::move(f.row_ptrs), std::move(f.col_idxs),
                                                   Array<V>(exec_, nnz));
            make_numeric(std::move(f.source), levels.emplace(lower_levels(*factors_)));
            numeric_->factorize(a, report_.data());
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
        const auto& a = csr_of<V, I>(plan_.name, matrix, matrix_nonzeros_);
        if (numeric_ == nullptr) {  // thresholds have found the pattern
            make_numeric(source_of<I>(exec_, factors_->view(), a.view()), lower_levels(*factors_));
        }
        numeric_->factorize(a, report_.data());
        lower_->update(*factors_);
        upper_->update(*factors_);
    }

    PivotReport report() const override { return report_.to_host().front(); }
    LinOpPtr<V> factors() const override { return factors_; }
    size_type num_nonzeros() const override { return factors_->num_nonzeros(); }
    const TriangularSolve<V>& lower() const override { return *lower_; }

private:
    void make_numeric(Array<I> source, const RowLevels<I>& lower)
    {
        const NumericRule rule{plan_.is_cholesky, plan_.shift};
        numeric_ = std::make_unique<NumericFactorization<V, I>>(factors_, std::move(source), rule, lower);
    }

    Executor exec_;
    FactorizationPlan plan_;
    size_type matrix_nonzeros_;
    std::shared_ptr<Csr<V, I>> factors_;
    Array<PivotReport> report_;
    std::unique_ptr<NumericFactorization<V, I>> numeric_;
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
