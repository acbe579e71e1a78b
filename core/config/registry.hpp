#pragma once

#include <linden/config/config.hpp>
#include <linden/factory.hpp>

#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace linden::config {

/// A factory that configurations can name.
template <class V>
struct Entry {
    std::string_view type;  ///< as in C++: `BlockJacobi`; `block-jacobi` means the same
    Kind kind;
    std::string_view meaning;
    std::shared_ptr<LinOpFactory<V>> (*create)();
};

/// Everything that can be named, in the order of help texts.
template <class V>
std::span<const Entry<V>> registry();

/// The entry called `type`; letter case, `-` and `_` do not matter.
/// @throws InvalidParameter with the nearest name
template <class V>
const Entry<V>& find_entry(std::string_view type);

}  // namespace linden::config
