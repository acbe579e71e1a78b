#pragma once

#include <linden/matrix/dense.hpp>

#include <algorithm>

#include "core/factorization/direct_factors.hpp"
#include "core/kernels/dense.hpp"

namespace linden::detail {

/// Whether refinement of A x = A 1 reaches this componentwise backward error.
template <class V>
bool reaches(const DirectFactors<V>& m, const LinOp<V>& a, double accepted)
{
    constexpr int max_steps = 6;
    const auto& exec = a.executor();
    const Dim size{a.size().rows, 1};
    Dense<V> b(exec, size), x(exec, size), r(exec, size), z(exec, size);
    Array<real_t<V>> ratios(exec, size.rows), maxima(exec, num_error_parts);
    z.fill(V{1});
    a.apply(z, b);
    x.fill(V{});
    dense_copy<V>(exec, b.view(), r.view());
    for (int step = 0; step < max_steps; ++step) {
        m.apply(r, z);
        dense_axpby<V>(exec, V{1}, std::as_const(z).view(), V{1}, x.view());  // x := x + M^-1 r
        m.find_residual(a, b, x, r, ratios.data());                           // r := b - A x
        direct_error_maxima<real_t<V>>(exec, size.rows, 1, ratios.data(), maxima.data());
        const auto found = maxima.to_host();
        if (std::all_of(found.begin(), found.end(), [&](real_t<V> error) { return error <= accepted; })) {
            return true;
        }
    }
    return false;
}

}  // namespace linden::detail
