#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/math.hpp"
#include "core/kernels/ilu.hpp"

/// How factorizations on hosts judge pivots.
namespace linden {

/// What stands in for a bad pivot of a row with this norm.
template <class R>
R pivot_for_norm(R norm)
{
    return norm > 0 && std::isfinite(norm) ? norm : R{1};
}

/// Whether a pivot, or the radicand of one, of this size is too small for its row, or not a number.
template <class R>
bool is_bad_pivot(R size, R norm)
{
    return !(size > std::numeric_limits<R>::epsilon() * norm);
}

/// Whether pivot i, or the radicand of one, of this size is bad.
template <class R>
bool is_bad_pivot(R size, const PivotLimits<R>& limits, size_type i)
{
    return !(size > limits.least * limits.norms[i]);
}

/// The same of a row of U. largest(): the magnitude of its largest entry right of the pivot.
template <class R, class Largest>
bool is_bad_pivot(R size, const PivotLimits<R>& limits, size_type i, const Largest& largest)
{
    return is_bad_pivot(size, limits, i) ||
           (size <= limits.small * limits.norms[i] && !(size > limits.small * largest()));
}

/// What of a pivot is compared.
template <class V>
real_t<V> pivot_size(V pivot, const PivotLimits<real_t<V>>& limits)
{
    return limits.is_definite ? std::real(pivot) : magnitude(pivot);
}

/// What stands in for the bad pivot i.
template <class V>
V pivot_instead(V pivot, const PivotLimits<real_t<V>>& limits, size_type i)
{
    const auto size = magnitude(pivot), instead = limits.stand_in * pivot_for_norm(limits.norms[i]);
    return limits.keeps_sign && size > 0 ? pivot / size * instead : V{instead};
}

inline void add_bad_pivot(PivotReport& report, size_type row)
{
    ++report.num_bad;
    report.first_row = std::min(report.first_row, row);
}

/// As replace_bad_pivot, which few pivots need.
template <class V>
[[gnu::noinline]] void replace_if_bad(V* u, size_type count, const PivotLimits<real_t<V>>& limits, size_type i,
                                      PivotReport& report)
{
    const auto largest = [&] {
        real_t<V> most{};
        for (size_type k = 1; k <= count; ++k) {
            most = std::max(most, magnitude(u[k]));
        }
        return most;
    };
    if (is_bad_pivot(pivot_size(u[0], limits), limits, i, largest)) {
        u[0] = pivot_instead(u[0], limits, i);
        add_bad_pivot(report, i);
    }
}

/// Row i of U is done: its pivot and `count` entries right of that.
template <class V>
void replace_bad_pivot(V* u, size_type count, const PivotLimits<real_t<V>>& limits, size_type i, PivotReport& report)
{
    if (!(pivot_size(u[0], limits) > std::max(limits.least, limits.small) * limits.norms[i])) {
        replace_if_bad(u, count, limits, i, report);
    }
}

}  // namespace linden
