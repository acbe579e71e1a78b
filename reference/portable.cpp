#include "core/portable/host_kernels.hpp"
#include "core/portable/kernels.hpp"
#include "core/portable/lanes.hpp"

namespace linden::reference {
namespace {

template <class Body, class... Args>
void run_body(const Executor&, Args... args)
{
    const Body body{args...};
    for (size_type i = 0; i < body.size(); ++i) {
        do_item(body, i);
    }
}

}  // namespace

void register_portable()
{
    const auto bind = []<class Kernel, class Body>(Kernel& kernel, BodyOf<Body>) {
        kernel.bind(Backend::reference, run_body<Body>);
    };
    for_each_portable_kernel(bind);
    for_each_host_kernel(bind);
}

}  // namespace linden::reference
