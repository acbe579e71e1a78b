#pragma once

#include "core/kernels/ilu.hpp"
#include "gpu/vector/elements.cuh"

/// What factorizations on devices do about bad pivots, as those on hosts do by core/portable/pivots.hpp.
namespace linden::LINDEN_GPU_NAMESPACE {

namespace detail {

template <class Report>
__global__ void clear_report_kernel(Report* report)
{
    *report = Report{};
}

}  // namespace detail

inline void clear_report(const Executor& exec, PivotReport* report)
{
    launch_on(exec, detail::clear_report_kernel<PivotReport>, 1, 1, 0, report);
}

/// What stands in for a bad pivot of a row with this norm.
template <class R>
__device__ inline R pivot_for_norm(R norm)
{
    return norm > R{} && is_finite(norm) ? norm : R{1};
}

__device__ inline void add_bad_pivot(PivotReport* report, size_type row)
{
    atomic_add(&report->num_bad, 1);
    atomic_min(&report->first_row, row);
}

/// What of a pivot is compared.
template <class V>
__device__ inline device_real<V> pivot_size(V pivot, const PivotLimits<device_real<V>>& limits)
{
    return limits.is_definite ? real(pivot) : abs(pivot);
}

/// The pivot d, whose size is that of its real part or its magnitude, or what stands in for it. may_be_small: by
/// limits.small.
template <class V>
__device__ inline V checked_pivot(V d, device_real<V> size, const PivotLimits<device_real<V>>& limits, size_type row,
                                  bool may_be_small, PivotReport* report)
{
    using R = device_real<V>;
    const R least = may_be_small || limits.least > limits.small ? limits.least : limits.small;
    if (size > least * limits.norms[row] && is_finite(size)) {
        return d;
    }
    add_bad_pivot(report, row);
    const R instead = limits.stand_in * pivot_for_norm(limits.norms[row]);
    const R magnitude_of_d = abs(d);
    return limits.keeps_sign && size > R{} && is_finite(size) ? d * (instead / magnitude_of_d) : V{instead};
}

}  // namespace linden::LINDEN_GPU_NAMESPACE
