#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "core/base/math.hpp"
#include "core/base/mix.hpp"
#include "core/kernels/multigrid.hpp"

/// What every backend's `multigrid_summarize` adds up: integers, so that their order does not matter.
namespace linden {

/// What columns are multiplied by.
inline constexpr std::uint64_t entry_col_step = 0xD1342543DE82EF95u;

/// The number of an entry; those of entries that differ do not differ by chance but once in 2^64. Zeros have one sign.
template <class R>
LINDEN_HOST_DEVICE inline std::uint64_t entry_number(size_type row, size_type col, R re, R im)
{
    using Bits = std::conditional_t<sizeof(R) == 8, std::uint64_t, std::uint32_t>;
    const auto bits = [](R x) { return x == R{} ? std::uint64_t{0} : std::uint64_t{std::bit_cast<Bits>(x)}; };
    return mixed(static_cast<std::uint64_t>(row) * mix_step + static_cast<std::uint64_t>(col) * entry_col_step +
                 bits(re) + bits(im) * 0xDA942042E4DD58B5u);
}

/// Of some entries; those of all are the sums, and the largest.
struct EntrySummary {
    std::uint64_t difference = 0, num_diagonal = 0, num_negative = 0, largest = 0;

    template <class V>
    LINDEN_HOST_DEVICE void add(size_type row, size_type col, V value)
    {
        using R = real_t<V>;
        if constexpr (is_complex<V>) {
            struct Parts {
                R re, im;
            };
            const auto parts = std::bit_cast<Parts>(value);
            add_parts(row, col, parts.re, parts.im);
            note_size(parts.im);
        } else {
            add_parts(row, col, value, R{});
        }
    }

private:
    template <class R>
    LINDEN_HOST_DEVICE void add_parts(size_type row, size_type col, R re, R im)
    {
        if (row < col) {
            difference += entry_number(row, col, re, im);
        } else if (row > col) {
            difference -= entry_number(col, row, re, -im);
        } else {
            difference += im == R{} ? 0 : entry_number(row, row, re, im);
            num_diagonal += 1;
            num_negative += re < R{} ? 1 : 0;
        }
        note_size(re);
    }
    /// Numbers that are not negative are in the order of their bits; what is no number is beyond them.
    template <class R>
    LINDEN_HOST_DEVICE void note_size(R part)
    {
        const auto bits = std::bit_cast<std::uint64_t>(static_cast<double>(part)) & ~(std::uint64_t{1} << 63);
        largest = bits > largest ? bits : largest;
    }
};

}  // namespace linden
