#include "core/portable/all.hpp"

namespace linden::reference {
namespace {

template <class Body, class... Args>
void for_items(const Executor&, Args... args)
{
    const Body body{args...};
    for (size_type i = 0; i < body.size(); ++i) {
        body(i);
    }
}

}  // namespace

void register_portable()
{
    for_each_format_kernel([]<class Kernel, class Body>(Kernel& kernel, ItemsOf<Body>) {
        kernel.bind(Backend::reference, for_items<Body>);
    });
}

}  // namespace linden::reference
