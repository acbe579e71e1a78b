#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "core/base/math.hpp"
#include "core/kernels/equilibration.hpp"
#include "core/portable/body.hpp"
#include "core/portable/imaginary_part.hpp"

namespace linden {

template <class R>
struct BeginFactors {
    size_type n;
    R* factors;

    LINDEN_HOST_DEVICE size_type size() const { return n; }
    LINDEN_HOST_DEVICE void operator()(size_type i) const { factors[i] = R{1}; }
};

template <class V>
struct LargerParts {
    size_type n;
    const V* values;
    real_t<V>* magnitudes;

    LINDEN_HOST_DEVICE size_type size() const { return n; }
    LINDEN_HOST_DEVICE void operator()(size_type k) const
    {
        const real_t<V> re = magnitude(real(values[k])), im = magnitude(imaginary_part(values[k]));
        magnitudes[k] = re < im || im != im ? im : re;
    }
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

/// 2^-e for x in [2^e, 2^(e + 1)), or 2^-p for x in [4^p / 2, 2 4^p): only exponents count.
template <class R>
LINDEN_HOST_DEVICE R opposite_power_of_two(R x, bool root)
{
    using Bits = std::conditional_t<sizeof(R) == 8, std::uint64_t, std::uint32_t>;
    constexpr int mantissa_bits = std::numeric_limits<R>::digits - 1;
    constexpr int bias = std::numeric_limits<R>::max_exponent - 1;
    const int exponent = static_cast<int>(std::bit_cast<Bits>(x) >> mantissa_bits) - bias;
    const int opposite = root ? -((exponent + 1) >> 1) : -exponent;
    return std::bit_cast<R>(static_cast<Bits>((opposite > -bias ? opposite : 1 - bias) + bias) << mantissa_bits);
}

template <class R>
struct StorePowers {
    size_type n;
    const R* norms;
    bool root;
    R* factors;

    LINDEN_HOST_DEVICE size_type size() const { return n; }
    LINDEN_HOST_DEVICE void operator()(size_type i) const
    {
        factors[i] = norms[i] > R{} && is_finite(norms[i]) ? opposite_power_of_two(norms[i], root) : R{1};
    }
};

template <class V, class I>
struct ScaleBoth {
    CsrView<V, I> a;
    const real_t<V>* rows;
    const real_t<V>* columns;
    V* values;

    LINDEN_HOST_DEVICE size_type size() const { return a.rows; }
    LINDEN_HOST_DEVICE size_type num_entries() const { return a.num_nonzeros; }
    template <class Lanes>
    LINDEN_HOST_DEVICE void operator()(Lanes, size_type row) const
    {
        for (size_type k = a.row_ptrs[row] + Lanes::lane(); k < a.row_ptrs[row + 1]; k += Lanes::size) {
            values[k] = (rows[row] * a.values[k]) * columns[a.col_idxs[k]];
        }
    }
};

template <class V, class I>
struct RestoreFactors {
    PatternView<I> f;
    const real_t<V>* rows;
    const real_t<V>* columns;
    V* values;

    LINDEN_HOST_DEVICE size_type size() const { return f.rows; }
    LINDEN_HOST_DEVICE size_type num_entries() const { return f.num_nonzeros; }
    template <class Lanes>
    LINDEN_HOST_DEVICE void operator()(Lanes, size_type row) const
    {
        const real_t<V> back = real_t<V>{1} / rows[row];
        for (size_type k = f.row_ptrs[row] + Lanes::lane(); k < f.row_ptrs[row + 1]; k += Lanes::size) {
            const size_type col = f.col_idxs[k];
            const V value = back * values[k];
            values[k] = columns == nullptr ? value
                        : col < row        ? rows[col] * value
                                           : (real_t<V>{1} / columns[col]) * value;
        }
    }
};

template <class F>
void for_each_portable_equilibration(const F& f)
{
    for_each_real([&]<class R>() {
        f(equilibration_begin<R>, BodyOf<BeginFactors<R>>());
        f(equilibration_update<R>, BodyOf<UpdateFactors<R>>());
        f(equilibration_powers<R>, BodyOf<StorePowers<R>>());
        for_each_index([&]<class I>() { f(equilibration_norms<R, I>, BodyOf<NormsOfScaledRows<R, I>>()); });
    });
    for_each_value([&]<class V>() {
        f(equilibration_magnitudes<V>, BodyOf<LargerParts<V>>());
        f(equilibration_store<V>, BodyOf<StoreFactors<V>>());
    });
    for_each_value_index([&]<class V, class I>() {
        f(equilibration_scale<V, I>, BodyOf<ScaleBoth<V, I>>());
        f(equilibration_restore<V, I>, BodyOf<RestoreFactors<V, I>>());
    });
}

}  // namespace linden
