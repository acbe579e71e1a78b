#pragma once

#include "core/kernels/galerkin.hpp"
#include "core/portable/body.hpp"

/// Galerkin matrices in wide precision and back.
namespace linden {

template <class V, class W>
struct GalerkinWiden {
    size_type num_values;
    const V* e;
    W* values;

    LINDEN_HOST_DEVICE size_type size() const { return num_values; }
    LINDEN_HOST_DEVICE void operator()(size_type i) const { values[i] = static_cast<W>(e[i]); }
};

template <class V, class W>
struct GalerkinRound {
    size_type num_values;
    size_type num_rows;
    const W* values;
    const std::int32_t* is_kept;
    V* result;

    LINDEN_HOST_DEVICE size_type size() const { return num_values; }
    LINDEN_HOST_DEVICE void operator()(size_type i) const
    {
        const bool is_known = is_kept[i / num_rows] != 0 && is_kept[i % num_rows] != 0;
        result[i] = is_known ? static_cast<V>(values[i]) : V{};
    }
};

template <class F>
void for_each_portable_galerkin(const F& f)
{
    for_each_value([&]<class V>() {
        f(galerkin_widen<V>, BodyOf<GalerkinWiden<V, wide_t<V>>>());
        f(galerkin_round<V>, BodyOf<GalerkinRound<V, wide_t<V>>>());
    });
}

}  // namespace linden
