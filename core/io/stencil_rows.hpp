#pragma once

#include <linden/matrix_data.hpp>

#include <string_view>

namespace linden::detail {

/// The rows of a model problem that has one stencil for all grid points; -1 for other problems.
/// @throws InvalidParameter if the problem is unknown or its arguments are wrong
size_type num_stencil_rows(std::string_view spec);

/// No fewer entries than the rows of such a problem have in all. @throws InvalidParameter
size_type most_stencil_entries(std::string_view spec);

/// The rows [first, last) of such a problem, with column numbers of the whole matrix. @throws InvalidParameter
template <class V>
CsrData<V, std::int64_t> stencil_rows(std::string_view spec, size_type first, size_type last);

}  // namespace linden::detail
