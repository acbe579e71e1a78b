#pragma once

#include "core/base/host_clock.hpp"
#include "core/kernels/stop.hpp"
#include "core/portable/body.hpp"

/// Each body is one item: the rule has a few numbers per column, nothing to spread over threads.
namespace linden {

template <class R>
struct InitializeStop {
    StopRule rule;
    const R* b_norms;
    const R* r_norms;
    StopView<R> stop;

    size_type size() const { return 1; }
    void operator()(size_type) const { initialize_stop(rule, b_norms, r_norms, stop, host_clock_ns(stop)); }
};

template <class R>
struct ResumeStop {
    const R* r_norms;
    bool after_breakdown;
    StopView<R> stop;

    size_type size() const { return 1; }
    void operator()(size_type) const { resume_stop(r_norms, after_breakdown, stop); }
};

template <class R>
struct CheckResiduals {
    const R* r_norms;
    StopView<R> stop;

    size_type size() const { return 1; }
    void operator()(size_type) const
    {
        end_iteration(stop, host_clock_ns(stop), [&](size_type col) { return r_norms[col]; });
    }
};

/// Of hosts alone; devices have a clock of their own.
template <class F>
void for_each_host_stop(const F& f)
{
    for_each_real([&]<class R>() {
        f(stop_initialize<R>, BodyOf<InitializeStop<R>>());
        f(stop_resume<R>, BodyOf<ResumeStop<R>>());
        f(stop_check<R>, BodyOf<CheckResiduals<R>>());
    });
}

}  // namespace linden
