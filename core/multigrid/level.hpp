#pragma once

#include <linden/multigrid/amg.hpp>

#include <optional>
#include <utility>

#include "core/matrix/result_plan.hpp"
#include "core/multigrid/aggregates.hpp"
#include "core/multigrid/backlog.hpp"
#include "core/multigrid/grid.hpp"
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
    AmgLevel(Csr<V, I> a, bool is_hermitian, std::optional<GridShape> grid, bool is_first)
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
            marked_.emplace(strong_marks(a_, strength(plan), counts.data()));
        }
        if (may_end) {
            count_slow(plan, counts.data() + slow_at);
        }
        const auto flags = grid_ && !is_last ? std::optional(post_grid_flags(plan, backlog)) : std::nullopt;
        auto found = counts.size() > 0 ? backlog.read(counts) : Backlog::Numbers();
        if (flags) {
            blocks_ = choose_blocks(*grid_, backlog.take(*flags, num_grid_flags).data(), num_flagged_rows(), is_first_);
        }
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
        require_fits<I>(num_strong_, "the strong entries");
        if (!is_slow_) {
            end_ = AmgEnd::swept;
            return std::nullopt;
        }
        strong_ = strong_part(a_, *std::exchange(marked_, std::nullopt), num_strong_);
        const PatternView<I> graph(strong().view());
        Array<std::int64_t> totals(exec(), 2);
        auto aggregates = blocks_ ? aggregate_blocks() : number_aggregates(find_roots(a_, graph), totals.data());
        auto row_ptrs = prolongator_row_ptrs(graph, aggregates, totals.data() + 1);
        const auto found = backlog.read(totals);
        const auto num_coarse = blocks_ ? blocks_->coarse.size() : found[0];
        require_fits<I>(found[1], "the prolongator");
        aggregates_.emplace(Aggregates<I>{num_coarse, std::move(aggregates)});
        if (num_coarse == 0 || static_cast<double>(num_coarse) > most_kept * static_cast<double>(rows())) {
            strong_.reset();
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
        if (!right_) {
            return;
        }
        if (strong_) {
            filter();
        }
        right_->compute_prolongator(strong(), strong_sums(), *aggregates_);
        if (left_) {
            strong_adjoint_->update(strong());
            left_->compute_prolongator(strong_adjoint_->result(), strong_sums(), *aggregates_);
        }
        right_->compute_product(a_);
        galerkin_restriction_->update(left().prolongator());
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
        stored_->make_smoother(exec(), layout(rows()), storage, scaled_matrix());
    }
    void fill_smoother() { stored_->fill_smoother(scaled_matrix()); }

    const Executor& exec() const { return a_.executor(); }
    size_type rows() const { return a_.size().rows; }
    /// The grid of the next level.
    std::optional<GridShape> coarse_grid() const { return blocks_ ? std::optional(blocks_->coarse) : std::nullopt; }
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
        AmgLevelReport result{rows(), a_.num_nonzeros(), 0, 0, StoragePrecision::same, 0};
        if (stored_) {
            stored_->describe(result);
        }
        return result;
    }

private:
    void measure(I* is_mixed) { aggregation_measure<V, I>(exec(), a_.view(), largest_.data(), sums_.data(), is_mixed); }
    void scale() { multigrid_scales<R>(exec(), rows(), sums_.data(), bound_, scales_.data(), inverse_scales_.data()); }
    void filter()
    {
        auto& part = *strong_;
        multigrid_filter<V, I>(exec(), a_.view(), part.matrix.view(), part.matrix.values(), part.sums.data());
    }
    /// A_F, and the sums of magnitudes of its rows.
    const Csr<V, I>& strong() const { return strong_ ? strong_->matrix : a_; }
    const Array<R>& strong_sums() const { return strong_ ? strong_->sums : sums_; }
    StrengthRule<R> strength(const AmgPlan& plan) const
    {
        return {plan.threshold, largest_.data(), is_hermitian_, sums_.data()};
    }
    size_type num_flagged_rows() const { return std::min(most_flagged_rows, rows()); }
    std::int64_t post_grid_flags(const AmgPlan& plan, Backlog& backlog) const
    {
        Array<std::int64_t> counts(exec(), num_grid_flags);
        count_grid_flags(a_, largest_, plan.threshold, *grid_, num_flagged_rows(), counts.data());
        return backlog.post(counts);
    }
    Array<I> aggregate_blocks() const
    {
        Array<I> aggregates(exec(), rows());
        grid_aggregates<I>(exec(), *blocks_, aggregates.data());
        return aggregates;
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
        const auto letter = backlog.post(right_->count_product(a_));
        galerkin_restriction_.emplace(updatable_conjugate_transpose(left().prolongator()));
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
        const auto of_large = is_additive_ ? layout(rows()) : Layout::slices;
        const bool looks_for_stencils = is_first_ && !is_additive_;
        stored_->make({of_large, layout(0), is_additive_, looks_for_stencils}, storage, scaled(next), backlog);
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

    /// Slices keep a device busy from so many rows on; those of restrictions are long. Hosts work on slices as vectors.
    Layout layout(size_type num_rows) const
    {
        constexpr size_type most_rows = size_type{1} << 18;
        return exec().state().is_host() || num_rows > most_rows ? Layout::slices : Layout::rows;
    }

    Csr<V, I> a_;
    std::optional<GridShape> grid_;
    std::optional<GridBlocks> blocks_;
    Array<R> largest_, sums_, scales_, inverse_scales_;
    bool is_hermitian_, is_first_;
    bool is_additive_ = true;
    AmgEnd end_ = AmgEnd::stalled;
    std::optional<StrongMarks<I>> marked_;  ///< from `inspect` to `coarsen`
    size_type num_strong_ = 0;
    bool is_slow_ = true;                     ///< sweeps, somewhere
    double bound_ = 1;                        ///< of the eigenvalues of D^-1 A, D the sums of rows
    std::optional<StrongPart<V, I>> strong_;  ///< where not all of A is strong
    std::optional<Aggregates<I>> aggregates_;
    std::optional<Mirrored<V, I>> adjoint_, strong_adjoint_;  ///< of nonsymmetric matrices
    std::optional<Transfer<V, I>> right_, left_;              ///< `left_` of nonsymmetric matrices
    std::optional<Rearrangement<V, I>> galerkin_restriction_, restriction_;
    std::optional<Product<V, I>> galerkin_;
    std::optional<StoredLevel<V, I>> stored_;
};

}  // namespace linden::detail
