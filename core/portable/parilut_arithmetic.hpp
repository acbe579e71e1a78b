#pragma once

#include <cmath>
#include <limits>

#include "core/base/math.hpp"
#include "core/kernels/parilut.hpp"
#include "core/portable/ilut_arithmetic.hpp"

/// Products, magnitudes and pivots of fixed-point iterations for incomplete factors, with each step rounded.
namespace linden {

template <class V>
LINDEN_HOST_DEVICE ComplexComponents<real_t<V>> components(V x)
{
    return {real(x), imag(x)};
}

/// (a b) c
template <class V>
LINDEN_HOST_DEVICE V triple_product(V a, V b, V c)
{
    if constexpr (is_complex<V>) {
        using R = real_t<V>;
        const auto times = [](ComplexComponents<R> x, ComplexComponents<R> y) {
            return ComplexComponents<R>{x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re};
        };
        const auto product = times(times(components(a), components(b)), components(c));
        return V(product.re, product.im);
    } else {
        return (a * b) * c;
    }
}

/// |x| times the scales of its row and column; -1 where that is not finite.
template <class V>
LINDEN_HOST_DEVICE real_t<V> relative_magnitude(V x, real_t<V> row_scale, real_t<V> col_scale)
{
    real_t<V> size{};
    if constexpr (is_complex<V>) {
        size = absolute_value(components(x));
    } else {
        size = magnitude(x);
    }
    const auto relative = size * (row_scale * col_scale);
    return is_finite(relative) ? relative : real_t<V>{-1};
}

/// Which entries of W are kept.
template <class V>
struct KeptEntries {
    const real_t<V>* scales;
    const real_t<V>* threshold;

    LINDEN_HOST_DEVICE bool operator()(size_type row, size_type col, V value) const
    {
        return col == row || relative_magnitude(value, scales[row], scales[col]) > *threshold;
    }
};

/// One diagonal entry: its replacement where it is bad.
template <class V>
LINDEN_HOST_DEVICE V judged_pivot(V pivot, real_t<V> norm, bool is_hermitian, bool& is_bad)
{
    using R = real_t<V>;
    R size = real(pivot);
    if (!is_hermitian) {
        if constexpr (is_complex<V>) {
            size = absolute_value(components(pivot));
        } else {
            size = magnitude(pivot);
        }
    }
    is_bad = !(size > std::numeric_limits<R>::epsilon() * norm) || !is_finite(size);
    if (is_bad) {
        return V{norm > R{} && is_finite(norm) ? norm : R{1}};
    }
    return is_hermitian ? V{size} : pivot;
}

template <class V>
LINDEN_HOST_DEVICE V inverse_pivot(V x)
{
    using R = real_t<V>;
    if constexpr (is_complex<V>) {
        const auto result = quotient(ComplexComponents<R>{R{1}, R{}}, components(x));
        return V(result.re, result.im);
    } else {
        return R{1} / x;
    }
}

/// 1 / x and 1 / sqrt(|x|)
template <class V>
LINDEN_HOST_DEVICE void invert_pivot(V x, V& inverse, real_t<V>& scale)
{
    using R = real_t<V>;
    using std::sqrt;
    inverse = inverse_pivot(x);
    if constexpr (is_complex<V>) {
        scale = R{1} / sqrt(absolute_value(components(x)));
    } else {
        scale = R{1} / sqrt(magnitude(x));
    }
}

}  // namespace linden
