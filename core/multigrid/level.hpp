#pragma once

#include <linden/multigrid/amg.hpp>

#include <optional>

#include "core/matrix/result_plan.hpp"
#include "core/multigrid/aggregates.hpp"
#include "core/multigrid/plan.hpp"
#include "core/multigrid/slow_rows.hpp"
#include "core/multigrid/stored_matrix.hpp"
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

    /// a: sorted rows, a symmetric pattern with its diagonal.
    AmgLevel(Csr<V, I> a, bool is_hermitian)
        : a_(std::move(a)),
          largest_(exec(), rows()),
          sums_(exec(), rows()),
          scales_(exec(), rows()),
          inverse_scales_(exec(), rows()),
          is_hermitian_(is_hermitian)
    {
        Array<I> is_mixed(exec(), rows());
        measure(is_hermitian_ ? is_mixed.data() : nullptr);
        if (is_hermitian_ && count_marks(is_mixed).front() * 4 > rows()) {
            bound_ = bound_of_mixed_signs<V>(a_, sums_.data());
        }
        scale();
    }

    /// The transfers, and the next level's matrix; none if sweeps are not slow anywhere, or there would be no fewer
    /// rows than `most_kept` of these.
    std::optional<Csr<V, I>> coarsen(const AmgPlan& plan, double most_kept)
    {
        plan.clock->enter(AmgPhase::aggregates);
        const bool may_end = asks_for_slow_rows(rows());
        Array<std::int64_t> counts(exec(), may_end ? 2 : 1);
        const StrengthRule<R> strength{plan.threshold, largest_.data(), is_hermitian_, sums_.data()};
        auto strong_ptrs = strong_row_ptrs(a_, strength, counts.data());
        if (may_end) {
            const SlowRows<V, I> slow(a_.view(), sums_, plan.transfer.damping / bound_);
            slow.count(
                {0, rows()}, [](Array<V>&) {}, counts.data() + 1);
        }
        const auto counted = counts.to_host();
        require_fits<I>(counted.front(), "the strong entries");
        if (may_end && counted.back() == 0) {
            end_ = AmgEnd::swept;
            return std::nullopt;
        }
        auto part = strong_part(a_, strength, std::move(strong_ptrs), counted.front());
        const auto graph = part ? part->view() : PatternView<I>(a_.view());
        Array<std::int64_t> totals(exec(), 2);
        auto aggregates = number_aggregates(find_roots(a_, graph), totals.data());
        auto row_ptrs = prolongator_row_ptrs(graph, aggregates, totals.data() + 1);
        const auto found = totals.to_host();
        const auto num_coarse = found[0];
        require_fits<I>(found[1], "the prolongator");
        aggregates_.emplace(Aggregates<I>{num_coarse, std::move(aggregates)});
        if (num_coarse == 0 || static_cast<double>(num_coarse) > most_kept * static_cast<double>(rows())) {
            return std::nullopt;
        }
        plan.clock->enter(AmgPhase::prolongators);
        is_additive_ = rows() <= plan.additive_rows;
        if (part) {
            strong_.emplace(matrix_of<V>(std::move(*part)));
            strong_sums_.emplace(exec(), rows());
            filter();
        }
        const TransferRule rule{plan.transfer.prolongator_damping / bound_, plan.transfer.damping / bound_,
                                plan.transfer.truncation};
        right_.emplace(rule, strong(), strong_sums(), *aggregates_, ProlongatorRows<I>{std::move(row_ptrs), found[1]});
        if (!is_hermitian_) {
            strong_adjoint_.emplace(updatable_conjugate_transpose(strong()));
            left_.emplace(rule, strong_adjoint_->result, strong_sums(), *aggregates_);
        }
        right_->compute_product(a_);
        galerkin_restriction_.emplace(updatable_conjugate_transpose(left().prolongator()));
        plan.clock->enter(AmgPhase::products);
        galerkin_.emplace(galerkin_restriction_->result, right_->product());
        auto next = std::move(galerkin_->result());
        plan.clock->enter(AmgPhase::prolongators);
        if (is_additive_) {
            if (left_) {
                adjoint_.emplace(updatable_conjugate_transpose(a_));
            }
            smooth();
            restriction_.emplace(updatable_conjugate_transpose(left().smoothed()));
        }
        return next;
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
            left_->compute_prolongator(strong_adjoint_->result, strong_sums(), *aggregates_);
        }
        right_->compute_product(a_);
        galerkin_restriction_->update(left().prolongator());
        galerkin_->compute(galerkin_restriction_->result, right_->product(), *next);
        if (is_additive_) {
            if (left_) {
                adjoint_->update(a_);
            }
            smooth();
            restriction_->update(left().smoothed());
        }
    }

    /// Rows that half precision cannot hold.
    struct RowsBeyond {
        std::int64_t of_matrix = 0, of_transfers = 0;
    };

    /// What the cycle reads, where this is not the coarsest level; *beyond, on the executor, stays as it is where that
    /// does not matter. Waits.
    void make_slices(AmgStorage storage, const AmgLevel& next, RowsBeyond* beyond)
    {
        const auto precision = first_choice<V, I>(storage);
        const auto stored_layout = is_additive_ ? layout(rows()) : Layout::slices;
        stored_a_.emplace(exec(), a_.view(), stored_layout, precision);
        stored_p_.emplace(exec(), cycle_prolongator().view(), stored_layout, precision);
        stored_r_.emplace(exec(), cycle_restriction().view(), layout(0), precision);
        if (is_additive_) {
            StoredMatrix<V, I>::find_columns({&*stored_a_, &*stored_p_});
        } else {
            StoredMatrix<V, I>::find_columns({&*stored_a_});
            StoredMatrix<V, I>::find_columns({&*stored_p_});
        }
        StoredMatrix<V, I>::find_columns({&*stored_r_});
        if (precision == StoragePrecision::half && storage == AmgStorage::automatic) {
            Array<I> marks(exec(), 2 * rows() + next.rows());
            stored_a_->fill(scaled_matrix(), marks.data());
            stored_p_->fill(scaled_prolongator(next), marks.data() + rows());
            stored_r_->fill(scaled_restriction(next), marks.data() + 2 * rows());
            array_totals<I>(exec(), rows(), 1, marks.data(), &beyond->of_matrix);
            array_totals<I>(exec(), rows() + next.rows(), 1, marks.data() + rows(), &beyond->of_transfers);
            return;
        }
        fill_slices(next);
    }
    /// Gives up half precision where it cannot hold all rows. The additive form takes A and P~ in one kernel, in one
    /// precision.
    void widen(const AmgLevel& next, RowsBeyond beyond)
    {
        const bool is_any_beyond = beyond.of_matrix + beyond.of_transfers > 0;
        if (is_additive_ ? is_any_beyond : beyond.of_matrix > 0) {
            stored_a_->set_storage(StoragePrecision::same);
            stored_a_->fill(scaled_matrix());
        }
        if (is_additive_ ? is_any_beyond : beyond.of_transfers > 0) {
            stored_p_->set_storage(StoragePrecision::same);
            stored_r_->set_storage(StoragePrecision::same);
            fill_transfers(next);
        }
    }
    void fill_slices(const AmgLevel& next)
    {
        stored_a_->fill(scaled_matrix());
        fill_transfers(next);
    }
    /// For a level without another one below: its matrix alone. Waits.
    void make_smoother(AmgStorage storage)
    {
        const auto precision = first_choice<V, I>(storage);
        stored_a_.emplace(exec(), a_.view(), layout(rows()), precision);
        StoredMatrix<V, I>::find_columns({&*stored_a_});
        Array<I> marks(exec(), rows());
        stored_a_->fill(scaled_matrix(), marks.data());
        if (storage == AmgStorage::automatic && count_marks(marks).front() > 0) {
            stored_a_->set_storage(StoragePrecision::same);
            fill_smoother();
        }
    }
    void fill_smoother() { stored_a_->fill(scaled_matrix()); }

    const Executor& exec() const { return a_.executor(); }
    size_type rows() const { return a_.size().rows; }
    /// Why `coarsen` has made no next level.
    AmgEnd end() const { return end_; }
    const Csr<V, I>& matrix() const { return a_; }
    Csr<V, I>& matrix() { return a_; }
    const Array<R>& scales() const { return scales_; }
    /// S A S, S = diag(scales).
    ScaledView<V, I> scaled_matrix() const { return {a_.view(), scales_.data(), scales_.data()}; }
    /// Whether the cycle has the additive form here, as it has on the coarsest level.
    bool is_additive() const { return is_additive_; }
    const StoredMatrix<V, I>& stored_matrix() const { return *stored_a_; }
    const StoredMatrix<V, I>& stored_prolongator() const { return *stored_p_; }
    const StoredMatrix<V, I>& stored_restriction() const { return *stored_r_; }
    AmgLevelReport report() const
    {
        AmgLevelReport result{rows(), a_.num_nonzeros(), 0, 0, StoragePrecision::same, 0};
        if (stored_a_) {
            result.storage_bytes = stored_a_->bytes();
            result.storage = stored_a_->storage();
            result.index_bits = stored_a_->index_bits();
        }
        if (stored_p_) {
            result.prolongator_nonzeros = stored_p_->num_nonzeros();
            result.storage_bytes += stored_p_->bytes() + stored_r_->bytes();
        }
        return result;
    }

private:
    void measure(I* is_mixed) { aggregation_measure<V, I>(exec(), a_.view(), largest_.data(), sums_.data(), is_mixed); }
    void scale() { multigrid_scales<R>(exec(), rows(), sums_.data(), bound_, scales_.data(), inverse_scales_.data()); }
    void filter()
    {
        multigrid_filter<V, I>(exec(), a_.view(), strong_->view(), strong_->values(), strong_sums_->data());
    }
    /// A_F, and the sums of magnitudes of its rows.
    const Csr<V, I>& strong() const { return strong_ ? *strong_ : a_; }
    const Array<R>& strong_sums() const { return strong_sums_ ? *strong_sums_ : sums_; }
    /// The prolongators and restrictions of the additive form.
    void smooth()
    {
        right_->compute_smoothed(sums_);
        if (left_) {
            left_->compute_product(adjoint_->result);
            left_->compute_smoothed(sums_);
        }
    }
    void fill_transfers(const AmgLevel& next)
    {
        stored_p_->fill(scaled_prolongator(next));
        stored_r_->fill(scaled_restriction(next));
    }
    /// The transfer whose adjoint restricts.
    const Transfer<V, I>& left() const { return left_ ? *left_ : *right_; }

    const Csr<V, I>& cycle_prolongator() const { return is_additive_ ? right_->smoothed() : right_->prolongator(); }
    const Csr<V, I>& cycle_restriction() const
    {
        return is_additive_ ? restriction_->result : galerkin_restriction_->result;
    }
    ScaledView<V, I> scaled_prolongator(const AmgLevel& next) const
    {
        return {cycle_prolongator().view(), inverse_scales_.data(), next.scales_.data()};
    }
    ScaledView<V, I> scaled_restriction(const AmgLevel& next) const
    {
        return {cycle_restriction().view(), next.scales_.data(), inverse_scales_.data()};
    }

    /// Slices keep a device busy from so many rows on; those of restrictions are long. Hosts work on slices as vectors.
    Layout layout(size_type num_rows) const
    {
        constexpr size_type most_rows = size_type{1} << 18;
        return exec().state().is_host() || num_rows > most_rows ? Layout::slices : Layout::rows;
    }

    Csr<V, I> a_;
    Array<R> largest_, sums_, scales_, inverse_scales_;
    bool is_hermitian_;
    bool is_additive_ = true;
    AmgEnd end_ = AmgEnd::stalled;
    double bound_ = 1;                 ///< of the eigenvalues of D^-1 A, D the sums of rows
    std::optional<Csr<V, I>> strong_;  ///< where not all of A is strong
    std::optional<Aggregates<I>> aggregates_;
    std::optional<Array<R>> strong_sums_;
    std::optional<Rearrangement<V, I>> adjoint_, strong_adjoint_;  ///< of nonsymmetric matrices
    std::optional<Transfer<V, I>> right_, left_;                   ///< `left_` of nonsymmetric matrices
    std::optional<Rearrangement<V, I>> galerkin_restriction_, restriction_;
    std::optional<Product<V, I>> galerkin_;
    std::optional<StoredMatrix<V, I>> stored_a_, stored_p_, stored_r_;
};

}  // namespace linden::detail
