#include <linden/reorder/matching.hpp>

#include <linden/error.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "core/matrix/matching_scaling.hpp"
#include "core/matrix/singular_matching.hpp"
#include "core/matrix/square.hpp"

// instantiate: Matching maximum_product_matching<V, I>(const Csr<V, I>&)

namespace linden {
namespace {

/// In double precision.
template <class V>
double magnitude_of(V value)
{
    if constexpr (is_complex<V>) {
        return std::abs(std::complex<double>(value));
    } else {
        return std::abs(static_cast<double>(value));
    }
}

/// The entries of the diagonal are the pairs where scalings by them leave no entry larger than 1, which are looked for
/// without logarithms: of rows and columns by square roots (definite matrices), of rows, of columns (dominant
/// diagonals). a: in host memory.
template <class V, class I>
std::optional<Matching> diagonal_matching(CsrView<V, I> a)
{
    const auto n = static_cast<std::size_t>(a.rows);
    std::vector<double> diagonal(n, 0);
    for (size_type row = 0; row < a.rows; ++row) {
        for (I k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
            if (a.col_idxs[k] == row) {
                diagonal[row] = std::max(diagonal[row], magnitude_of(a.values[k]));
            }
        }
        if (!std::isnormal(diagonal[row]) || !std::isnormal(1 / diagonal[row])) {
            return std::nullopt;
        }
    }
    std::vector<double> roots(n);
    std::transform(diagonal.begin(), diagonal.end(), roots.begin(), [](double x) { return 1 / std::sqrt(x); });
    constexpr double one = 1 + 4 * std::numeric_limits<double>::epsilon();
    bool by_both = true, by_rows = true, by_columns = true;
    for (size_type row = 0; row < a.rows && (by_both || by_rows || by_columns); ++row) {
        for (I k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
            const double size = magnitude_of(a.values[k]);
            by_both &= !(size * roots[row] * roots[a.col_idxs[k]] > one);
            by_rows &= !(size > diagonal[row]);
            by_columns &= !(size > diagonal[a.col_idxs[k]]);
        }
    }
    if (!by_both && !by_rows && !by_columns) {
        return std::nullopt;
    }
    Matching matching;
    matching.column_of_row.resize(n);
    std::iota(matching.column_of_row.begin(), matching.column_of_row.end(), std::int64_t{0});
    matching.num_matched = a.rows;
    for (const double size : diagonal) {
        matching.log_product += std::log(size);
    }
    matching.log_bound = matching.log_product;
    std::transform(diagonal.begin(), diagonal.end(), diagonal.begin(), [](double x) { return 1 / x; });
    matching.row_scaling = by_both ? roots : by_rows ? diagonal : std::vector<double>(n, 1.0);
    matching.column_scaling = by_both ? roots : by_rows ? std::vector<double>(n, 1.0) : diagonal;
    return matching;
}

/// log(largest magnitude of the row) - log |a_ij|, and the logarithms of the largest, 0 for rows without entries.
/// a: in host memory.
template <class V, class I>
std::pair<detail::MatchingCosts, std::vector<double>> costs_of(CsrView<V, I> a)
{
    detail::MatchingCosts result{{0}, {}, {}};
    std::vector<double> log_largest;
    result.row_ptrs.reserve(static_cast<std::size_t>(a.rows) + 1);
    result.columns.reserve(static_cast<std::size_t>(a.num_nonzeros));
    result.costs.reserve(static_cast<std::size_t>(a.num_nonzeros));
    log_largest.reserve(static_cast<std::size_t>(a.rows));
    for (size_type row = 0; row < a.rows; ++row) {
        double least = std::numeric_limits<double>::infinity();
        const auto first = result.columns.size();
        for (I k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
            const double size = magnitude_of(a.values[k]);
            if (size > 0 && std::isfinite(size)) {
                const double cost = -std::log(size);
                least = std::min(least, cost);
                result.columns.push_back(a.col_idxs[k]);
                result.costs.push_back(cost);
            }
        }
        log_largest.push_back(first < result.costs.size() ? -least : 0);
        for (auto k = first; k < result.costs.size(); ++k) {
            result.costs[k] -= least;
        }
        result.row_ptrs.push_back(static_cast<size_type>(result.columns.size()));
    }
    return {std::move(result), std::move(log_largest)};
}

}  // namespace

template <class V, class I>
Matching maximum_product_matching(const Csr<V, I>& a)
{
    detail::square("maximum_product_matching", a.size());
    const auto copy = a.executor().is_host() ? std::nullopt : std::optional(a.copy(detail::host()));
    const auto view = copy ? copy->view() : a.view();
    if (auto matching = diagonal_matching(view)) {
        return *std::move(matching);
    }
    auto [costs, log_largest] = costs_of(view);
    const auto columns = detail::rename_columns(costs);
    auto found = detail::singular_matching(costs);
    Matching matching;
    for (std::size_t i = 0; i < found.u.size(); ++i) {
        matching.num_matched += found.column_of_row[i] >= 0 ? 1 : 0;
        matching.column_of_row.push_back(found.column_of_row[i] < 0 ? -1 : columns[found.column_of_row[i]]);
        found.u[i] -= log_largest[i];
    }
    detail::set_scaling(matching, std::move(found.u), detail::by_old_names(columns, found.v));
    matching.log_product = matching.log_bound;
    return matching;
}

}  // namespace linden
