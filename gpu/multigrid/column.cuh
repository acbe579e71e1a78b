#pragma once

#include "gpu/vector/elements.cuh"

/// Vectors as the kernels of the cycle see them.
namespace linden::LINDEN_GPU_NAMESPACE {

/// One contiguous column, without what places in other blocks cost.
template <class T>
struct Column {
    T* values;

    __host__ __device__ explicit Column(DenseView<T> x) : values(x.values) {}
    template <class I>
    __device__ T& operator()(I row, size_type) const
    {
        return values[row];
    }
};

template <class... T>
bool are_columns(DenseView<T>... x)
{
    return ((x.cols == 1 && x.is_contiguous()) && ...);
}

/// Calls `f.operator()<Vector>()` for vectors seen as `Vector`.
template <class F>
void with_vectors(bool are_columns, const F& f)
{
    if (are_columns) {
        f.template operator()<Column>();
    } else {
        f.template operator()<DenseView>();
    }
}

}  // namespace linden::LINDEN_GPU_NAMESPACE
