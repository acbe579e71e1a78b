#pragma once

#include "gpu/vector/elements.cuh"

/// Values of a row in successive columns of a block of vectors, which a thread works on together: a type T is V for one
/// column, Pack<V, N> for N of them.
namespace linden::LINDEN_GPU_NAMESPACE {

namespace detail {

template <class T>
struct ColumnPack {
    using scalar = T;
    static constexpr int width = 1;
};
template <class V, int N>
struct ColumnPack<Pack<V, N>> {
    using scalar = V;
    static constexpr int width = N;
};

}  // namespace detail

template <class T>
using scalar_of = typename detail::ColumnPack<T>::scalar;
template <class T>
inline constexpr int num_columns_of = detail::ColumnPack<T>::width;

/// What 16 bytes hold.
template <class V>
using WidePack = std::conditional_t<(max_vec<V> > 1), Pack<V, (max_vec<V> > 1 ? max_vec<V> : 1)>, V>;

template <class T, class V>
__device__ inline T load_columns(DenseView<V> x, size_type row, size_type col)
{
    if constexpr (num_columns_of < T >> 1) {
        return bits_to<T>(load_vec<num_columns_of<T>>(x.values + row * x.stride + col));
    } else {
        return x(row, col);
    }
}
template <class T, class V>
__device__ inline void store_columns(DenseView<V> x, size_type row, size_type col, const T& values)
{
    if constexpr (num_columns_of < T >> 1) {
        store_vec<num_columns_of<T>>(x.values + row * x.stride + col, bits_to<Vec<V, num_columns_of<T>>>(values));
    } else {
        x(row, col) = values;
    }
}

/// sum := sum + a b
template <class V>
__device__ inline void add_product(V& sum, std::type_identity_t<V> a, const V& b)
{
    sum += a * b;
}
template <class V, int N>
__device__ inline void add_product(Pack<V, N>& sum, std::type_identity_t<V> a, const Pack<V, N>& b)
{
    sum = sum + a * b;
}

/// Whether rows begin where packs do and have no columns left over. Nothing is read of views without values.
template <class T, class V>
bool fits_packs(DenseView<V> x)
{
    constexpr int width = num_columns_of<T>;
    return x.values == nullptr || (width > 1 && x.cols % width == 0 && x.stride % width == 0 &&
                                   reinterpret_cast<std::uintptr_t>(x.values) % sizeof(T) == 0);
}

}  // namespace linden::LINDEN_GPU_NAMESPACE
