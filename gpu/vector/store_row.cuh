#pragma once

#include "gpu/vector/elements.cuh"

namespace linden::LINDEN_GPU_NAMESPACE {

/// alpha and beta of one column of x := alpha A b + beta x.
template <class V>
struct Factors {
    V alpha, beta;

    /// With beta = 0 the old value is not read.
    __device__ void store(V product, V& target) const
    {
        target = beta == V{} ? alpha * product : alpha * product + beta * target;
    }
};

/// x(row, col) := beta x(row, col) + alpha sum
template <class V>
struct StoreRow {
    Scalar<V> alpha, beta;
    DenseView<V> x;

    __device__ Factors<V> prepare(size_type col) const { return {alpha[col], beta[col]}; }
    __device__ void operator()(size_type row, size_type col, V sum) const { prepare(col).store(sum, x(row, col)); }
};

}  // namespace linden::LINDEN_GPU_NAMESPACE
