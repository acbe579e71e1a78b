#include "core/matrix/metis/dissection.hpp"

#include <linden/error.hpp>
#include <linden/types.hpp>

#include <limits>
#include <string>

#include <metis.h>

namespace linden::detail {

const bool has_metis = true;

namespace {

template <class I>
std::vector<I> order_by_metis(const std::vector<I>& row_ptrs, const std::vector<I>& col_idxs)
{
    constexpr size_type most = std::numeric_limits<idx_t>::max();
    if (static_cast<size_type>(col_idxs.size()) > most) {
        throw NotSupported("ordering=nested_dissection", "the graph is too large for the indices of this METIS, of " +
                                                             std::to_string(8 * sizeof(idx_t)) + " bits");
    }
    const auto n = row_ptrs.size() - 1;
    if (n < 2) {
        return std::vector<I>(n);
    }
    std::vector<idx_t> ptrs{0}, neighbours;
    for (std::size_t i = 0; i < n; ++i) {
        for (I k = row_ptrs[i]; k < row_ptrs[i + 1]; ++k) {
            if (col_idxs[k] != static_cast<I>(i)) {
                neighbours.push_back(static_cast<idx_t>(col_idxs[k]));
            }
        }
        ptrs.push_back(static_cast<idx_t>(neighbours.size()));
    }
    std::vector<idx_t> order(n), place(n);
    idx_t num_vertices = static_cast<idx_t>(n), options[METIS_NOPTIONS];
    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_SEED] = 1;
    const int status =
        METIS_NodeND(&num_vertices, ptrs.data(), neighbours.data(), nullptr, options, order.data(), place.data());
    if (status != METIS_OK) {
        throw NotSupported("ordering=nested_dissection", "METIS failed with status " + std::to_string(status));
    }
    return {order.begin(), order.end()};
}

}  // namespace

std::vector<std::int32_t> dissection_order(const std::vector<std::int32_t>& row_ptrs,
                                           const std::vector<std::int32_t>& col_idxs)
{
    return order_by_metis(row_ptrs, col_idxs);
}

std::vector<std::int64_t> dissection_order(const std::vector<std::int64_t>& row_ptrs,
                                           const std::vector<std::int64_t>& col_idxs)
{
    return order_by_metis(row_ptrs, col_idxs);
}

}  // namespace linden::detail
