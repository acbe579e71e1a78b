#pragma once

#include <linden/deflation.hpp>

#include <vector>

namespace linden::detail {

/// Domains of rows, on the host.
struct Domains {
    size_type num_domains = 0;
    std::vector<size_type> of_row;
};

/// @throws InvalidParameter if there are less than one or more than `rows` stripes, boxes do not fit the grid, the grid
/// not the rows, or a row has no domain
template <class V>
Domains make_domains(const Deflation<V>& options, size_type rows);

}  // namespace linden::detail
