#pragma once

#include "gpu/device.cuh"

namespace linden::LINDEN_GPU_NAMESPACE {

/// The first of sorted[begin], ..., sorted[end - 1] that is not less than `value`.
template <class I>
__device__ inline I lower_bound(const I* sorted, I begin, I end, I value)
{
    while (begin < end) {
        const I middle = begin + (end - begin) / 2;
        if (sorted[middle] < value) {
            begin = middle + 1;
        } else {
            end = middle;
        }
    }
    return begin;
}

}  // namespace linden::LINDEN_GPU_NAMESPACE
