#pragma once

#include <linden/distributed/communicator.hpp>
#include <linden/matrix/dense.hpp>
#include <linden/solver/solver.hpp>

#include <algorithm>
#include <vector>

#include "core/matrix/range.hpp"

namespace linden::detail {

/// Powers of two by which the columns of b are scaled; empty if the squares of all norms are in range.
template <class V>
std::vector<real_t<V>> scales_into_range(const Dense<V>& b, const std::vector<real_t<V>>& norms,
                                         const Communicator& ranks)
{
    using R = real_t<V>;
    if (std::all_of(norms.begin(), norms.end(), is_in_range<R>)) {
        return {};
    }
    const auto own = b.norm_inf();
    std::vector<R> scales(norms.size(), R{1});
    bool is_scaled = false;
    for (std::size_t col = 0; col < norms.size(); ++col) {
        const auto largest = ranks.all_gather(own[col]);
        scales[col] = is_in_range(norms[col]) ? R{1} : scale_to_one(*std::max_element(largest.begin(), largest.end()));
        is_scaled |= scales[col] != R{1};
    }
    return is_scaled ? scales : std::vector<R>{};
}

/// Turns the result of the scaled system into that of the given one.
template <class R>
void unscale(SolveResult& result, const std::vector<R>& scales)
{
    for (std::size_t col = 0; col < scales.size(); ++col) {
        const double back = 1 / static_cast<double>(scales[col]);
        auto& column = result.columns[col];
        for (double* const norm : {&column.initial_residual, &column.residual, &column.rhs_norm, &column.tolerance}) {
            *norm *= back;
        }
        for (auto& row : result.history) {
            row[col] *= back;
        }
    }
}

}  // namespace linden::detail
