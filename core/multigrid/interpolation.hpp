#pragma once

#include <linden/matrix/csr.hpp>

#include <utility>

#include "core/kernels/coarsening.hpp"
#include "core/kernels/multigrid.hpp"
#include "core/matrix/product.hpp"
#include "core/matrix/result_plan.hpp"
#include "core/multigrid/aggregates.hpp"

/// How the prolongator P of a level comes from its matrix A.
namespace linden::detail {

template <class V, class I>
class Interpolation {
public:
    virtual ~Interpolation() = default;
    virtual const Csr<V, I>& prolongator() const = 0;
    /// P for new values of A on the same pattern. Neither allocates nor waits.
    virtual void update(const Csr<V, I>& a) = 0;
};

/// P = T, whatever A is.
template <class V, class I>
class TentativeInterpolation final : public Interpolation<V, I> {
public:
    explicit TentativeInterpolation(const Csr<V, I>& tentative) : tentative_(tentative) {}
    const Csr<V, I>& prolongator() const override { return tentative_; }
    void update(const Csr<V, I>&) override {}

private:
    const Csr<V, I>& tentative_;
};

/// P = T - damping D^-1 A T, D = diag(|a_ii|), for near-null spaces that are not the constants: all of A is there.
template <class V, class I>
class SmoothedInterpolation final : public Interpolation<V, I> {
public:
    /// Waits. `tentative` stays with the caller.
    SmoothedInterpolation(const Csr<V, I>& a, const Csr<V, I>& tentative, double damping)
        : tentative_(tentative),
          damping_(damping),
          sizes_(a.executor(), a.size().rows),
          product_(a, tentative)
    {
        smooth(a);
    }

    const Csr<V, I>& prolongator() const override { return product_.result(); }
    void update(const Csr<V, I>& a) override
    {
        product_.compute(a, tentative_);
        smooth(a);
    }

private:
    void smooth(const Csr<V, I>& a)
    {
        const auto& exec = a.executor();
        auto& p = product_.result();
        coarsening_diagonal_sizes<V, I>(exec, a.view(), sizes_.data());
        multigrid_subtract<V, I>(exec, tentative_.view(), p.view(), damping_, sizes_.data(), p.values());
    }

    const Csr<V, I>& tentative_;
    double damping_;
    Array<real_t<V>> sizes_;
    Product<V, I> product_;  ///< A T, then P
};

/// P = T - damping D_F^-1 A_F T with the strong entries A_F of A, whose rows have the sums of those of A, and D_F, the
/// sums of magnitudes of its rows. T has the indicators of the aggregates.
template <class V, class I>
class FilteredInterpolation final : public Interpolation<V, I> {
public:
    /// Waits. `aggregates` stay with the caller.
    FilteredInterpolation(const Csr<V, I>& a, Pattern<I> strong, const Aggregates<I>& aggregates, double damping)
        : aggregates_(aggregates),
          damping_(damping),
          strong_(matrix_of<V>(std::move(strong))),
          sums_(a.executor(), a.size().rows),
          p_(a.executor(), Dim{})
    {
        const auto& exec = a.executor();
        filter(a);
        p_ = matrix_of<V>(make_plain_pattern<I>(
            exec, {a.size().rows, aggregates.count}, "the prolongator",
            [&](I* counts) { multigrid_count_prolongator<I>(exec, strong_.view(), aggregates.of_rows.data(), counts); },
            [&](Pattern<I>& p) {
                Array<V> values(exec, p.col_idxs.size());
                multigrid_prolongator<V, I>(exec, strong_.view(), rule(), p.row_ptrs.data(), p.col_idxs.data(),
                                            values.data());
            }));
        smooth();
    }

    const Csr<V, I>& prolongator() const override { return p_; }
    void update(const Csr<V, I>& a) override
    {
        filter(a);
        smooth();
    }

private:
    void filter(const Csr<V, I>& a)
    {
        multigrid_filter<V, I>(a.executor(), a.view(), strong_.view(), strong_.values(), sums_.data());
    }
    SmoothedAggregates<V, I> rule() const { return {aggregates_.of_rows.data(), sums_.data(), damping_}; }
    void smooth()
    {
        multigrid_prolongator<V, I>(p_.executor(), strong_.view(), rule(), p_.view().row_ptrs, nullptr, p_.values());
    }

    const Aggregates<I>& aggregates_;
    double damping_;
    Csr<V, I> strong_;
    Array<real_t<V>> sums_;
    Csr<V, I> p_;
};

}  // namespace linden::detail
