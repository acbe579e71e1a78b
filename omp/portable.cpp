#include "core/portable/all.hpp"
#include "omp/parallel.hpp"

namespace linden::omp {
namespace {

template <class Body, class... Args>
void for_items(const Executor& exec, Args... args)
{
    const Body body{args...};
    parallel_rows(exec, body.size(), [&](size_type begin, size_type end) {
        for (size_type i = begin; i < end; ++i) {
            body(i);
        }
    });
}

}  // namespace

void register_portable()
{
    for_each_format_kernel(
        []<class Kernel, class Body>(Kernel& kernel, ItemsOf<Body>) { kernel.bind(Backend::omp, for_items<Body>); });
}

}  // namespace linden::omp
