#pragma once

#include <linden/types.hpp>

#include <algorithm>
#include <cstring>

#include "core/base/math.hpp"

/// Products of small dense matrices by columns, in registers. Every entry is the sum of its products in the order of
/// their columns, whatever tile it is in.
namespace linden::omp {

#if defined(__AVX512F__)
inline constexpr int register_bytes = 64;
#elif defined(__AVX__)
inline constexpr int register_bytes = 32;
#else
inline constexpr int register_bytes = 16;
#endif

/// C = A B^T with real parts and imaginary ones as rows and columns of their own: a tile is of two registers of rows
/// and four columns, which leaves room for sums, a column of A and an entry of B in 16 registers.
template <class V>
class DenseProducts {
    using R = real_t<V>;
    static constexpr int parts = is_complex<V> ? 2 : 1;
    static constexpr int lanes = register_bytes / static_cast<int>(sizeof(R));
    static constexpr int real_rows = 2 * lanes, real_cols = 4;

public:
    static constexpr int rows = real_rows / parts, cols = real_cols / parts;  ///< of a tile

    static constexpr size_type num_packed(size_type count, size_type depth)
    {
        return (count + cols - 1) / cols * cols * depth * parts;
    }
    static constexpr size_type num_in_strip(size_type depth) { return real_rows * depth; }

    /// `to` := B, count x depth, tile by tile. entry(j, k): its entries; to: num_packed values.
    template <class Entry>
    static void pack(size_type count, size_type depth, const Entry& entry, R* to)
    {
        for (size_type first = 0; first < count; first += cols) {
            const auto num = static_cast<int>(std::min<size_type>(cols, count - first));
            for (size_type k = 0; k < depth; ++k) {
                for (int j = 0; j < cols; ++j, to += parts) {
                    const V value = j < num ? entry(first + j, k) : V{};
                    if constexpr (is_complex<V>) {
                        to[0] = value.real();
                        to[1] = value.imag();
                    } else {
                        to[0] = value;
                    }
                }
            }
        }
    }

    /// Calls subtract(i, num_rows, j, num_cols, tile) for tiles of C = A B^T from row i and column j on, for those with
    /// entries on or below the diagonal, which is `below` rows before A's first. a: m x depth, by columns `stride`
    /// values apart; b: as `pack` leaves it; strip: room for num_in_strip(depth) values.
    template <class Subtract>
    static void for_each_tile(const V* a, size_type m, size_type stride, size_type below, const R* b, size_type count,
                              size_type depth, R* strip, const Subtract& subtract)
    {
        alignas(64) R tile[real_rows * real_cols];
        for (size_type i = 0; i < m; i += rows) {
            const auto num_rows = static_cast<int>(std::min<size_type>(rows, m - i));
            const R* of_strip = reinterpret_cast<const R*>(a + i);
            size_type apart = stride * parts;
            if (num_rows < rows || count > 4 * cols) {
                copy_strip(a + i, num_rows, stride, depth, strip);
                of_strip = strip;
                apart = real_rows;
            }
            const bool is_low = num_rows * parts <= lanes;
            for (size_type j = 0; j < count && j < i + num_rows + below; j += cols) {
                const R* const of_tile = b + j * depth * parts;
                is_low ? multiply<1>(of_strip, apart, of_tile, depth, tile)
                       : multiply<2>(of_strip, apart, of_tile, depth, tile);
                subtract(i, num_rows, j, static_cast<int>(std::min<size_type>(cols, count - j)), tile);
            }
        }
    }

    /// Entry (i, j) of a tile.
    static V entry(const R* tile, int i, int j)
    {
        if constexpr (is_complex<V>) {
            const R *const by_real = tile + 2 * j * real_rows + 2 * i, *const by_imaginary = by_real + real_rows;
            return V(by_real[0] - by_imaginary[1], by_real[1] + by_imaginary[0]);
        } else {
            return tile[j * real_rows + i];
        }
    }

private:
    using Register [[gnu::vector_size(register_bytes)]] = R;

    static void copy_strip(const V* a, int num_rows, size_type stride, size_type depth, R* to)
    {
        for (size_type k = 0; k < depth; ++k, to += real_rows) {
            const R* const from = reinterpret_cast<const R*>(a + k * stride);
            if (num_rows == rows) {
                std::memcpy(to, from, real_rows * sizeof(R));
            } else {
                std::copy_n(from, num_rows * parts, to);
                std::fill(to + num_rows * parts, to + real_rows, R{});
            }
        }
    }

    static Register load(const R* from)
    {
        Register x;
        std::memcpy(&x, from, sizeof(x));
#if defined(__AVX512F__) && defined(__GNUC__)
        asm("" : "+v"(x));  // It stays in its register: GCC 12 would load it anew for each of the four products.
#endif
        return x;
    }

    /// Sums by name: compilers keep those of an array in memory.
    template <int registers>
    static void multiply(const R* a, size_type stride, const R* b, size_type depth, R* tile)
    {
        Register c0{}, c1{}, c2{}, c3{}, d0{}, d1{}, d2{}, d3{};
        for (size_type k = 0; k < depth; ++k, a += stride, b += real_cols) {
            const Register x = load(a);
            c0 += x * b[0];
            c1 += x * b[1];
            c2 += x * b[2];
            c3 += x * b[3];
            if constexpr (registers == 2) {
                const Register y = load(a + lanes);
                d0 += y * b[0];
                d1 += y * b[1];
                d2 += y * b[2];
                d3 += y * b[3];
            }
        }
        store(c0, c1, c2, c3, tile);
        if constexpr (registers == 2) {
            store(d0, d1, d2, d3, tile + lanes);
        }
    }
    static void store(Register x0, Register x1, Register x2, Register x3, R* tile)
    {
        std::memcpy(tile, &x0, sizeof(x0));
        std::memcpy(tile + real_rows, &x1, sizeof(x1));
        std::memcpy(tile + 2 * real_rows, &x2, sizeof(x2));
        std::memcpy(tile + 3 * real_rows, &x3, sizeof(x3));
    }
};

}  // namespace linden::omp
