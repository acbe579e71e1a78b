#include "core/factorization/plain_factors.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/base/math.hpp"
#include "core/factorization/diagonal_scaling.hpp"
#include "core/factorization/symmetric_elimination.hpp"

// instantiate: detail::Scalings detail::plain_scalings<V, I>(CsrView<V, I>, const detail::PlainOrder<I>&)
// instantiate: bool detail::prefers_panels<I>(const detail::PlainOrder<I>&)
// instantiate: std::optional<detail::PlainFactors<V, I>> detail::symmetric_factors<V, I>(CsrView<V, I>, const detail::PlainOrder<I>&, real_t<V>)
// instantiate: std::optional<detail::PlainFactors<V, I>> detail::plain_factors<V, I>(CsrView<V, I>, const detail::PlainOrder<I>&, real_t<V>)

namespace linden::detail {
namespace {

/// Where rows of L + U are longer, panels pay from the first factorization on (rte6515_J: 11.8, 685_bus: 10.7).
constexpr double most_per_short_row = 11;
/// And these are no grids and circuits.
constexpr double most_per_row = 20;
/// Where rows of L + U of Hermitian matrices are longer, panels pay in spite of twice the work (4elt_lap: 46).
constexpr double most_per_symmetric_row = 45;

/// Of those rows that are coupled with others.
template <class I>
double entries_per_row(const PlainOrder<I>& plain)
{
    const auto num_alone = static_cast<size_type>(plain.rows.size()) - plain.num_coupled_rows;
    return static_cast<double>(plain.most_entries + plain.num_outside - 2 * num_alone) /
           static_cast<double>(plain.num_coupled_rows);
}

template <class V, class I>
std::vector<double> inverse_column_maxima(CsrView<V, I> a)
{
    std::vector<double> largest(static_cast<std::size_t>(a.cols), 0);
    for (size_type k = 0; k < a.num_nonzeros; ++k) {
        auto& here = largest[a.col_idxs[k]];
        here = std::max(here, static_cast<double>(magnitude(a.values[k])));
    }
    std::transform(largest.begin(), largest.end(), largest.begin(),
                   [](double x) { return is_normal(x) ? 1 / x : 1.0; });
    return largest;
}

/// So that no entry of a Hermitian matrix is larger than 1.
template <class V, class I>
std::vector<double> inverse_roots_of_maxima(CsrView<V, I> a)
{
    auto scaling = inverse_column_maxima(a);
    std::transform(scaling.begin(), scaling.end(), scaling.begin(), [](double x) { return std::sqrt(x); });
    return scaling;
}

}  // namespace

template <class V, class I>
Scalings plain_scalings(CsrView<V, I> a, const PlainOrder<I>& plain)
{
    auto roots = plain.is_symmetric ? inverse_diagonal_roots<V, I>(a) : std::vector<double>{};
    if (!roots.empty()) {
        return {roots, roots};
    }
    return {std::vector<double>(plain.rows.size(), 1.0), inverse_column_maxima(a)};
}

template <class I>
bool prefers_panels(const PlainOrder<I>& plain)
{
    return plain.has_one_block && entries_per_row(plain) > most_per_short_row && entries_per_row(plain) <= most_per_row;
}

template <class V, class I>
std::optional<PlainFactors<V, I>> symmetric_factors(CsrView<V, I> a, const PlainOrder<I>& plain, real_t<V> least_pivot)
{
    if (!plain.is_hermitian || plain.counts.size() != plain.rows.size() ||
        static_cast<double>(plain.most_entries) > most_per_symmetric_row * static_cast<double>(a.rows) ||
        plain.most_entries > std::numeric_limits<I>::max()) {
        return std::nullopt;
    }
    auto scaling = plain.roots.empty() ? inverse_roots_of_maxima(a) : plain.roots;
    auto found = eliminate_symmetric<V, I>(a, {plain.rows, scaling, plain.counts}, least_pivot);
    return found
               ? std::optional(PlainFactors<V, I>{plain.rows, {scaling, scaling}, *std::move(found), plain.block_ptrs})
               : std::nullopt;
}

template <class V, class I>
std::optional<PlainFactors<V, I>> plain_factors(CsrView<V, I> a, const PlainOrder<I>& plain, real_t<V> least_pivot)
{
    const size_type most_entries = plain.most_entries + plain.most_entries / 4;
    if (entries_per_row(plain) > most_per_row || most_entries > std::numeric_limits<I>::max() - a.rows) {
        return std::nullopt;
    }
    auto scalings = plain_scalings(a, plain);
    auto found = eliminate_rows<V, I>(
        a, {plain.rows, plain.columns, scalings.rows, scalings.columns, plain.block_ptrs, plain.num_outside},
        most_entries, least_pivot);
    return found
               ? std::optional(PlainFactors<V, I>{plain.rows, std::move(scalings), *std::move(found), plain.block_ptrs})
               : std::nullopt;
}

}  // namespace linden::detail
