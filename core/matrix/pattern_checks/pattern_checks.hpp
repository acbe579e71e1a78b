#pragma once

#include <linden/matrix_data.hpp>

/// Checks of what users give, in builds that ask for them.
namespace linden::detail {

/// Whether this build of the library checks the patterns of matrices from host data: the option LINDEN_CHECK_PATTERNS,
/// by default ON for Debug builds.
bool checks_patterns();

/// @throws what `require_well_formed` throws, and InvalidParameter naming the first row whose columns do not increase
/// strictly
template <class V, class I>
void require_sorted_pattern(const CsrData<V, I>& csr);

}  // namespace linden::detail
