#pragma once

#include <bit>

#include "core/portable/body.hpp"
#include "gpu/vector/row_groups.cuh"

/// How devices run the bodies of portable kernels.
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__) || defined(LINDEN_HIP_PLATFORM_HOST)
#define LINDEN_RUNS_ON_DEVICE 1
#else
#define LINDEN_RUNS_ON_DEVICE 0
#endif

namespace linden::LINDEN_GPU_NAMESPACE {

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
/// Of a body that has a rule, see core/portable/chosen_entries.hpp.
template <template <class, class, template <class, class, class> class, class> class Struct, class V, class I,
          template <class, class, class> class Rule, class Options>
struct OnDevice<Struct<V, I, Rule, Options>> {
    using type = Struct<device_type<V>, I, Rule, Options>;
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

/// What a body for hosts and devices sees of a subgroup; for hosts it is never run.
template <class Group>
struct RowLanes {
    static constexpr int size = Group::size;

    LINDEN_HOST_DEVICE static int lane()
    {
#if LINDEN_RUNS_ON_DEVICE
        return Group::lane();
#else
        return 0;
#endif
    }
    LINDEN_HOST_DEVICE static void sync()
    {
#if LINDEN_RUNS_ON_DEVICE
        Group::sync();
#endif
    }
    LINDEN_HOST_DEVICE static bool any(bool predicate)
    {
#if LINDEN_RUNS_ON_DEVICE
        return Group::any(predicate);
#else
        return predicate;
#endif
    }
    template <class T>
    LINDEN_HOST_DEVICE static T sum(T value)
    {
#if LINDEN_RUNS_ON_DEVICE
        return Group::sum(value);
#else
        return value;
#endif
    }
    template <class T>
    LINDEN_HOST_DEVICE static T max(T value)
    {
#if LINDEN_RUNS_ON_DEVICE
        return Group::reduce(value, Max{});
#else
        return value;
#endif
    }
    template <class T>
    LINDEN_HOST_DEVICE static T of_lane(T value, [[maybe_unused]] int lane)
    {
#if LINDEN_RUNS_ON_DEVICE
        return Group::shuffle(value, lane);
#else
        return value;
#endif
    }
    LINDEN_HOST_DEVICE static int rank(bool is_chosen, [[maybe_unused]] int& count)
    {
#if LINDEN_RUNS_ON_DEVICE
        const LaneMask chosen = Group::ballot(is_chosen);
        count = popcount(chosen);
        return popcount(chosen & ((LaneMask{1} << Group::lane()) - 1));
#else
        return is_chosen ? 1 : 0;
#endif
    }
};

/// What a body says of its rows goes on.
template <class Body>
struct RowHabits {
};
template <class Body>
requires(Body::is_often_idle) struct RowHabits<Body> {
    static constexpr bool is_often_idle = true;
};

template <class Body>
struct Row : RowHabits<Body> {
    Body body;

    template <class Group>
    __device__ void operator()(Group, size_type row) const
    {
        body(RowLanes<Group>(), row);
    }
    __device__ size_type length(size_type row) const { return body.length(row); }
};

template <class Body, class... Args>
void run_body(const Executor& exec, Args... args)
{
    using Device = typename OnDevice<Body>::type;
    const Device body{device_argument(args)...};
    if constexpr (requires { body.length(size_type{}); }) {
        map_rows_by_length(exec, body.size(), body.num_entries(), Row<Device>{{}, body});
    } else if constexpr (requires { body.num_entries(); }) {
        map_rows(exec, body.size(), body.num_entries(), Row<Device>{{}, body});
    } else {
        map_elements(exec, body.size(), 1, Item<Device>{{}, body});
    }
}

}  // namespace linden::LINDEN_GPU_NAMESPACE
