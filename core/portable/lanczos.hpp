#pragma once

#include "core/base/math.hpp"
#include "core/base/mix.hpp"
#include "core/kernels/lanczos.hpp"
#include "core/portable/body.hpp"

/// The vector work of the Lanczos process.
namespace linden {

template <class V>
struct LanczosStart {
    size_type n, first;
    V* values;

    LINDEN_HOST_DEVICE size_type size() const { return n; }
    LINDEN_HOST_DEVICE void operator()(size_type i) const
    {
        const auto bits = mixed(mix_step * (static_cast<std::uint64_t>(first + i) + 1));
        values[i] = V{static_cast<real_t<V>>(static_cast<double>(bits >> 11) * 0x1p-52 - 1)};
    }
};

/// The quotient of two sums.
template <class V>
LINDEN_HOST_DEVICE real_t<V> lanczos_quotient(V a, V b)
{
    return static_cast<real_t<V>>(static_cast<double>(real(a)) / static_cast<double>(real(b)));
}

template <class V>
struct LanczosResidual {
    size_type n;
    const V* inverse;
    const V* rho;
    const V* pq;
    const V* q;
    V* r;
    V* z;

    LINDEN_HOST_DEVICE size_type size() const { return n; }
    LINDEN_HOST_DEVICE void operator()(size_type i) const
    {
        const V next = r[i] - lanczos_quotient(*rho, *pq) * q[i];
        r[i] = next;
        z[i] = inverse == nullptr ? next : inverse[i] * next;
    }
};

template <class V>
struct LanczosDirection {
    size_type n;
    const V* last_rho;
    const V* rho;
    const V* z;
    V* p;

    LINDEN_HOST_DEVICE size_type size() const { return n; }
    LINDEN_HOST_DEVICE void operator()(size_type i) const { p[i] = z[i] + lanczos_quotient(*rho, *last_rho) * p[i]; }
};

template <class F>
void for_each_portable_lanczos(const F& f)
{
    for_each_value([&]<class V>() {
        f(lanczos_start<V>, BodyOf<LanczosStart<V>>());
        f(lanczos_residual<V>, BodyOf<LanczosResidual<V>>());
        f(lanczos_direction<V>, BodyOf<LanczosDirection<V>>());
    });
}

}  // namespace linden
