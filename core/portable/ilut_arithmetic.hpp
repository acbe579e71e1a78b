#pragma once

#include <cmath>
#include <limits>

#include "core/base/host_device.hpp"

/// How ILUT and ICT divide and compare numbers, to the same bits on hosts and on devices: which entries stay may hang
/// on the last one.
namespace linden {

/// A complex number, as every backend has one.
template <class R>
struct ComplexComponents {
    R re, im;
};

/// a / b by Smith's algorithm (CACM 5, 1962, algorithm 116): no overflow in |b|^2.
template <class R>
LINDEN_HOST_DEVICE ComplexComponents<R> quotient(ComplexComponents<R> a, ComplexComponents<R> b)
{
    if ((b.re < R{} ? -b.re : b.re) >= (b.im < R{} ? -b.im : b.im)) {
        const R ratio = b.im / b.re;
        const R denominator = b.re + b.im * ratio;
        return {(a.re + a.im * ratio) / denominator, (a.im - a.re * ratio) / denominator};
    }
    const R ratio = b.re / b.im;
    const R denominator = b.re * ratio + b.im;
    return {(a.re * ratio + a.im) / denominator, (a.im * ratio - a.re) / denominator};
}

/// |z| without overflow of its square; infinite if a part is, else NaN if a part is.
template <class R>
LINDEN_HOST_DEVICE R absolute_value(ComplexComponents<R> z)
{
    constexpr R infinity = std::numeric_limits<R>::infinity();
    const R re = z.re < R{} ? -z.re : z.re;
    const R im = z.im < R{} ? -z.im : z.im;
    if (re == infinity || im == infinity) {
        return infinity;
    }
    const R larger = re < im ? im : re;
    const R smaller = re < im ? re : im;
    if (larger == R{} && smaller == R{}) {
        return R{};
    }
    const R ratio = smaller / larger;
    return larger * std::sqrt(R{1} + ratio * ratio);
}

}  // namespace linden
