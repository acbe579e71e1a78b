#include "core/portable/kernels.hpp"

#include <bit>

#include "gpu/vector/elements.cuh"

namespace linden::LINDEN_GPU_NAMESPACE {
namespace {

/// Bodies and their arguments as kernels see them, with complex numbers of devices.
template <class T>
struct OnDevice {
    using type = T;
};
template <class T>
struct OnDevice<T*> {
    using type = device_type<T>*;
};
template <template <class...> class Struct, class... T>
struct OnDevice<Struct<T...>> {
    using type = Struct<device_type<T>...>;
};

template <class Body>
struct Item : NothingToPrepare {
    Body body;

    __device__ void operator()(Place<1> at, Nothing) const { body(at.row); }
};

/// The same bits: structs have pointers to values, not values, whose alignment differs.
template <class T>
auto device_argument(T argument)
{
    using Argument = typename OnDevice<T>::type;
    static_assert(alignof(Argument) == alignof(T));
    return std::bit_cast<Argument>(argument);
}

template <class Body, class... Args>
void run_body(const Executor& exec, Args... args)
{
    using Device = typename OnDevice<Body>::type;
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
