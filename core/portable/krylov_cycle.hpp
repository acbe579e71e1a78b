#pragma once

#include "core/base/math.hpp"
#include "core/kernels/krylov_cycle.hpp"
#include "core/portable/body.hpp"

namespace linden {

/// a / b with b > 0, else 0.
template <class V>
LINDEN_HOST_DEVICE V positive_quotient(V a, real_t<V> b)
{
    const V quotient = b > real_t<V>{} ? (real_t<V>{1} / b) * a : V{};
    return is_finite(quotient) ? quotient : V{};
}

template <class V>
struct FirstKrylovStep {
    size_type k;
    KrylovSums<V> sums;
    V* steps;

    LINDEN_HOST_DEVICE size_type size() const { return k; }
    LINDEN_HOST_DEVICE void operator()(size_type col) const
    {
        steps[col] = -positive_quotient<V>(sums.cb[col], real(sums.cv[col]));
    }
};

template <class V>
struct SecondKrylovStep {
    size_type k;
    KrylovSums<V> sums;
    V* of_c;
    V* of_d;

    LINDEN_HOST_DEVICE size_type size() const { return k; }
    LINDEN_HOST_DEVICE void operator()(size_type col) const
    {
        const V dv = sums.dv[col];
        const real_t<V> cv = real(sums.cv[col]), dw = real(sums.dw[col]), size_of_dv = magnitude(dv);
        const real_t<V> rest = dw - real(positive_quotient<V>(V{size_of_dv * size_of_dv}, cv));
        // What is left of d beside c is rounding below that.
        const bool is_new = rest > 10 * unit_roundoff<V> * dw;
        const V factor = is_new ? positive_quotient<V>(sums.dr[col], rest) : V{};
        of_d[col] = factor;
        of_c[col] = positive_quotient<V>(sums.cb[col] - conj(dv) * factor, cv);
    }
};

template <class F>
void for_each_portable_krylov_cycle(const F& f)
{
    for_each_value([&]<class V>() {
        f(krylov_cycle_first<V>, BodyOf<FirstKrylovStep<V>>());
        f(krylov_cycle_second<V>, BodyOf<SecondKrylovStep<V>>());
    });
}

}  // namespace linden
