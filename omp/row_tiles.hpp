#pragma once

#include <linden/views.hpp>

#include <algorithm>

#include "omp/short_rows.hpp"

/// Rows that become columns of slices, in tiles: entries k, ..., k + 7 of neighbouring rows, those of a column side by
/// side. Rows come as vectors and are transposed in registers, eight at a time.
namespace linden::omp {

inline constexpr size_type tile_columns = 8;

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512VL__)

template <class V, class I>
inline constexpr bool has_row_tiles = has_short_rows<V, I>;

/// Row i becomes column i.
inline void transpose(__m256i (&rows)[8])
{
    constexpr __mmask8 all = 0xFF;  // plain forms make GCC 12 warn of what they leave undefined
    __m256i pairs[8], fours[8];
    for (int i = 0; i < 8; i += 2) {
        pairs[i] = _mm256_maskz_unpacklo_epi32(all, rows[i], rows[i + 1]);
        pairs[i + 1] = _mm256_maskz_unpackhi_epi32(all, rows[i], rows[i + 1]);
    }
    for (int i = 0; i < 8; i += 4) {
        for (int half = 0; half < 2; ++half) {
            fours[i + 2 * half] = _mm256_unpacklo_epi64(pairs[i + half], pairs[i + half + 2]);
            fours[i + 2 * half + 1] = _mm256_unpackhi_epi64(pairs[i + half], pairs[i + half + 2]);
        }
    }
    for (int i = 0; i < 4; ++i) {
        rows[i] = _mm256_permute2x128_si256(fours[i], fours[i + 4], 0x20);
        rows[i + 4] = _mm256_permute2x128_si256(fours[i], fours[i + 4], 0x31);
    }
}

/// Which of the entries k, ..., k + 7 a row has.
inline __mmask8 entries_of_tile(const std::int32_t* row_ptrs, size_type row, size_type k)
{
    const size_type left = row_ptrs[row + 1] - row_ptrs[row] - k;
    return static_cast<__mmask8>((1u << std::clamp<size_type>(left, 0, tile_columns)) - 1);
}

/// Columns, `padding` where a row has no more.
template <int rows>
void read_tile(const PatternView<std::int32_t>& a, size_type first, size_type k, std::int32_t padding,
               std::int32_t (&tile)[tile_columns][rows])
{
    static_assert(rows % 8 == 0);
    for (int block = 0; block < rows; block += 8) {
        __m256i of_rows[8];
        for (int i = 0; i < 8; ++i) {
            const size_type row = first + block + i;
            of_rows[i] = _mm256_mask_loadu_epi32(_mm256_set1_epi32(padding), entries_of_tile(a.row_ptrs, row, k),
                                                 a.col_idxs + a.row_ptrs[row] + k);
        }
        transpose(of_rows);
        for (size_type c = 0; c < tile_columns; ++c) {
            _mm256_storeu_si256(reinterpret_cast<__m256i*>(tile[c] + block), of_rows[c]);
        }
    }
}

/// Scaled values of up to `width` <= 8 columns, 0 where a row has no more; false if the tile ends where the matrix
/// does, and is not read.
template <int rows>
bool read_tile(const ScaledView<float, std::int32_t>& scaled, size_type first, size_type k, size_type width,
               float (&tile)[tile_columns][rows])
{
    const auto& a = scaled.a;
    if (a.row_ptrs[first + rows] + k + tile_columns > a.num_nonzeros) {
        return false;
    }
    // Also for entries of rows behind: loops of one length are foretold.
    alignas(32) float right[rows][tile_columns];
    for (int i = 0; i < rows; ++i) {
        const std::int32_t* const cols = a.col_idxs + a.row_ptrs[first + i] + k;
        for (size_type c = 0; c < width; ++c) {
            right[i][c] = scaled.right[cols[c]];
            asm volatile("");  // loads one by one are faster than those of a vector
        }
    }
    for (int block = 0; block < rows; block += 8) {
        __m256i of_rows[8];
        for (int i = 0; i < 8; ++i) {
            const size_type row = first + block + i;
            const __mmask8 there = entries_of_tile(a.row_ptrs, row, k);
            const __m256 values = _mm256_maskz_loadu_ps(there, a.values + a.row_ptrs[row] + k);
            const __m256 scales =
                _mm256_mul_ps(_mm256_set1_ps(scaled.left[row]), _mm256_load_ps(right[block + i]));
            of_rows[i] = _mm256_castps_si256(_mm256_maskz_mul_ps(there, scales, values));
        }
        transpose(of_rows);
        for (size_type c = 0; c < tile_columns; ++c) {
            _mm256_storeu_si256(reinterpret_cast<__m256i*>(tile[c] + block), of_rows[c]);
        }
    }
    return true;
}

#else

template <class V, class I>
inline constexpr bool has_row_tiles = false;

/// What code that is not compiled then names.
template <class Matrix, class... Args>
bool read_tile(const Matrix& a, const Args&... args);

#endif

}  // namespace linden::omp
