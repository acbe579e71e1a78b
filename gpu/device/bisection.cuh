#pragma once

#include "gpu/device/device.cuh"

namespace linden::LINDEN_GPU_NAMESPACE {

/// The first k in [begin, end) with sorted[k] >= value, `end` if there is none.
template <class I, class K>
__device__ inline K lower_bound(const I* sorted, std::type_identity_t<K> begin, K end, std::type_identity_t<K> value)
{
    while (begin < end) {
        const K middle = begin + (end - begin) / 2;
        if (sorted[middle] < value) {
            begin = middle + 1;
        } else {
            end = middle;
        }
    }
    return begin;
}

}  // namespace linden::LINDEN_GPU_NAMESPACE
