#pragma once

#include <linden/matrix/multiply.hpp>

#include <optional>
#include <utility>

#include "core/kernels/coarsening.hpp"
#include "core/kernels/multigrid.hpp"
#include "core/matrix/result_plan.hpp"

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
          plan_(a, tentative),
          p_(plan_.result())
    {
        update(a);
    }

    const Csr<V, I>& prolongator() const override { return p_; }
    void update(const Csr<V, I>& a) override
    {
        const auto& exec = a.executor();
        coarsening_diagonal_sizes<V, I>(exec, a.view(), sizes_.data());
        plan_.compute(a, tentative_, p_);
        multigrid_subtract<V, I>(exec, tentative_.view(), p_.view(), damping_, sizes_.data(), p_.values());
    }

private:
    const Csr<V, I>& tentative_;
    double damping_;
    Array<real_t<V>> sizes_;
    MultiplyPlan<V, I> plan_;
    Csr<V, I> p_;
};

/// P = T - damping D_F^-1 A_F T with the strong entries A_F of A, whose rows have the sums of those of A, and D_F, the
/// sums of magnitudes of its rows.
template <class V, class I>
class FilteredInterpolation final : public Interpolation<V, I> {
public:
    /// Waits. `tentative` stays with the caller.
    FilteredInterpolation(const Csr<V, I>& a, Pattern<I> strong, const Csr<V, I>& tentative, double damping)
        : tentative_(tentative),
          damping_(damping),
          strong_(matrix_of<V>(std::move(strong))),
          sums_(a.executor(), a.size().rows),
          plan_(strong_, tentative),
          p_(plan_.result())
    {
        update(a);
    }

    const Csr<V, I>& prolongator() const override { return p_; }
    void update(const Csr<V, I>& a) override
    {
        const auto& exec = a.executor();
        multigrid_filter<V, I>(exec, a.view(), strong_.view(), strong_.values(), sums_.data());
        plan_.compute(strong_, tentative_, p_);
        multigrid_subtract<V, I>(exec, tentative_.view(), p_.view(), damping_, sums_.data(), p_.values());
    }

private:
    const Csr<V, I>& tentative_;
    double damping_;
    Csr<V, I> strong_;
    Array<real_t<V>> sums_;
    MultiplyPlan<V, I> plan_;
    Csr<V, I> p_;
};

}  // namespace linden::detail
