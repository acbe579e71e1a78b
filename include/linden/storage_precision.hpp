#pragma once

#include <string_view>

namespace linden {

/// The precision in which an operator stores its values; arithmetic is in the operator's value type. `single`: float or
/// complex64; `half`: 16 bits, real values only.
enum class StoragePrecision { same, single, half };

namespace detail {
inline constexpr std::string_view storage_names[] = {"same", "single", "half"};
}  // namespace detail

constexpr std::string_view name(StoragePrecision storage) { return detail::storage_names[static_cast<int>(storage)]; }

}  // namespace linden
