#pragma once

#include <linden/matrix/dense.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

/// Sums of squares leave the range of a type where values themselves do not.
namespace linden::detail {

/// Whether squares of norms from `norm` down to eps norm, and up by as much, neither underflow nor overflow.
template <class R>
bool is_in_range(R norm)
{
    using Limits = std::numeric_limits<R>;
    static const R least = std::sqrt(Limits::min()) / Limits::epsilon();
    static const R most = std::sqrt(Limits::max()) * Limits::epsilon();
    return std::isnan(norm) || (norm >= least && norm <= most);
}

/// The power of two that brings `largest` near 1, as far as it and its inverse are normal numbers; 1 for 0, infinity
/// and NaN.
template <class R>
R scale_to_one(R largest)
{
    constexpr int most = std::numeric_limits<R>::max_exponent - 2;
    const bool is_ordinary = std::isfinite(largest) && largest > 0;
    return is_ordinary ? std::ldexp(R{1}, std::clamp(-std::ilogb(largest), -most, most)) : R{1};
}

/// Column j of x := scales[j]^power times itself, power 1 or -1.
template <class V>
void scale_columns(Dense<V>& x, const std::vector<real_t<V>>& scales, int power)
{
    for (std::size_t col = 0; col < scales.size(); ++col) {
        const auto scale = power > 0 ? scales[col] : 1 / scales[col];
        x.columns(static_cast<size_type>(col), 1).scale(V{scale});
    }
}

}  // namespace linden::detail
