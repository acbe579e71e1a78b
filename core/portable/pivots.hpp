#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

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

inline void add_bad_pivot(PivotReport& report, size_type row)
{
    ++report.num_bad;
    report.first_row = std::min(report.first_row, row);
}

}  // namespace linden
