#include "core/kernels/stop.hpp"

#include "gpu/runtime/launch.hpp"
#include "gpu/vector/column_stop.cuh"

namespace linden::LINDEN_GPU_NAMESPACE {
namespace {

template <class R>
__global__ void initialize_kernel(StopRule rule, const R* b_norms, const R* r_norms, StopView<R> s)
{
    initialize_stop(rule, b_norms, r_norms, s, time_of(s));
}

template <class R>
__global__ void resume_kernel(const R* r_norms, bool after_breakdown, StopView<R> s)
{
    resume_stop(r_norms, after_breakdown, s);
}

template <class R>
__global__ void check_kernel(const R* r_norms, StopView<R> s)
{
    if (s.header->running != 0) {
        end_iteration(s, time_of(s), [&](size_type col) { return r_norms[col]; });
    }
}

template <class R>
void initialize(const Executor& exec, StopRule rule, const R* b_norms, const R* r_norms, StopView<R> s)
{
    launch_on(exec, initialize_kernel<R>, 1, 1, 0, rule, b_norms, r_norms, s);
}

template <class R>
void resume(const Executor& exec, const R* r_norms, bool after_breakdown, StopView<R> s)
{
    launch_on(exec, resume_kernel<R>, 1, 1, 0, r_norms, after_breakdown, s);
}

template <class R>
void check_residuals(const Executor& exec, const R* r_norms, StopView<R> s)
{
    launch_on(exec, check_kernel<R>, 1, 1, 0, r_norms, s);
}

}  // namespace

void register_stop()
{
    for_each_real([]<class R>() {
        stop_initialize<R>.bind(this_backend, initialize<R>);
        stop_resume<R>.bind(this_backend, resume<R>);
        stop_check<R>.bind(this_backend, check_residuals<R>);
    });
}

}  // namespace linden::LINDEN_GPU_NAMESPACE
