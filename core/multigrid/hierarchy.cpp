#include "core/multigrid/hierarchy.hpp"

#include <linden/matrix/dense.hpp>

#include <deque>
#include <optional>

#include "core/factorization/dense_inverse.hpp"
#include "core/kernels/deflation_setup.hpp"
#include "core/kernels/stencil_cycle.hpp"
#include "core/matrix/block_cache.hpp"
#include "core/matrix/visit_csr.hpp"
#include "core/multigrid/finest_matrix.hpp"

// instantiate: std::shared_ptr<detail::AmgHierarchy<V>> detail::make_hierarchy(const LinOp<V>&, const AmgPlan&)

namespace linden::detail {
namespace {

/// Vectors of levels begin at multiples of so many rows, for loads of 16 bytes.
constexpr size_type aligned_rows = 16;

template <class V, class W, class I>
class HierarchyOf final : public AmgHierarchy<V> {
public:
    HierarchyOf(const Csr<V, I>& a, AmgPlan plan)
        : exec_(a.executor()),
          plan_(plan),
          matrix_nonzeros_(a.num_nonzeros()),
          finest_(a, plan.is_hermitian, plan.looks_for_grids),
          dense_values_(exec_),
          between_(exec_)
    {
        plan_.clock = &*clock_;
        plan_.decide(finest_.is_hermitian());
        make_levels(a);
        clock_.reset();
        plan_.clock = nullptr;
        for (const auto& level : levels_) {
            this->report.levels.push_back(level.report());
        }
        if (inverse_) {
            this->report.levels.back().storage_bytes = inverse_->bytes();
        }
        this->report.end = end_;
    }

    void apply(const Dense<V>& b, Dense<V>& x) const override { run_cycle(b.view(), x.view(), {}); }

    bool apply_dot(const Dense<V>& b, Dense<V>& x, const DotRequest<V>& dots) const override
    {
        if (levels_.front().is_additive()) {
            return false;
        }
        run_cycle(b.view(), x.view(), {dots.w.view(), dots.wx, dots.xx, dots.workspace});
        return true;
    }

    void update(const LinOp<V>& matrix) override
    {
        const auto& a = csr_of<V, I>("Amg", matrix, matrix_nonzeros_);
        levels_.front().matrix() = finest_.take(a);
        for (std::size_t l = 0; l < levels_.size(); ++l) {
            levels_[l].update(l + 1 < levels_.size() ? &levels_[l + 1].matrix() : nullptr);
        }
        fill();
    }

private:
    /// All levels, and what the cycle reads of all but the last.
    void make_levels(const Csr<V, I>& a)
    {
        Backlog backlog(exec_, *clock_);
        levels_.emplace_back(finest_.take(a), finest_.is_hermitian(), true, finest_grid());
        while (auto next = coarsen(backlog)) {
            levels_.emplace_back(std::move(*next), finest_.is_hermitian(), false, levels_.back().coarse_grid());
        }
        backlog.advance();  // so that what the host reads next comes before the inverse, not behind it
        clock_->enter(AmgPhase::inverse);
        start_coarsest();
        backlog.finish();
        finish_coarsest();
    }

    std::optional<LevelGrid> finest_grid() const
    {
        const auto& shape = finest_.grid();
        return shape ? std::optional(LevelGrid{*shape, {1, 1, 1}, {}, true}) : std::nullopt;
    }
    /// The matrix of the next level, if there is one.
    std::optional<Csr<W, I>> coarsen(Backlog& backlog)
    {
        clock_->enter(AmgPhase::aggregates);
        auto& level = levels_.back();
        const bool is_small = level.rows() <= plan_.coarse_rows;
        const bool is_last = is_small || static_cast<size_type>(levels_.size()) == plan_.max_levels;
        level.inspect(plan_, is_last, backlog);
        if (levels_.size() > 1) {
            levels_[levels_.size() - 2].put_off_cycle(plan_.storage, level, backlog);
        }
        if (is_last) {
            end_ = is_small ? AmgEnd::small : AmgEnd::max_levels;
            return std::nullopt;
        }
        auto next = level.coarsen(plan_, most_kept_rows, backlog);
        if (!next) {
            end_ = level.end();
        }
        return next;
    }

    /// Asks for the inverse of the last level; `finish_coarsest` waits for it.
    void start_coarsest()
    {
        for (const auto& level : levels_) {
            first_rows_.push_back(num_rows_);
            num_rows_ += (level.rows() + aligned_rows - 1) / aligned_rows * aligned_rows;
            num_spare_ = level.is_additive() ? num_spare_ : std::max(num_spare_, level.rows());
        }
        auto& level = levels_.back();
        if (level.rows() > std::max(most_inverted_rows, plan_.coarse_rows)) {
            level.make_smoother(plan_.storage);
            num_spare_ = std::max(num_spare_, level.rows());
            return;
        }
        inverse_.emplace(exec_, level.rows(), StoragePrecision::same,
                         finest_.is_hermitian() ? DensePivots::diagonal : DensePivots::columns,
                         levels_.size() > 1 ? smallest_coarse_pivot : 0);
        scaled_values_ = Array<W>(exec_, level.matrix().num_nonzeros());
        dense_values_ = Array<W>(exec_, level.rows() * level.rows());
        spread_coarsest();
        inverse_->start(dense_values_.data());
    }
    void finish_coarsest()
    {
        if (inverse_) {
            inverse_->finish(dense_values_.data());
        }
        set_fence();
    }

    /// What the cycle reads.
    void fill()
    {
        for (std::size_t l = 0; l + 1 < levels_.size(); ++l) {
            levels_[l].fill_cycle(levels_[l + 1]);
        }
        if (inverse_) {
            spread_coarsest();
            inverse_->update(dense_values_.data());
        } else {
            levels_.back().fill_smoother();
        }
        set_fence();
    }
    void spread_coarsest()
    {
        const auto& level = levels_.back();
        multigrid_store_rows<W, W, I>(exec_, level.scaled_matrix(), scaled_values_.data(), nullptr);
        exec_.state().fill_zero(dense_values_.data(), dense_values_.bytes());
        deflation_spread<W, I>(exec_, level.matrix().view(), scaled_values_.data(), dense_values_.data());
    }
    /// Devices read the matrices of levels ahead: what has written them has ended behind a memory set.
    void set_fence() { exec_.state().fill_zero(fence_.data(), fence_.bytes()); }

    using MutableBlock = DenseView<W>;
    using Block = DenseView<const W>;

    /// Inner products only where the first level is swept.
    void run_cycle(DenseView<const V> b, DenseView<V> x, const WantedDots<V>& dots) const
    {
        const size_type cols = b.cols;
        typename BlockCache<W>::Lease lease(between_, (2 * num_rows_ + num_spare_) * cols);
        auto memory = lease.block({2 * num_rows_ + num_spare_, cols});
        // r_l and z_l of all levels, one after the other, then t_l or z_l before the sweep of one level
        const auto residual = [&, first = memory.data()](std::size_t l) {
            return DenseView<W>{levels_[l].rows(), cols, cols, first + first_rows_[l] * cols};
        };
        const auto correction = [&, first = memory.data() + num_rows_ * cols](std::size_t l) {
            return DenseView<W>{levels_[l].rows(), cols, cols, first + first_rows_[l] * cols};
        };
        const auto spare = [&, first = memory.data() + 2 * num_rows_ * cols](std::size_t l) {
            return DenseView<W>{levels_[l].rows(), cols, cols, first};
        };
        const std::size_t last = levels_.size() - 1;
        enter(b, residual(0), spare(0));
        for (std::size_t l = 0; l < last; ++l) {
            const auto& level = levels_[l];
            if (!level.is_additive() && l > 0) {
                sweep(level, plan_.transfer.damping, {}, residual(l), spare(l));
            }
            go_down(level, level.is_additive() ? residual(l) : spare(l), residual(l + 1));
        }
        if (inverse_) {
            inverse_->apply(residual(last), correction(last));
        } else {
            smooth(levels_[last], residual(last), spare(last), correction(last));
        }
        for (std::size_t l = last; l-- > 0;) {
            const auto& level = levels_[l];
            if (level.is_additive()) {
                add_sweep(level, correction(l + 1), residual(l), correction(l));
                continue;
            }
            correct(level, correction(l + 1), residual(l), spare(l));
            if (l > 0) {
                sweep(level, plan_.transfer.damping, residual(l), spare(l), correction(l));
            }
        }
        leave(residual(0), levels_.front().is_additive() ? correction(0) : spare(0), x, dots);
    }

    /// r := S b, and t := r - w A r where the first level is swept
    void enter(DenseView<const V> b, MutableBlock r, MutableBlock t) const
    {
        const auto& level = levels_.front();
        if (level.is_additive()) {
            multigrid_convert<V, W>(exec_, level.scales().data(), 1, b, r);
            return;
        }
        if (level.stencils() != nullptr) {
            stencil_cycle_enter<V, W, I>(exec_, by_stencils(level), plan_.transfer.damping, b, r, t);
            return;
        }
        StoredMatrix<W, I>::with_slices(
            [&]<class S, class J>(const SellView<S, J>& a) {
                multigrid_enter<V, W, S, J>(exec_, a, level.scales().data(), plan_.transfer.damping, b, r, t);
            },
            level.stored_matrix());
    }
    /// x := S z, or S (z + w (r - A z)) where the first level is swept
    void leave(Block r, Block z, DenseView<V> x, const WantedDots<V>& dots) const
    {
        const auto& level = levels_.front();
        const LeaveRule<W> rule{level.scales().data(), finest_.factor(), plan_.transfer.damping};
        if (level.is_additive()) {
            multigrid_convert<W, V>(exec_, rule.scales, rule.factor, z, x);
            return;
        }
        if (level.stencils() != nullptr) {
            stencil_cycle_leave<V, W, I>(exec_, by_stencils(level), rule.factor, rule.omega, r, z, x, dots);
            return;
        }
        StoredMatrix<W, I>::with_slices(
            [&]<class S, class J>(const SellView<S, J>& a) {
                multigrid_leave<V, W, S, J>(exec_, a, rule, r, z, x, dots);
            },
            level.stored_matrix());
    }

    static ScaledStencils<W, I> by_stencils(const AmgLevel<W, I>& level)
    {
        const auto& stencils = *level.stencils();
        return {stencils.view(), stencils.left(), stencils.entering(), stencils.are_valid(), level.scaled_matrix()};
    }

    /// coarse := R~ r, or R t
    void go_down(const AmgLevel<W, I>& level, Block r, MutableBlock coarse) const
    {
        StoredMatrix<W, I>::with_views([&](const auto& restriction) { multiply(restriction, r, coarse); },
                                       level.stored_restriction());
    }
    template <class S, class J>
    void multiply(const SellView<S, J>& restriction, Block r, MutableBlock coarse) const
    {
        sell_spmv<W, S, J>(exec_, restriction, Scalar<W>(W{1}), r, Scalar<W>(W{0}), coarse);
    }
    template <class S>
    void multiply(const CsrView<S, I>& restriction, Block r, MutableBlock coarse) const
    {
        multigrid_down<W, S, I>(exec_, restriction, r, coarse);
    }

    /// z := P~ y + w (2 r - w A r)
    void add_sweep(const AmgLevel<W, I>& level, Block y, Block r, MutableBlock z) const
    {
        StoredMatrix<W, I>::with_views([&](const auto& p, const auto& a) { add_sweep(p, a, y, r, z); },
                                       level.stored_prolongator(), level.stored_matrix());
    }
    /// z := P y + w r
    void correct(const AmgLevel<W, I>& level, Block y, Block r, MutableBlock z) const
    {
        StoredMatrix<W, I>::with_slices(
            [&]<class S, class J>(const SellView<S, J>& p) {
                multigrid_correct<W, S, J>(exec_, p, plan_.transfer.damping, y, r, z);
            },
            level.stored_prolongator());
    }
    /// x := z + w (b - A z)
    void sweep(const AmgLevel<W, I>& level, double w, Block b, Block z, MutableBlock x) const
    {
        StoredMatrix<W, I>::with_views([&](const auto& a) { sweep(a, w, b, z, x); }, level.stored_matrix());
    }
    template <class S, class J>
    void sweep(const SellView<S, J>& a, double w, Block b, Block z, MutableBlock x) const
    {
        multigrid_sweep<W, S, J>(exec_, a, w, b, z, x);
    }
    template <class S>
    void sweep(const CsrView<S, I>& a, double w, Block b, Block z, MutableBlock x) const
    {
        multigrid_sweep_rows<W, S, I>(exec_, a, w, b, z, x);
    }
    /// x: sweeps for A x = b from x = b, see last_sweeps
    void smooth(const AmgLevel<W, I>& level, Block b, MutableBlock t, MutableBlock x) const
    {
        sweep(level, last_sweeps[0] * plan_.transfer.damping, b, b, t);
        sweep(level, last_sweeps[1] * plan_.transfer.damping, b, t, x);
    }
    template <class S, class J>
    void add_sweep(const SellView<S, J>& p, const SellView<S, J>& a, Block y, Block r, MutableBlock z) const
    {
        multigrid_up<W, S, J>(exec_, p, a, plan_.transfer.damping, y, r, z);
    }
    template <class S>
    void add_sweep(const CsrView<S, I>& p, const CsrView<S, I>& a, Block y, Block r, MutableBlock z) const
    {
        multigrid_up_rows<W, S, I>(exec_, p, a, plan_.transfer.damping, y, r, z);
    }

    Executor exec_;
    std::optional<PhaseClock> clock_{this->report};  ///< of the set-up
    AmgPlan plan_;
    size_type matrix_nonzeros_;
    FinestMatrix<V, W, I> finest_;
    std::deque<AmgLevel<W, I>> levels_;
    AmgEnd end_ = AmgEnd::small;
    std::vector<size_type> first_rows_;  ///< where a level's vectors begin, in rows
    size_type num_rows_ = 0;
    size_type num_spare_ = 0;  ///< rows of the largest level without the additive form, or of one that is swept
    std::optional<DenseInverse<W>> inverse_;  ///< of the scaled matrix of the last level
    Array<W> scaled_values_ = Array<W>(exec_), dense_values_;
    Array<std::int32_t> fence_ = Array<std::int32_t>(exec_, 1);  ///< a place to set
    mutable BlockCache<W> between_;
};

}  // namespace

template <class V>
std::shared_ptr<AmgHierarchy<V>> make_hierarchy(const LinOp<V>& matrix, const AmgPlan& plan)
{
    std::shared_ptr<AmgHierarchy<V>> hierarchy;
    visit_csr("Amg", matrix, [&]<class I>(const Csr<V, I>& a) {
        if (plan.storage == AmgStorage::same || a.size().rows <= plan.coarse_rows) {
            hierarchy = std::make_shared<HierarchyOf<V, V, I>>(a, plan);
        } else {
            hierarchy = std::make_shared<HierarchyOf<V, working_t<V>, I>>(a, plan);
        }
    });
    return hierarchy;
}

}  // namespace linden::detail
