#include "core/kernels/format_kernels.hpp"

#include <bit>

#include "gpu/elements.cuh"

namespace linden::LINDEN_GPU_NAMESPACE {
namespace {

/// The pieces and their arguments as kernels see them, with complex numbers of devices.
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
void for_items(const Executor& exec, Args... args)
{
    using Items = typename OnDevice<Body>::type;
    const Items items{device_argument(args)...};
    map_elements(exec, items.size(), 1, Item<Items>{{}, items});
}

}  // namespace

void register_formats()
{
    for_each_format_kernel(
        []<class Kernel, class Body>(Kernel& kernel, ItemsOf<Body>) { kernel.bind(this_backend, for_items<Body>); });
}

}  // namespace linden::LINDEN_GPU_NAMESPACE
