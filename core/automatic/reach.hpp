#pragma once

#include <linden/lin_op.hpp>
#include <linden/matrix/dense.hpp>
#include <linden/solver/solver.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/base/math.hpp"

namespace linden::detail {

/// Whether no x has the residual that was asked for, since A is Hermitian and A 1 = 0 up to rounding, as with free
/// boundaries: then 1^H r = 1^H b for any x that is not huge, and ||r|| >= |1^H b| / sqrt(n).
/// a: n x n on one process; b: n x k; result: of a solve that has not converged. Two products with A, and host reads.
template <class V>
bool is_out_of_reach(const LinOp<V>& a, const Dense<V>& b, const SolveResult& result)
{
    const auto n = b.size().rows;
    const auto& exec = b.executor();
    const auto norm_of_image = [&](const Dense<V>& x) {
        Dense<V> image(exec, x.size());
        a.apply(x, image);
        return static_cast<double>(image.norm2().front());
    };
    std::vector<V> signs(static_cast<std::size_t>(n));
    for (std::size_t i = 0; i < signs.size(); ++i) {
        const auto hash = static_cast<std::uint32_t>(i) * 2654435761u;  // [Knuth98], 6.4
        signs[i] = V{hash >> 31 != 0 ? real_t<V>{1} : real_t<V>{-1}};
    }
    const auto ones = Dense<V>::filled(exec, {n, 1}, V{1});
    const double rounding = 100 * static_cast<double>(std::numeric_limits<real_t<V>>::epsilon());
    if (!(norm_of_image(ones) <= rounding * norm_of_image(Dense<V>::vector(exec, signs)))) {
        return false;
    }
    const auto sums = Dense<V>::filled(exec, b.size(), V{1}).dot(b);
    for (std::size_t col = 0; col < sums.size(); ++col) {
        const auto& of_column = result.columns[col];
        const double least = static_cast<double>(std::abs(sums[col])) / std::sqrt(static_cast<double>(n));
        const bool is_rounding = least <= rounding * of_column.rhs_norm;
        if (of_column.status != SolveStatus::converged && !is_rounding && least > 2 * of_column.tolerance) {
            return true;
        }
    }
    return false;
}

}  // namespace linden::detail
