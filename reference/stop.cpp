#include "core/kernels/stop.hpp"

#include "core/base/host_clock.hpp"

namespace linden::reference {
namespace {

template <class R>
void initialize(const Executor&, StopRule rule, const R* b_norms, const R* r_norms, StopView<R> s)
{
    initialize_stop(rule, b_norms, r_norms, s, host_clock_ns(s));
}

template <class R>
void resume(const Executor&, const R* r_norms, bool after_breakdown, StopView<R> s)
{
    resume_stop(r_norms, after_breakdown, s);
}

template <class R>
void check(const Executor&, const R* r_norms, StopView<R> s)
{
    end_iteration(s, host_clock_ns(s), [&](size_type col) { return r_norms[col]; });
}

}  // namespace

void register_stop()
{
    for_each_real([]<class R>() {
        stop_initialize<R>.bind(Backend::reference, initialize<R>);
        stop_resume<R>.bind(Backend::reference, resume<R>);
        stop_check<R>.bind(Backend::reference, check<R>);
    });
}

}  // namespace linden::reference
