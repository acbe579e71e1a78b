#include "core/portable/kernels.hpp"
#include "gpu/vector/elements.cuh"

namespace linden::LINDEN_GPU_NAMESPACE {
namespace {

/// The body as kernels see it, with complex numbers of devices.
template <class Body>
struct DeviceBody {
    using type = Body;
};
template <template <class...> class Body, class... T>
struct DeviceBody<Body<T...>> {
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
void run_body(const Executor& exec, Args... args)
{
    using Device = typename DeviceBody<Body>::type;
    const Device body{device_argument(args)...};
    map_elements(exec, body.size(), 1, Item<Device>{{}, body});
}

}  // namespace

void register_portable()
{
    for_each_portable_kernel(
        []<class Kernel, class Body>(Kernel& kernel, BodyOf<Body>) { kernel.bind(this_backend, run_body<Body>); });
}

}  // namespace linden::LINDEN_GPU_NAMESPACE
