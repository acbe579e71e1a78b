#pragma once

#include <linden/lin_op.hpp>
#include <linden/matrix_data.hpp>

#include <string_view>

/// Checks of what users give, in builds that ask for them.
namespace linden::detail {

/// Whether this build of the library checks the patterns of matrices from host data, and that new values are on the old
/// pattern: the option LINDEN_CHECK_PATTERNS, by default ON for Debug builds. To compare patterns takes 6 % of what
/// Ilu0 takes to follow new values of lap2d:1000, on one core.
bool checks_patterns();

/// @throws what `require_well_formed` throws, and InvalidParameter naming the first row whose columns do not increase
/// strictly
template <class V, class I>
void require_sorted_pattern(const CsrData<V, I>& csr);

/// Compares two matrices of one size, copied to the host, where both are, or are made of, a Csr with one index type.
/// @throws DimensionMismatch if the numbers of nonzeros differ, InvalidParameter naming the first row that differs; for
/// `who`, which was made from the old one
template <class V>
void require_same_pattern(std::string_view who, const LinOp<V>& old, const LinOp<V>& fresh);

}  // namespace linden::detail
