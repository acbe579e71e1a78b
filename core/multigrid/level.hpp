#pragma once

#include <linden/multigrid/amg.hpp>

#include <optional>
#include <utility>

#include "core/matrix/result_plan.hpp"
#include "core/multigrid/aggregates.hpp"
#include "core/multigrid/backlog.hpp"
#include "core/multigrid/grid_level.hpp"
#include "core/multigrid/mirrored.hpp"
#include "core/multigrid/plan.hpp"
#include "core/multigrid/slow_rows.hpp"
#include "core/multigrid/stored_level.hpp"
#include "core/multigrid/transfer.hpp"

namespace linden::detail {

/// A level: its matrix A, the transfers to the next one, whose matrix is R A P, and what the cycle reads. Values have a
/// symbolic phase before them, in which the constructor and `coarsen` wait; `update` repeats them alone.
///
/// With w the damping of the sweeps, and all in the scaling that makes rows' sums of magnitudes about 1, the cycle is
///     t = r - w A r,  r' = R t,  (coarse levels)  z = P z' + w r,  z := z + w (r - A z),
/// or the same in additive form, with the sweeps in P~ and R~ (transfer.hpp), fewer kernels and more entries:
///     r' = R~ r,  (coarse levels)  z = P~ z' + w (2 r - w A r).
template <class V, class I>
class AmgLevel {
public:
    using R = real_t<V>;

    /// a: sorted rows, a symmetric pattern with its diagonal.  grid: if its rows are the points of one.
    AmgLevel(Csr<V, I> a, bool is_hermitian, bool is_first, const std::optional<LevelGrid>& grid)
        : a_(std::move(a)),
          grid_(grid),
          largest_(exec(), rows()),
          sums_(exec(), rows()),
          scales_(exec(), rows()),
          inverse_scales_(exec(), rows()),
          is_hermitian_(is_hermitian),
          is_first_(is_first)
    {
    }

    /// Scales, and, unless it is the last level, how many entries are strong and whether sweeps are slow anywhere.
    void inspect(const AmgPlan& plan, bool is_last, Backlog& backlog)
    {
        const bool may_end = !is_last && asks_for_slow_rows(rows());
        const size_type mixed_at = is_last ? 0 : 1;  // behind the number of strong entries, if that is asked for
        const size_type slow_at = mixed_at + (is_hermitian_ ? 1 : 0);
        Array<std::int64_t> counts(exec(), slow_at + (may_end ? 1 : 0));
        Array<I> is_mixed(exec(), rows());
        measure(is_hermitian_ ? is_mixed.data() : nullptr);
        if (is_hermitian_) {
            array_totals<I>(exec(), rows(), 1, is_mixed.data(), counts.data() + mixed_at);
        }
        if (!is_last) {
            strong_.mark(a_, strength(plan), counts.data());
            grid_.look(a_, largest_, plan.threshold, backlog);
        }
        if (may_end) {
            count_slow(plan, counts.data() + slow_at);
        }
        auto found = counts.size() > 0 ? backlog.read(counts) : Backlog::Numbers();
        grid_.decide(backlog);
        if (is_hermitian_ && found[static_cast<std::size_t>(mixed_at)] * 4 > rows()) {
            bound_ = bound_of_mixed_signs<V>(a_, sums_.data());
            if (may_end && bound_ != 1) {
                count_slow(plan, counts.data() + slow_at);
                found = backlog.read(counts);
            }
        }
        num_strong_ = is_last ? 0 : found.front();
        is_slow_ = !may_end || found.back() > 0;
        scale();
    }

    /// The transfers, and the next level's matrix; none if sweeps are not slow anywhere, or there would be no fewer
    /// rows than `most_kept` of these.
    std::optional<Csr<V, I>> coarsen(const AmgPlan& plan, double most_kept, Backlog& backlog)
    {
        if (!is_slow_) {
            end_ = AmgEnd::swept;
            return std::nullopt;
        }
        strong_.take(a_, num_strong_);
        const PatternView<I> graph(strong().view());
        Array<std::int64_t> totals(exec(), 2);
        auto aggregates =
            grid_.has_blocks() ? grid_.aggregates(exec()) : number_aggregates(find_roots(a_, graph), totals.data());
        auto row_ptrs = prolongator_row_ptrs(graph, aggregates, totals.data() + 1);
        const auto found = backlog.read(totals);
        const auto num_coarse = grid_.has_blocks() ? grid_.num_blocks() : found[0];
        require_fits<I>(found[1], "the prolongator");
        aggregates_.emplace(Aggregates<I>{num_coarse, std::move(aggregates)});
        if (num_coarse == 0 || static_cast<double>(num_coarse) > most_kept * static_cast<double>(rows())) {
            strong_.drop();
            return std::nullopt;
        }
        plan.clock->enter(AmgPhase::prolongators);
        is_additive_ = rows() <= plan.additive_rows;
        const TransferRule rule{plan.transfer.prolongator_damping / bound_, plan.transfer.damping / bound_,
                                plan.transfer.truncation};
        right_.emplace(rule, strong(), strong_sums(), *aggregates_, ProlongatorRows<I>{std::move(row_ptrs), found[1]});
        return multiply(plan, rule, backlog);
    }

    /// Puts off what the cycle reads of a level that has been coarsened, once `inspect` of the next has ended.
    void put_off_cycle(AmgStorage storage, const AmgLevel& next, Backlog& backlog)
    {
        backlog.put_off(AmgPhase::prolongators, [this, storage, &next, &backlog] {
            if (!is_additive_) {
                store(storage, next, backlog);
                return;
            }
            if (left_) {
                adjoint_.emplace(a_);
                left_->make_product(adjoint_->result(), *right_);
            }
            smooth(storage, next, backlog);
        });
    }

    /// All values again for new ones of A, those of the next level's matrix to `next`.
    void update(Csr<V, I>* next)
    {
        measure(nullptr);
        scale();
        if (stored_ && stored_->stencils() != nullptr) {
            stored_->search_stencils(scaled_matrix());
        }
        if (!right_) {
            return;
        }
        strong_.update(a_);
        right_->compute_prolongator(strong(), strong_sums(), *aggregates_);
        if (left_) {
            strong_adjoint_->update(strong());
            left_->compute_prolongator(strong_adjoint_->result(), strong_sums(), *aggregates_);
        }
        galerkin_restriction_->update(left().prolongator());
        if (!galerkin_) {
            grid_.compute(galerkin_restriction_->result, a_, right_->prolongator(), *next);
            return;
        }
        right_->compute_product(a_);
        galerkin_->compute(galerkin_restriction_->result, right_->product(), *next);
        if (is_additive_) {
            right_->compute_smoothed(sums_);
            if (left_) {
                adjoint_->update(a_);
                left_->compute_product(adjoint_->result());
                left_->compute_smoothed(sums_);
            }
            restriction_->update(left().smoothed());
        }
    }

    /// What the cycle reads.
    void fill_cycle(const AmgLevel& next) { stored_->fill(scaled(next)); }
    /// For a level without another one below: its matrix alone. Waits.
    void make_smoother(AmgStorage storage)
    {
        stored_.emplace();
        stored_->make_smoother(exec(), layout_of(exec(), rows()), storage, scaled_matrix());
    }
    void fill_smoother() { stored_->fill_smoother(scaled_matrix()); }

    const Executor& exec() const { return a_.executor(); }
    size_type rows() const { return a_.size().rows; }
    std::optional<LevelGrid> coarse_grid() const { return grid_.coarse(); }
    /// Why `coarsen` has made no next level.
    AmgEnd end() const { return end_; }
    const Csr<V, I>& matrix() const { return a_; }
    Csr<V, I>& matrix() { return a_; }
    const Array<R>& scales() const { return scales_; }
    /// S A S, S = diag(scales).
    ScaledView<V, I> scaled_matrix() const { return {a_.view(), scales_.data(), scales_.data()}; }
    /// Whether the cycle has the additive form here, as it has on the coarsest level.
    bool is_additive() const { return is_additive_; }
    const StoredMatrix<V, I>& stored_matrix() const { return stored_->matrix(); }
    const StencilSearch<V, I>* stencils() const { return stored_->stencils(); }
    const StoredMatrix<V, I>& stored_prolongator() const { return stored_->prolongator(); }
    const StoredMatrix<V, I>& stored_restriction() const { return stored_->restriction(); }
    AmgLevelReport report() const
    {
        AmgLevelReport result{rows(), a_.num_nonzeros()};
        grid_.describe(result);
        if (stored_) {
            stored_->describe(result);
        }
        return result;
    }

private:
    void measure(I* is_mixed) { aggregation_measure<V, I>(exec(), a_.view(), largest_.data(), sums_.data(), is_mixed); }
    void scale() { multigrid_scales<R>(exec(), rows(), sums_.data(), bound_, scales_.data(), inverse_scales_.data()); }
    /// A_F, and the sums of magnitudes of its rows.
    const Csr<V, I>& strong() const { return strong_.matrix(a_); }
    const Array<R>& strong_sums() const { return strong_.sums(sums_); }
    StrengthRule<R> strength(const AmgPlan& plan) const
    {
        return {plan.threshold, largest_.data(), is_hermitian_, sums_.data()};
    }
    void count_slow(const AmgPlan& plan, std::int64_t* count) const
    {
        const SlowRows<V, I> slow(a_.view(), sums_, plan.transfer.damping / bound_);
        slow.count(
            {0, rows()}, [](Array<V>&) {}, count);
    }
    /// R A P
    Csr<V, I> multiply(const AmgPlan& plan, const TransferRule& rule, Backlog& backlog)
    {
        if (!is_hermitian_) {
            strong_adjoint_.emplace(strong());
            left_.emplace(rule, strong_adjoint_->result(), strong_sums(), *aggregates_, *right_);
        }
        const auto transpose = [&] { return updatable_conjugate_transpose(left().prolongator()); };
        if (!is_additive_ && grid_.may_have_copies()) {  // the additive form asks for A P anyway
            galerkin_restriction_.emplace(transpose());
            plan.clock->enter(AmgPhase::products);
            const auto& r = galerkin_restriction_->result;
            if (auto next = grid_.multiply(r, a_, right_->prolongator(), scaled_matrix(), backlog)) {
                return std::move(*next);
            }
        }
        const auto letter = backlog.post(right_->count_product(a_));
        if (!galerkin_restriction_) {
            galerkin_restriction_.emplace(transpose());
        }
        right_->make_product(a_, backlog.take(letter, 1).front());
        plan.clock->enter(AmgPhase::products);
        const auto& restriction = galerkin_restriction_->result;
        const auto& product = right_->product();
        StartedProduct<V, I> started(restriction, product);
        const auto found = backlog.read(started.num_nonzeros()).front();
        galerkin_.emplace(restriction, product, started, found, "the product");
        return std::move(galerkin_->result());
    }
    /// The prolongators and restrictions of the additive form, then what the cycle reads.
    void smooth(AmgStorage storage, const AmgLevel& next, Backlog& backlog)
    {
        Array<std::int64_t> kept(exec(), left_ ? 2 : 1);
        right_->count_smoothed(sums_, kept.data());
        if (left_) {
            left_->count_smoothed(sums_, kept.data() + 1);
        }
        backlog.put_off(AmgPhase::prolongators, kept, [this, storage, &next, &backlog](const Backlog::Numbers& found) {
            right_->make_smoothed(found.front());
            if (left_) {
                left_->make_smoothed(found.back());
            }
            restriction_.emplace(updatable_conjugate_transpose(left().smoothed()));
            store(storage, next, backlog);
        });
    }
    void store(AmgStorage storage, const AmgLevel& next, Backlog& backlog)
    {
        stored_.emplace();
        const auto large = is_additive_ ? layout_of(exec(), rows()) : Layout::slices;
        const bool looks_for_stencils = is_first_ && !is_additive_ && !grid_.has_searched();
        stored_->adopt_stencils(grid_.take_stencils());
        stored_->make({large, layout_of(exec(), 0), is_additive_, looks_for_stencils}, storage, scaled(next), backlog);
    }
    /// The transfer whose adjoint restricts.
    const Transfer<V, I>& left() const { return left_ ? *left_ : *right_; }

    const Csr<V, I>& cycle_prolongator() const { return is_additive_ ? right_->smoothed() : right_->prolongator(); }
    const Csr<V, I>& cycle_restriction() const
    {
        return is_additive_ ? restriction_->result : galerkin_restriction_->result;
    }
    ScaledLevel<V, I> scaled(const AmgLevel& next) const
    {
        return {scaled_matrix(),
                {cycle_prolongator().view(), inverse_scales_.data(), next.scales_.data()},
                {cycle_restriction().view(), next.scales_.data(), inverse_scales_.data()}};
    }

    Csr<V, I> a_;
    GridLevel<V, I> grid_;
    Array<R> largest_, sums_, scales_, inverse_scales_;
    bool is_hermitian_, is_first_, is_additive_ = true;
    AmgEnd end_ = AmgEnd::stalled;
    size_type num_strong_ = 0;
    bool is_slow_ = true;  ///< sweeps, somewhere
    double bound_ = 1;     ///< of the eigenvalues of D^-1 A, D the sums of rows
    StrongPart<V, I> strong_;
    std::optional<Aggregates<I>> aggregates_;
    std::optional<Mirrored<V, I>> adjoint_, strong_adjoint_;  ///< of nonsymmetric matrices
    std::optional<Transfer<V, I>> right_, left_;              ///< `left_` of nonsymmetric matrices
    std::optional<Rearrangement<V, I>> galerkin_restriction_, restriction_;
    std::optional<Product<V, I>> galerkin_;  ///< where that is not the grid's
    std::optional<StoredLevel<V, I>> stored_;
};

}  // namespace linden::detail
