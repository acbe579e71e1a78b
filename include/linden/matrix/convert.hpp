#pragma once

#include <linden/matrix/csr.hpp>

namespace linden {

namespace detail {

template <class T>
inline constexpr bool is_csr = false;
template <class V, class I>
inline constexpr bool is_csr<Csr<V, I>> = true;

}  // namespace detail

/// Csr, or a format that is made from it and becomes it again.
template <class T>
concept SparseFormat = detail::is_csr<T> ||
    requires(const T& a, const Csr<typename T::value_type, typename T::index_type>& csr)
{
    a.to_csr();
    T::from_csr(csr);
};

/// `from` in the format `To`, on the same executor, through Csr. Stored zeros are kept unless a format cannot tell them
/// from padding (diagonals, blocks). Values are rounded if the new format stores a lower precision. Only sizes are
/// copied to the host.
/// @throws what `To::from_csr` throws for its default parameters
template <SparseFormat To, SparseFormat From>
To convert(const From& from)
{
    static_assert(std::is_same_v<typename To::value_type, typename From::value_type>,
                  "convert changes the format, not the value type");
    static_assert(std::is_same_v<typename To::index_type, typename From::index_type>,
                  "convert changes the format, not the index type; CompactSell has int32");
    if constexpr (std::is_same_v<To, From>) {
        return from.copy();
    } else if constexpr (detail::is_csr<To>) {
        return from.to_csr();
    } else if constexpr (detail::is_csr<From>) {
        return To::from_csr(from);
    } else {
        return To::from_csr(from.to_csr());
    }
}

/// Converts with parameters of the new format: `convert<Bsr<double, int>>(csr, {.block_size = 3})`.
template <SparseFormat To, SparseFormat From>
requires(!detail::is_csr<To>) To convert(const From& from, typename To::Parameters parameters)
{
    static_assert(std::is_same_v<typename To::value_type, typename From::value_type> &&
                      std::is_same_v<typename To::index_type, typename From::index_type>,
                  "convert changes the format, not the types");
    if constexpr (detail::is_csr<From>) {
        return To::from_csr(from, std::move(parameters));
    } else {
        return To::from_csr(from.to_csr(), std::move(parameters));
    }
}

}  // namespace linden
