#include "core/portable/host_kernels.hpp"
#include "core/portable/kernels.hpp"
#include "core/portable/lanes.hpp"
#include "omp/parallel.hpp"

namespace linden::omp {
namespace {

template <class Body, class... Args>
void run_body(const Executor& exec, Args... args)
{
    const Body body{args...};
    parallel_rows(exec, body.size(), [&](size_type begin, size_type end) {
        const Body own = body;  // whose members no store can reach, so that they stay in registers
        for (size_type i = begin; i < end; ++i) {
            do_item(own, i);
        }
    });
}

}  // namespace

void register_portable()
{
    const auto bind = []<class Kernel, class Body>(Kernel& kernel, BodyOf<Body>) {
        if (!kernel.available(Backend::omp)) {  // else this folder has one of its own
            kernel.bind(Backend::omp, run_body<Body>);
        }
    };
    for_each_portable_kernel(bind);
    for_each_host_kernel(bind);
}

}  // namespace linden::omp
