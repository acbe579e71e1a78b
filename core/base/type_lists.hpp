#pragma once

#include <linden/config.hpp>
#include <linden/types.hpp>

#include <array>
#include <complex>
#include <string_view>
#include <type_traits>

/// The type lists: the only place that says which value and index types exist.
/// The sets are chosen at configure time (LINDEN_VALUE_TYPES, LINDEN_INDEX_TYPES).
namespace linden {

template <class... T>
struct TypeList {
};

using ValueTypes = TypeList<LINDEN_VALUE_TYPE_LIST>;
using IndexTypes = TypeList<LINDEN_INDEX_TYPE_LIST>;
using RealTypes = TypeList<double, float>;

namespace detail {

template <class T, class... U>
constexpr bool contains(TypeList<U...>)
{
    return (std::is_same_v<T, U> || ...);
}

template <class First, class... T>
First first_of(TypeList<First, T...>);

template <class... V, class F>
void for_each(TypeList<V...>, F&& f)
{
    (f.template operator()<V>(), ...);
}

}  // namespace detail

/// Whether this build has operators of these value and index types.
template <class... T>
inline constexpr bool has_types = ((detail::contains<T>(ValueTypes{}) || detail::contains<T>(IndexTypes{})) && ...);

/// What is meant where nobody names a type: double and int32 where this build has them, else what was named first.
using DefaultValue = std::conditional_t<has_types<double>, double, decltype(detail::first_of(ValueTypes{}))>;
using DefaultIndex =
    std::conditional_t<has_types<std::int32_t>, std::int32_t, decltype(detail::first_of(IndexTypes{}))>;

/// Calls `f.operator()<V>()` for every value type.
template <class F>
void for_each_value(F&& f)
{
    detail::for_each(ValueTypes{}, f);
}

/// Calls `f.operator()<I>()` for every index type.
template <class F>
void for_each_index(F&& f)
{
    detail::for_each(IndexTypes{}, f);
}

/// Calls `f.operator()<R>()` for every real type.
template <class F>
void for_each_real(F&& f)
{
    detail::for_each(RealTypes{}, f);
}

/// Calls `f.operator()<V, I>()` for every value and index type.
template <class F>
void for_each_value_index(F&& f)
{
    detail::for_each(ValueTypes{}, [&]<class V>() {
        detail::for_each(IndexTypes{}, [&]<class I>() { f.template operator()<V, I>(); });
    });
}

/// Calls `f.operator()<V>()` for the value type `type`; false if it is not part of this build.
template <class F>
bool with_value_type(ValueType type, F&& f)
{
    bool found = false;
    for_each_value([&]<class V>() {
        if (value_type_of<V> == type) {
            found = true;
            f.template operator()<V>();
        }
    });
    return found;
}

namespace detail {

template <class T>
inline constexpr std::string_view type_name = [] {
    if constexpr (std::is_integral_v<T>) {
        return linden::name(index_type_of<T>);
    } else {
        return linden::name(value_type_of<T>);
    }
}();

/// "double, int32" as a constant, for kernels that are not called to print it.
template <class... T>
struct JoinedNames {
    static constexpr std::size_t length = (type_name<T>.size() + ... + (2 * (sizeof...(T) - 1)));
    static constexpr auto text = [] {
        std::array<char, length + 1> joined{};
        std::size_t at = 0;
        const auto append = [&](std::string_view s) {
            if (at != 0) {
                joined[at++] = ',';
                joined[at++] = ' ';
            }
            for (char c : s) {
                joined[at++] = c;
            }
        };
        (append(type_name<T>), ...);
        return joined;
    }();
};

}  // namespace detail

/// The names of the types, joined: `double, int32`.
template <class... T>
inline constexpr std::string_view types_of{detail::JoinedNames<T...>::text.data(), detail::JoinedNames<T...>::length};

}  // namespace linden
