#include "core/multigrid/general_hierarchy.hpp"

#include <linden/error.hpp>
#include <linden/preconditioner/chebyshev.hpp>
#include <linden/preconditioner/jacobi.hpp>

#include <deque>
#include <type_traits>

#include "core/factorization/dense_inverse.hpp"
#include "core/kernels/deflation_setup.hpp"
#include "core/kernels/multigrid.hpp"
#include "core/matrix/block_cache.hpp"
#include "core/matrix/visit_csr.hpp"
#include "core/multigrid/cycle.hpp"
#include "core/multigrid/finest_matrix.hpp"
#include "core/multigrid/general_level.hpp"

// instantiate: std::shared_ptr<detail::AmgHierarchy<V>> detail::make_general(const LinOp<V>&, const GeneralPlan<V>&)

namespace linden::detail {
namespace {

constexpr size_type most_inverted_rows = 1024;

/// Levels of any kind in the precision W, smoothers by factories, and a multiplicative cycle.
template <class V, class W, class I>
class GeneralHierarchyOf final : public AmgHierarchy<V> {
public:
    GeneralHierarchyOf(const Csr<V, I>& a, const GeneralPlan<V>& plan)
        : exec_(a.executor()),
          plan_(plan),
          matrix_nonzeros_(a.num_nonzeros()),
          finest_(a),
          dense_values_(exec_),
          between_(exec_)
    {
        coarsen(a);
        clock_->enter(AmgPhase::inverse);
        make_inverse();
        clock_->enter(AmgPhase::cycle);
        cycle_ = std::make_unique<Cycle<W>>(exec_, plan_.cycle, plan_.sweeps, inverse_ ? &*inverse_ : nullptr);
        make_smoothers();
        clock_.reset();
        describe_levels();
    }

    void apply(const Dense<V>& b, Dense<V>& x) const override
    {
        typename BlockCache<W>::Lease lease(between_, 2 * b.size().rows * b.size().cols);
        auto both = lease.block({2 * b.size().rows, b.size().cols});
        auto inner_b = Dense<W>::adopt(exec_, b.size(), b.size().cols, both.data());
        auto inner_x = Dense<W>::adopt(exec_, b.size(), b.size().cols, both.data() + b.size().rows * b.size().cols);
        multigrid_convert<V, W>(exec_, nullptr, finest_.factor(), b.view(), inner_b.view());
        cycle_->apply(inner_b, inner_x);
        multigrid_convert<W, V>(exec_, nullptr, 1, std::as_const(inner_x).view(), x.view());
    }

    void update(const LinOp<V>& matrix) override
    {
        const auto& a = csr_of<V, I>("Amg", matrix, matrix_nonzeros_);
        levels_.front().update(std::make_shared<Csr<W, I>>(finest_.take(a)));
        for (std::size_t l = 1; l < levels_.size(); ++l) {
            levels_[l].update(levels_[l - 1].next_matrix());
        }
        for (std::size_t l = 0; l < smoothers_.size(); ++l) {
            smoothers_[l]->update_values(levels_[l].matrix());
        }
        cycle_->levels().front().matrix = levels_.front().matrix().get();
        invert_coarsest();
    }

    bool is_capturable() const override
    {
        bool result = true;
        for (const auto& smoother : smoothers_) {
            result = result && smoother->is_capturable();
        }
        return result;
    }

private:
    void coarsen(const Csr<V, I>& a)
    {
        const double smoothing = finest_.is_hermitian() ? 1.6 : 1;
        const CoarseningRule rule{
            plan_.method,
            plan_.threshold,
            plan_.transfer.prolongator_damping < 0 ? smoothing : plan_.transfer.prolongator_damping,
            most_kept_rows,
            plan_.max_elements,
            &*clock_};
        levels_.emplace_back(std::make_shared<Csr<W, I>>(finest_.take(a)), plan_.block_rows, near_nullspace(a),
                             finest_.is_hermitian());
        while (levels_.back().rows() > plan_.coarse_rows) {
            if (static_cast<size_type>(levels_.size()) == plan_.max_levels) {
                this->report.end = AmgEnd::max_levels;
                return;
            }
            auto next = levels_.back().coarsen(rule);
            if (!next) {
                this->report.end = AmgEnd::stalled;
                return;
            }
            levels_.emplace_back(std::move(*next));
        }
    }

    /// None for constants.
    std::optional<Dense<W>> near_nullspace(const Csr<V, I>& a) const
    {
        const auto rows = a.size().rows;
        if (plan_.vectors == nullptr) {
            return plan_.block_rows == 1 ? std::nullopt
                                         : std::optional(constants_of_unknowns<W>(exec_, rows, plan_.block_rows));
        }
        Dense<W> result(exec_, plan_.vectors->size());
        const auto given = plan_.vectors->copy(exec_);
        multigrid_convert<V, W>(exec_, nullptr, 1, given.view(), result.view());
        return result;
    }

    void make_inverse()
    {
        const auto& level = levels_.back();
        if (level.rows() <= std::max(most_inverted_rows, plan_.coarse_rows)) {
            inverse_.emplace(exec_, level.rows(), StoragePrecision::same, DensePivots::columns,
                             levels_.size() > 1 ? smallest_coarse_pivot : 0);
            dense_values_ = Array<W>(exec_, level.rows() * level.rows());
            spread_coarsest();
            inverse_->factorize(dense_values_.data());
        }
    }
    void invert_coarsest()
    {
        if (inverse_) {
            spread_coarsest();
            inverse_->update(dense_values_.data());
        }
    }
    void spread_coarsest()
    {
        const auto& matrix = *levels_.back().matrix();
        exec_.state().fill_zero(dense_values_.data(), dense_values_.bytes());
        deflation_spread<W, I>(exec_, matrix.view(), matrix.values(), dense_values_.data());
    }

    void make_smoothers()
    {
        const std::size_t last = levels_.size() - 1;
        for (std::size_t l = 0; l < levels_.size(); ++l) {
            CycleLevel<W> level{levels_[l].matrix().get()};
            if (l < last) {
                level.prolongator = &levels_[l].prolongator();
                level.restriction = &levels_[l].restriction();
            }
            if (l < last || !inverse_) {
                smoothers_.push_back(smoother_for(levels_[l]));
                level.smoother = smoothers_.back().get();
                level.damping = damping_of(*level.smoother, levels_[l]);
            }
            cycle_->levels().push_back(level);
        }
    }

    std::unique_ptr<LinOp<W>> smoother_for(const GeneralLevel<W, I>& level) const
    {
        if constexpr (std::is_same_v<V, W>) {
            if (plan_.smoother != nullptr) {
                return plan_.smoother->make(level.matrix());
            }
        }
        if (!level.is_hermitian()) {
            return std::make_unique<Jacobi<W>>(exec_, typename Jacobi<W>::Parameters{JacobiKind::l1}, level.matrix());
        }
        const typename Chebyshev<W>::Parameters p{.degree = 2, .upper = level.bound(), .kind = ChebyshevKind::fourth};
        return std::make_unique<Chebyshev<W>>(exec_, p, level.matrix());
    }

    /// The largest damping up to 1 that takes the largest eigenvalue of S A to 4/3 at most.
    double damping_of(const LinOp<W>& smoother, const GeneralLevel<W, I>& level) const
    {
        if (plan_.transfer.damping > 0) {
            return plan_.transfer.damping;
        }
        if (plan_.smoother == nullptr || !level.is_hermitian()) {
            constexpr double of_sums = 1.4;  // convection: 1 to 1.5 do about the same
            return plan_.smoother == nullptr && !level.is_hermitian() ? of_sums : 1;
        }
        const double largest = largest_ritz_value<W>(*level.matrix(), smoother, 10);
        return largest > 4.0 / 3 && std::isfinite(largest) ? 4.0 / 3 / largest : 1;
    }

    void describe_levels()
    {
        for (const auto& level : levels_) {
            this->report.levels.push_back(level.report());
        }
        if (inverse_) {
            this->report.levels.back().storage_bytes = inverse_->bytes();
            this->report.levels.back().index_bits = 0;
        }
        this->report.cycle = plan_.cycle;
    }

    Executor exec_;
    std::optional<PhaseClock> clock_{this->report};  ///< of the set-up
    GeneralPlan<V> plan_;
    size_type matrix_nonzeros_;
    FinestMatrix<V, W, I> finest_;
    std::deque<GeneralLevel<W, I>> levels_;
    std::optional<DenseInverse<W>> inverse_;  ///< of the matrix of the last level
    Array<W> dense_values_;
    std::vector<std::unique_ptr<LinOp<W>>> smoothers_;
    std::unique_ptr<Cycle<W>> cycle_;
    mutable BlockCache<W> between_;
};

}  // namespace

template <class V>
std::shared_ptr<AmgHierarchy<V>> make_general(const LinOp<V>& matrix, const GeneralPlan<V>& plan)
{
    std::shared_ptr<AmgHierarchy<V>> hierarchy;
    visit_csr("Amg", matrix, [&]<class I>(const Csr<V, I>& a) {
        if (a.size().rows % plan.block_rows != 0) {
            throw InvalidParameter("block_rows", std::to_string(plan.block_rows),
                                   "a divisor of the number of rows, " + std::to_string(a.size().rows));
        }
        if (plan.vectors != nullptr && plan.vectors->size().rows != a.size().rows) {
            throw DimensionMismatch("Amg", "the matrix", a.size(), "near_nullspace", plan.vectors->size());
        }
        if (plan.storage == AmgStorage::single) {
            hierarchy = std::make_shared<GeneralHierarchyOf<V, working_t<V>, I>>(a, plan);
        } else {
            hierarchy = std::make_shared<GeneralHierarchyOf<V, V, I>>(a, plan);
        }
    });
    return hierarchy;
}

}  // namespace linden::detail
