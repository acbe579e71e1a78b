#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "core/base/math.hpp"
#include "core/kernels/equilibration.hpp"
#include "core/portable/body.hpp"

namespace linden {

template <class R>
struct BeginFactors {
    size_type n;
    R* factors;

    LINDEN_HOST_DEVICE size_type size() const { return n; }
    LINDEN_HOST_DEVICE void operator()(size_type i) const { factors[i] = R{1}; }
};

template <class R, class I>
struct NormsOfScaledRows {
    PatternView<I> a;
    const I* source;
    const R* magnitudes;
    const R* factors;
    ScalingNorm norm;
    R* norms;

    LINDEN_HOST_DEVICE size_type size() const { return a.rows; }
    LINDEN_HOST_DEVICE size_type num_entries() const { return a.num_nonzeros; }
    template <class Lanes>
    LINDEN_HOST_DEVICE void operator()(Lanes, size_type row) const
    {
        R result{};
        for (size_type k = a.row_ptrs[row] + Lanes::lane(); k < a.row_ptrs[row + 1]; k += Lanes::size) {
            const R value = magnitudes[source == nullptr ? k : size_type{source[k]}] * factors[a.col_idxs[k]];
            if (norm == ScalingNorm::infinity) {
                result = value > result || value != value ? value : result;
            } else {
                result += norm == ScalingNorm::two ? value * value : value;
            }
        }
        using std::sqrt;
        result = norm == ScalingNorm::infinity ? Lanes::max(result) : Lanes::sum(result);
        if (Lanes::lane() == 0) {
            norms[row] = norm == ScalingNorm::two ? sqrt(result) : result;
        }
    }
};

template <class R>
struct UpdateFactors {
    size_type n;
    const R* norms;
    R* factors;

    LINDEN_HOST_DEVICE size_type size() const { return n; }
    LINDEN_HOST_DEVICE void operator()(size_type i) const
    {
        using std::sqrt;
        const R updated = sqrt(factors[i] / norms[i]);
        if (norms[i] > R{} && is_finite(norms[i]) && updated > R{} && is_finite(updated)) {
            factors[i] = updated;
        }
    }
};

/// Half of the mantissa's range carries into the exponent; what is left of the mantissa goes.
template <class R>
LINDEN_HOST_DEVICE R nearest_power_of_two(R x)
{
    using Bits = std::conditional_t<sizeof(R) == 8, std::uint64_t, std::uint32_t>;
    constexpr int mantissa_bits = std::numeric_limits<R>::digits - 1;
    const Bits rounded = std::bit_cast<Bits>(x) + (Bits{1} << (mantissa_bits - 1));
    return std::bit_cast<R>((rounded >> mantissa_bits) << mantissa_bits);
}

template <class V>
struct StoreFactors {
    size_type n;
    const real_t<V>* factors;
    bool powers_of_two;
    V* values;

    LINDEN_HOST_DEVICE size_type size() const { return n; }
    LINDEN_HOST_DEVICE void operator()(size_type i) const
    {
        values[i] = V{powers_of_two ? nearest_power_of_two(factors[i]) : factors[i]};
    }
};

template <class F>
void for_each_portable_equilibration(const F& f)
{
    for_each_real([&]<class R>() {
        f(equilibration_begin<R>, BodyOf<BeginFactors<R>>());
        f(equilibration_update<R>, BodyOf<UpdateFactors<R>>());
        for_each_index([&]<class I>() { f(equilibration_norms<R, I>, BodyOf<NormsOfScaledRows<R, I>>()); });
    });
    for_each_value([&]<class V>() { f(equilibration_store<V>, BodyOf<StoreFactors<V>>()); });
}

}  // namespace linden
