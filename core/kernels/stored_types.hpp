#pragma once

#include <linden/half.hpp>

#include <complex>

#include "core/base/type_lists.hpp"

/// The types that matrices may store beside those of operators: rounded values, and indices of 16 bits.
namespace linden {

namespace detail {

template <>
inline constexpr std::string_view type_name<half> = "half";
template <>
inline constexpr std::string_view type_name<std::uint16_t> = "uint16";

}  // namespace detail

/// The storage types that values of type V may have beside V.
template <class V>
struct LowerStorage {
    using types = TypeList<>;
};
template <>
struct LowerStorage<double> {
    using types = TypeList<float, half>;
};
template <>
struct LowerStorage<float> {
    using types = TypeList<half>;
};
template <>
struct LowerStorage<std::complex<double>> {
    using types = TypeList<std::complex<float>>;
};

/// Calls `f.operator()<S>()` for every storage type of V but V itself.
template <class V, class F>
void for_each_lower_storage(F&& f)
{
    detail::for_each(typename LowerStorage<V>::types{}, f);
}

}  // namespace linden
