#include "core/portable/all.hpp"
#include "gpu/vector/elements.cuh"

namespace linden::LINDEN_GPU_NAMESPACE {
namespace {

/// The pieces as kernels see them, with complex numbers of devices.
template <class Body>
struct DeviceItems {
    using type = Body;
};
template <template <class...> class Body, class... T>
struct DeviceItems<Body<T...>> {
    using type = Body<device_type<T>...>;
};

template <class Body>
struct Item : NothingToPrepare {
    Body body;

    __device__ void operator()(Place<1> at, Nothing) const { body(at.row); }
};

template <class T>
auto device_argument(T argument)
{
    if constexpr (std::is_pointer_v<T>) {
        return as_device(argument);
    } else {
        return argument;
    }
}

template <class Body, class... Args>
void for_items(const Executor& exec, Args... args)
{
    using Items = typename DeviceItems<Body>::type;
    const Items items{device_argument(args)...};
    map_elements(exec, items.size(), 1, Item<Items>{{}, items});
}

}  // namespace

void register_portable()
{
    for_each_format_kernel(
        []<class Kernel, class Body>(Kernel& kernel, ItemsOf<Body>) { kernel.bind(this_backend, for_items<Body>); });
}

}  // namespace linden::LINDEN_GPU_NAMESPACE
