#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "core/base/math.hpp"
#include "core/base/mix.hpp"
#include "core/portable/level_storage.hpp"

namespace linden {

/// A number of the bits of a value.
template <class V>
LINDEN_HOST_DEVICE std::uint64_t number_of_bits(V value)
{
    using R = real_t<V>;
    using Bits = std::conditional_t<sizeof(R) == 8, std::uint64_t, std::uint32_t>;
    if constexpr (is_complex<V>) {
        struct Parts {
            Bits re, im;
        };
        const auto parts = std::bit_cast<Parts>(value);
        return parts.re + parts.im * mix_step;
    } else {
        return std::bit_cast<Bits>(value);
    }
}

template <class V>
LINDEN_HOST_DEVICE bool have_same_bits(V a, V b)
{
    using R = real_t<V>;
    if constexpr (is_complex<V>) {
        struct Parts {
            R re, im;
        };
        const auto of_a = std::bit_cast<Parts>(a);
        const auto of_b = std::bit_cast<Parts>(b);
        return have_same_bits(of_a.re, of_b.re) && have_same_bits(of_a.im, of_b.im);
    } else {
        return number_of_bits(a) == number_of_bits(b);
    }
}

/// What makes a row's stencil. Rows are short, and neighbouring threads have neighbouring ones.
template <class V, class I>
struct StencilRows {
    ScaledView<V, I> scaled;

    LINDEN_HOST_DEVICE size_type begin(size_type row) const { return scaled.a.row_ptrs[row]; }
    LINDEN_HOST_DEVICE size_type length(size_type row) const { return row_length(scaled.a, row); }
    LINDEN_HOST_DEVICE I offset(size_type row, size_type k) const { return static_cast<I>(scaled.a.col_idxs[k] - row); }
    LINDEN_HOST_DEVICE real_t<V> left(size_type row) const
    {
        return scaled.left == nullptr ? real_t<V>{1} : scaled.left[row];
    }
    LINDEN_HOST_DEVICE real_t<V> right(size_type k) const
    {
        return scaled.right == nullptr ? real_t<V>{1} : scaled.right[scaled.a.col_idxs[k]];
    }
    LINDEN_HOST_DEVICE V value(size_type row, size_type k) const
    {
        return scaled.left == nullptr ? scaled.a.values[k] : scaled_value(scaled, row, k);
    }

    /// Whether two rows have the same stencil.
    LINDEN_HOST_DEVICE bool are_same(size_type row, size_type other) const
    {
        const size_type first = begin(row), of_other = begin(other), n = length(row);
        bool is_same = n == length(other) && have_same_bits(left(row), left(other));
        for (size_type k = 0; k < n && is_same; ++k) {
            is_same = offset(row, first + k) == offset(other, of_other + k) &&
                      have_same_bits(scaled.a.values[first + k], scaled.a.values[of_other + k]) &&
                      have_same_bits(right(first + k), right(of_other + k));
        }
        return is_same;
    }

    /// The same for rows with the same stencil.
    LINDEN_HOST_DEVICE std::uint64_t hash(size_type row) const
    {
        const size_type first = begin(row), n = length(row);
        std::uint64_t sum = number_of_bits(left(row));
        for (size_type k = first; k < first + n; ++k) {
            sum = (sum + static_cast<std::uint64_t>(offset(row, k))) * mix_step;
            sum = ((sum ^ (sum >> 32)) + number_of_bits(scaled.a.values[k])) * mix_step;
            sum = ((sum ^ (sum >> 32)) + number_of_bits(right(k))) * mix_step;
        }
        return mixed(sum);
    }
};

}  // namespace linden
