#pragma once

#include <linden/matrix/multiply.hpp>
#include <linden/matrix/operations.hpp>

#include <optional>

#include "core/kernels/multigrid.hpp"
#include "core/matrix/make_pattern.hpp"
#include "core/matrix/result_plan.hpp"

namespace linden::detail {

/// How far transfers are smoothed.
struct TransferRule {
    double prolongator_damping = 0;  ///< of P
    double damping = 0;              ///< of P~
    double truncation = 0;           ///< entries of P~ below that share of their row's largest are dropped
};

/// The prolongators of a level: P of the Galerkin product, and P~, which has a step of smoothing in it for the cycle in
/// additive form,
///     P  = T - prolongator_damping D_F^-1 A_F T,
///     P~ = P - damping D^-1 A P,   without small entries,
/// where D and D_F are diagonal and have the sums of magnitudes of the rows of A and of A_F, its strong entries.
/// [VanekMandelBrezina96], [VassilevskiYang14]  The restrictions of a nonsymmetric matrix are the adjoints of the same
/// for A^H.
template <class V, class I>
class Transfer {
public:
    using Sums = Array<real_t<V>>;

    /// The pattern of P. Waits.
    Transfer(const TransferRule& rule, const Csr<V, I>& strong, const Csr<V, I>& tentative)
        : rule_(rule),
          p_plan_(strong, tentative),
          p_(p_plan_.result())
    {
    }

    /// P's values.
    void compute_prolongator(const Csr<V, I>& strong, const Sums& strong_sums, const Csr<V, I>& tentative)
    {
        p_plan_.compute(strong, tentative, p_);
        multigrid_subtract<V, I>(p_.executor(), tentative.view(), p_.view(), rule_.prolongator_damping,
                                 strong_sums.data(), p_.values());
    }
    /// A P. Waits the first time.
    void compute_product(const Csr<V, I>& a)
    {
        if (!product_plan_) {
            product_plan_.emplace(a, p_);
            product_.emplace(product_plan_->result());
        }
        product_plan_->compute(a, p_, *product_);
    }
    /// P~, in the place of A P. Waits the first time.
    void compute_smoothed(const Sums& sums)
    {
        const auto& exec = p_.executor();
        multigrid_subtract<V, I>(exec, p_.view(), product_->view(), rule_.damping, sums.data(), product_->values());
        if (!smoothed_) {
            smoothed_.emplace(matrix_of<V>(make_plain_pattern<I>(
                exec, p_.size(), "the prolongator",
                [&](I* counts) { multigrid_count_large<V, I>(exec, product_->view(), rule_.truncation, counts); },
                [&](Pattern<I>& kept) {
                    multigrid_take_large<V, I>(exec, product_->view(), rule_.truncation, kept.row_ptrs.data(),
                                               kept.col_idxs.data());
                })));
        }
        multigrid_truncate<V, I>(exec, product_->view(), smoothed_->view(), smoothed_->values());
    }

    const Csr<V, I>& prolongator() const { return p_; }
    const Csr<V, I>& product() const { return *product_; }
    const Csr<V, I>& smoothed() const { return *smoothed_; }

private:
    TransferRule rule_;
    MultiplyPlan<V, I> p_plan_;
    Csr<V, I> p_;
    std::optional<MultiplyPlan<V, I>> product_plan_;
    std::optional<Csr<V, I>> product_;
    std::optional<Csr<V, I>> smoothed_;
};

}  // namespace linden::detail
