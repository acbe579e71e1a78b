#include <linden/reorder/matching.hpp>

#include <linden/error.hpp>

#include <cmath>
#include <complex>

#include "core/matrix/square.hpp"
#include "core/matrix/weighted_matching.hpp"

// instantiate: Matching maximum_product_matching<V, I>(const Csr<V, I>&)

namespace linden {
namespace {

/// log(largest magnitude of the row) - log |a_ij|, and the largest magnitudes, 1 for rows without entries.
template <class V, class I>
std::pair<detail::MatchingCosts, std::vector<double>> costs_of(const CsrData<V, I>& a)
{
    detail::MatchingCosts result{{0}, {}, {}};
    std::vector<double> largest;
    for (size_type row = 0; row < a.size.rows; ++row) {
        double most = 0;
        const auto first = result.columns.size();
        for (I k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
            const double size = std::abs(std::complex<double>(a.values[k]));
            if (size > 0 && std::isfinite(size)) {
                most = std::max(most, size);
                result.columns.push_back(a.col_idxs[k]);
                result.costs.push_back(-std::log(size));
            }
        }
        most = most > 0 ? most : 1;
        for (auto k = first; k < result.costs.size(); ++k) {
            result.costs[k] = std::max(result.costs[k] + std::log(most), 0.0);
        }
        largest.push_back(most);
        result.row_ptrs.push_back(static_cast<size_type>(result.columns.size()));
    }
    return {std::move(result), std::move(largest)};
}

}  // namespace

std::vector<size_type> Matching::unmatched_rows() const
{
    std::vector<size_type> rows;
    for (std::size_t row = 0; row < column_of_row.size(); ++row) {
        if (column_of_row[row] < 0) {
            rows.push_back(static_cast<size_type>(row));
        }
    }
    return rows;
}

std::vector<size_type> Matching::unmatched_columns() const
{
    std::vector<char> is_matched(column_of_row.size(), 0);
    for (const auto column : column_of_row) {
        if (column >= 0) {
            is_matched[static_cast<std::size_t>(column)] = 1;
        }
    }
    std::vector<size_type> columns;
    for (std::size_t column = 0; column < is_matched.size(); ++column) {
        if (is_matched[column] == 0) {
            columns.push_back(static_cast<size_type>(column));
        }
    }
    return columns;
}

template <class V, class I>
Matching maximum_product_matching(const Csr<V, I>& a)
{
    detail::square("maximum_product_matching", a.size());
    const auto [costs, largest] = costs_of(a.to_host());
    const detail::WeightedMatching found(costs);
    Matching matching;
    for (std::size_t i = 0; i < found.u.size(); ++i) {
        matching.num_matched += found.column_of_row[i] >= 0 ? 1 : 0;
        matching.column_of_row.push_back(found.column_of_row[i]);
        matching.row_scaling.push_back(std::exp(found.u[i]) / largest[i]);
        matching.column_scaling.push_back(std::exp(found.v[i]));
    }
    return matching;
}

}  // namespace linden
