#pragma once

#include "core/kernels/gmres.hpp"
#include "core/portable/stored_basis.hpp"
#include "gpu/vector/columns.cuh"

/// What the kernels of GMRES share: the basis, and scalars in shared memory.
namespace linden::LINDEN_GPU_NAMESPACE {

inline constexpr int scalar_threads = 128;
/// Scalars of one column up to this size are worked on in shared memory.
inline constexpr size_type max_staged_bytes = 40 * 1024;

template <class S>
BasisView<device_type<S>> device_basis(BasisView<S> basis)
{
    return {basis.count, basis.rows, basis.cols, basis.stride, as_device(basis.values), basis.unit};
}

template <class V>
GmresScalars<device_type<V>> device_scalars(GmresScalars<V> s)
{
    return {s.krylov_dim,       as_device(s.h), as_device(s.c),    s.ww,
            as_device(s.upper), s.cosine,       as_device(s.sine), as_device(s.g),
            as_device(s.y),     s.scale,        s.again,           s.used};
}

/// Block i of the basis, for `Place::load`.
template <class S>
__host__ __device__ DenseView<S> block(const BasisView<S>& basis, size_type i)
{
    return {basis.rows, basis.cols, basis.cols, basis.values + i * basis.stride};
}

/// What the basis is to the choice of a kernel's shape: a contiguous block only if all its blocks lie as the first
/// does.
template <class S>
DenseView<S> shape_of(const BasisView<S>& basis)
{
    auto shape = block(basis, 0);
    const bool is_aligned = basis.count <= 1 || basis.stride * sizeof(S) % 16 == 0;
    shape.stride += is_aligned ? 0 : 1;
    return shape;
}

/// Rows of a pack for a basis stored in S: 16 bytes of the vectors it holds, where v and w are loaded in two parts.
template <class V, class S>
inline constexpr int rows_of_pack = std::is_same_v<V, S> ? max_vec<V> : 2 * max_vec<V>;

/// Values of vector i of the basis.
template <class V, int N, class S>
__device__ inline Pack<V, N> load_vector(Place<N> at, const BasisView<S>& basis, size_type i)
{
    const auto stored = at.load(block(basis, i));
    if constexpr (std::is_same_v<std::remove_const_t<S>, V>) {
        return stored;
    } else {
        Pack<V, N> values;
#pragma unroll
        for (int k = 0; k < N; ++k) {
            values.v[k] = to_arithmetic<V>(stored.v[k]);
            if constexpr (std::is_same_v<std::remove_const_t<S>, half>) {
                values.v[k] = unit_of<V>(basis) * values.v[k];
            }
        }
        return values;
    }
}

/// Stores values of the vector behind the basis.
template <int N, class S, class V>
__device__ inline void store_vector(Place<N> at, const BasisView<S>& basis, const Pack<V, N>& values)
{
    Pack<S, N> stored;
#pragma unroll
    for (int k = 0; k < N; ++k) {
        stored.v[k] = stored_value(basis, values.v[k]);
    }
    at.store(block(basis, basis.count), stored);
}

/// start - sum of coefficients[i k + col] v_i over the first `count` blocks
template <class V, int N, class S>
__device__ inline Pack<V, N> minus_combination(Place<N> at, Pack<V, N> start, const BasisView<S>& basis,
                                               size_type count, const V* coefficients)
{
#pragma unroll 4
    for (size_type i = 0; i < count; ++i) {
        start = start - coefficients[i * basis.cols + at.col] * load_vector<V>(at, basis, i);
    }
    return start;
}

/// The block's copy of `count` values in shared memory; moves `shared` behind them.
template <class T>
__device__ inline T* stage(const T* values, size_type count, std::byte*& shared)
{
    const auto copy = reinterpret_cast<T*>(shared);
    for (size_type i = thread_id(); i < count; i += scalar_threads) {
        copy[i] = values[i];
    }
    shared += (count * sizeof(T) + 15) / 16 * 16;
    return copy;
}

}  // namespace linden::LINDEN_GPU_NAMESPACE
