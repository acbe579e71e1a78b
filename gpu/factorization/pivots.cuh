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

}  // namespace linden::LINDEN_GPU_NAMESPACE
