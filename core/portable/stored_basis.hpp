#pragma once

#include "core/kernels/gmres.hpp"
#include "core/portable/stored.hpp"

/// Vectors of a basis in lower precision than the arithmetic.
namespace linden {

/// What stored values are to be multiplied by.
template <class V, class S>
LINDEN_HOST_DEVICE inline real_t<V> unit_of(const BasisView<S>& basis)
{
    return std::is_same_v<std::remove_const_t<S>, half> ? static_cast<real_t<V>>(basis.unit) : real_t<V>{1};
}

/// A value of a vector from what is stored of it.
template <class V, class S>
LINDEN_HOST_DEVICE inline V basis_value(const BasisView<S>& basis, size_type i, size_type row, size_type col)
{
    const V value = to_arithmetic<V>(basis(i, row, col));
    if constexpr (std::is_same_v<std::remove_const_t<S>, half>) {
        return unit_of<V>(basis) * value;
    } else {
        return value;
    }
}

/// What is stored of it.
template <class S, class V>
LINDEN_HOST_DEVICE inline S stored_value(const BasisView<S>& basis, V value)
{
    if constexpr (std::is_same_v<S, half>) {
        return static_cast<S>(value / unit_of<V>(basis));
    } else {
        return static_cast<S>(value);
    }
}

/// Calls `f.operator()<V, S>()` for every value type V and the types S that bases of it are stored in.
template <class F>
void for_each_basis_storage(F&& f)
{
    for_each_value([&]<class V>() {
        f.template operator()<V, V>();
        for_each_lower_storage<V>([&]<class S>() { f.template operator()<V, S>(); });
    });
}

}  // namespace linden
