#pragma once

#include <linden/multigrid/amg.hpp>

#include <optional>

#include "core/multigrid/aggregates.hpp"
#include "core/multigrid/stored_matrix.hpp"
#include "core/multigrid/transfer.hpp"
#include "core/spectrum/spectral_bound.hpp"

namespace linden::detail {

/// The parameters of Amg with what the matrix decides.
struct AmgPlan {
    double threshold = 0;
    TransferRule transfer;
    size_type coarse_rows = 0;
    size_type max_levels = 0;
    AmgStorage storage = AmgStorage::automatic;
};

/// A level: its matrix A, the transfers to the next one, whose matrix is R A P, and what the cycle reads. Values have a
/// symbolic phase before them, in which the constructor and `coarsen` wait; `update` repeats them alone.
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
        Array<I> is_mixed(exec(), rows() + 1);
        measure(is_hermitian_ ? is_mixed.data() : nullptr);
        if (is_hermitian_ && make_row_ptrs(is_mixed, "rows of mixed signs") * 4 > rows()) {
            find_bound();
        }
        scale();
    }

    /// The transfers, and the next level's matrix; none if there would be no fewer rows than `most_kept` of these.
    std::optional<Csr<V, I>> coarsen(const AmgPlan& plan, double most_kept)
    {
        auto pattern = strong_pattern(a_, plan.threshold, is_hermitian_, largest_, sums_);
        const auto roots = find_roots(a_, pattern.view());
        tentative_.emplace(tentative_prolongator<V>(exec(), roots));
        const auto num_coarse = tentative_->size().cols;
        if (num_coarse == 0 || static_cast<double>(num_coarse) > most_kept * static_cast<double>(rows())) {
            return std::nullopt;
        }
        strong_.emplace(matrix_of<V>(std::move(pattern)));
        strong_sums_.emplace(exec(), rows());
        filter();
        const TransferRule rule{plan.transfer.prolongator_damping / bound_, plan.transfer.damping / bound_,
                                plan.transfer.truncation};
        right_.emplace(rule, *strong_, *tentative_);
        compute_product(*right_, a_, *strong_);
        if (!is_hermitian_) {
            adjoint_.emplace(updatable_conjugate_transpose(a_));
            strong_adjoint_.emplace(updatable_conjugate_transpose(*strong_));
            left_.emplace(rule, strong_adjoint_->result, *tentative_);
            compute_product(*left_, adjoint_->result, strong_adjoint_->result);
        }
        galerkin_restriction_.emplace(updatable_conjugate_transpose(left().prolongator()));
        galerkin_plan_.emplace(galerkin_restriction_->result, right_->product());
        auto next = galerkin_plan_->result();
        galerkin_plan_->compute(galerkin_restriction_->result, right_->product(), next);
        smooth();
        restriction_.emplace(updatable_conjugate_transpose(left().smoothed()));
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
        filter();
        compute_product(*right_, a_, *strong_);
        if (!is_hermitian_) {
            adjoint_->update(a_);
            strong_adjoint_->update(*strong_);
            compute_product(*left_, adjoint_->result, strong_adjoint_->result);
        }
        galerkin_restriction_->update(left().prolongator());
        galerkin_plan_->compute(galerkin_restriction_->result, right_->product(), *next);
        smooth();
        restriction_->update(left().smoothed());
    }

    /// What the cycle reads, where this is not the coarsest level. Waits.
    void make_slices(AmgStorage storage, const AmgLevel& next)
    {
        const auto precision = first_choice(storage);
        stored_a_.emplace(exec(), a_.view(), layout(rows()), precision);
        stored_p_.emplace(exec(), right_->smoothed().view(), layout(rows()), precision);
        stored_r_.emplace(exec(), restriction_->result.view(), layout(0), precision);
        StoredMatrix<V, I>::narrow({&*stored_a_, &*stored_p_});
        StoredMatrix<V, I>::narrow({&*stored_r_});
        if (precision == StoragePrecision::half && storage == AmgStorage::automatic) {
            const bool is_beyond = stored_a_->fill_and_look(scaled_matrix()) ||
                                   stored_p_->fill_and_look(scaled_prolongator(next)) ||
                                   stored_r_->fill_and_look(scaled_restriction(next));
            if (!is_beyond) {
                return;
            }
            for (auto* const stored : {&*stored_a_, &*stored_p_, &*stored_r_}) {
                stored->set_storage(StoragePrecision::same);
            }
        }
        fill_slices(next);
    }
    void fill_slices(const AmgLevel& next)
    {
        stored_a_->fill(scaled_matrix());
        stored_p_->fill(scaled_prolongator(next));
        stored_r_->fill(scaled_restriction(next));
    }
    /// For a level without another one below: its matrix alone. Waits.
    void make_smoother(AmgStorage storage)
    {
        const auto precision = first_choice(storage);
        tentative_.emplace(exec(), Dim{rows(), 0});
        stored_a_.emplace(exec(), a_.view(), layout(rows()), precision);
        stored_p_.emplace(exec(), tentative_->view(), layout(rows()), precision);
        StoredMatrix<V, I>::narrow({&*stored_a_, &*stored_p_});
        if (stored_a_->fill_and_look(scaled_matrix()) && storage == AmgStorage::automatic) {
            stored_a_->set_storage(StoragePrecision::same);
            stored_p_->set_storage(StoragePrecision::same);
            fill_smoother();
        }
    }
    void fill_smoother() { stored_a_->fill(scaled_matrix()); }

    const Executor& exec() const { return a_.executor(); }
    size_type rows() const { return a_.size().rows; }
    const Csr<V, I>& matrix() const { return a_; }
    Csr<V, I>& matrix() { return a_; }
    const Array<R>& scales() const { return scales_; }
    /// S A S, S = diag(scales).
    ScaledView<V, I> scaled_matrix() const { return {a_.view(), scales_.data(), scales_.data()}; }
    const StoredMatrix<V, I>& stored_matrix() const { return *stored_a_; }
    const StoredMatrix<V, I>& stored_prolongator() const { return *stored_p_; }
    const StoredMatrix<V, I>& stored_restriction() const { return *stored_r_; }
    AmgLevelReport report() const
    {
        AmgLevelReport result{rows(), a_.num_nonzeros(), 0, 0, StoragePrecision::same, 0};
        if (stored_a_) {
            result.prolongator_nonzeros = stored_p_->num_nonzeros();
            result.storage_bytes = stored_a_->bytes() + stored_p_->bytes() + (stored_r_ ? stored_r_->bytes() : 0);
            result.storage = stored_a_->storage();
            result.index_bits = stored_a_->index_bits();
        }
        return result;
    }

private:
    void measure(I* is_mixed) { aggregation_measure<V, I>(exec(), a_.view(), largest_.data(), sums_.data(), is_mixed); }
    void scale() { multigrid_scales<R>(exec(), rows(), sums_.data(), bound_, scales_.data(), inverse_scales_.data()); }
    /// Where signs are mixed, the spectrum of D^-1 A stays far below 1. Few Lanczos steps do not miss an eigenvalue
    /// that is larger than the others by more than the sweeps allow for.
    void find_bound()
    {
        constexpr size_type num_steps = 12;
        constexpr double safety = 1.1;
        Array<V> inverse_sums(exec(), rows());
        multigrid_invert_sums<V>(exec(), rows(), sums_.data(), inverse_sums.data());
        const double found = safety * largest_ritz_value<V>(a_, inverse_sums, num_steps);
        bound_ = found > 0.1 && found < 1 ? found : 1;
    }
    void filter()
    {
        multigrid_filter<V, I>(exec(), a_.view(), strong_->view(), strong_->values(), strong_sums_->data());
    }
    void compute_product(Transfer<V, I>& transfer, const Csr<V, I>& a, const Csr<V, I>& strong)
    {
        transfer.compute_prolongator(strong, *strong_sums_, *tentative_);
        transfer.compute_product(a);
    }
    void smooth()
    {
        right_->compute_smoothed(sums_);
        if (left_) {
            left_->compute_smoothed(sums_);
        }
    }
    /// The transfer whose adjoint restricts.
    const Transfer<V, I>& left() const { return left_ ? *left_ : *right_; }

    ScaledView<V, I> scaled_prolongator(const AmgLevel& next) const
    {
        return {right_->smoothed().view(), inverse_scales_.data(), next.scales_.data()};
    }
    ScaledView<V, I> scaled_restriction(const AmgLevel& next) const
    {
        return {restriction_->result.view(), next.scales_.data(), inverse_scales_.data()};
    }

    /// Slices keep a device busy from so many rows on; those of restrictions are long. Hosts work on slices as vectors.
    Layout layout(size_type num_rows) const
    {
        constexpr size_type most_rows = size_type{1} << 18;
        return exec().state().is_host() || num_rows > most_rows ? Layout::slices : Layout::rows;
    }

    static StoragePrecision first_choice(AmgStorage storage)
    {
        const bool is_half =
            !is_complex<V> && sizeof(I) == 4 && storage != AmgStorage::single && storage != AmgStorage::same;
        return is_half ? StoragePrecision::half : StoragePrecision::same;
    }

    Csr<V, I> a_;
    Array<R> largest_, sums_, scales_, inverse_scales_;
    bool is_hermitian_;
    double bound_ = 1;  ///< of the eigenvalues of D^-1 A, D the sums of rows
    std::optional<Csr<V, I>> strong_, tentative_;
    std::optional<Array<R>> strong_sums_;
    std::optional<Rearrangement<V, I>> adjoint_, strong_adjoint_;  ///< of nonsymmetric matrices
    std::optional<Transfer<V, I>> right_, left_;                   ///< `left_` of nonsymmetric matrices
    std::optional<Rearrangement<V, I>> galerkin_restriction_, restriction_;
    std::optional<MultiplyPlan<V, I>> galerkin_plan_;
    std::optional<StoredMatrix<V, I>> stored_a_, stored_p_, stored_r_;
};

}  // namespace linden::detail
