#pragma once

#include <linden/matrix/dense.hpp>

#include <algorithm>
#include <cmath>

#include "core/base/math.hpp"

namespace linden {

/// A lower bound of ||B||_1, mostly within a factor of 3, from products with B and B^H. n x n. [Higham88]
template <class V>
double estimated_norm1(const LinOp<V>& b, const LinOp<V>& adjoint)
{
    constexpr int max_steps = 5;
    const auto n = static_cast<std::size_t>(b.size().rows);
    const auto& exec = b.executor();
    const Dim size{b.size().rows, 1};
    const auto times = [&](const LinOp<V>& op, const std::vector<V>& x) {
        Dense<V> result(exec, size);
        op.apply(Dense<V>::vector(exec, x), result);
        return result.to_host();
    };
    const auto norm1 = [](const std::vector<V>& x) {
        double sum = 0;
        for (const V value : x) {
            sum += magnitude(value);
        }
        return sum;
    };
    if (n == 0) {
        return 0;
    }
    std::vector<V> x(n, V{static_cast<real_t<V>>(1.0 / static_cast<double>(n))});
    double estimate = 0;
    for (int step = 0; step < max_steps; ++step) {
        auto y = times(b, x);
        const double norm = norm1(y);
        if (step > 0 && !(norm > estimate)) {
            break;
        }
        estimate = norm;
        for (auto& value : y) {  // the subgradient of the norm
            const auto magnitude_of_value = magnitude(value);
            value = magnitude_of_value == 0 ? V{1} : value / magnitude_of_value;
        }
        const auto z = times(adjoint, y);
        const auto largest = std::max_element(z.begin(), z.end(), [](V l, V r) { return magnitude(l) < magnitude(r); });
        const auto j = static_cast<std::size_t>(largest - z.begin());
        if (step > 0 && x[j] == V{1}) {
            break;
        }
        std::fill(x.begin(), x.end(), V{});
        x[j] = V{1};
    }
    for (std::size_t i = 0; i < n; ++i) {  // against cancellation
        const double size_of_value = 1 + static_cast<double>(i) / static_cast<double>(std::max<std::size_t>(n - 1, 1));
        x[i] = V{static_cast<real_t<V>>(i % 2 == 0 ? size_of_value : -size_of_value)};
    }
    return std::max(estimate, 2 * norm1(times(b, x)) / (3 * static_cast<double>(n)));
}

}  // namespace linden
