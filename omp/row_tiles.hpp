#pragma once

#include <linden/views.hpp>

#include <algorithm>

#include "core/portable/level_storage.hpp"
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
            const __m256 scales = _mm256_mul_ps(_mm256_set1_ps(scaled.left[row]), _mm256_load_ps(right[block + i]));
            of_rows[i] = _mm256_castps_si256(_mm256_maskz_mul_ps(there, scales, values));
        }
        transpose(of_rows);
        for (size_type c = 0; c < tile_columns; ++c) {
            _mm256_storeu_si256(reinterpret_cast<__m256i*>(tile[c] + block), of_rows[c]);
        }
    }
    return true;
}

/// What `aggregation_measure` asks of 8 rows of at most 8 entries, from `first` on, in the order of the entries.
struct EightMeasures {
    __m256 largest, sums;
    __mmask8 is_mixed;

    EightMeasures(const CsrView<float, std::int32_t>& a, size_type first)
    {
        __m256i cols[8], entries[8];
        for (int i = 0; i < 8; ++i) {
            const __mmask8 there = entries_of_tile(a.row_ptrs, first + i, 0);
            const std::int32_t begin = a.row_ptrs[first + i];
            cols[i] = _mm256_mask_loadu_epi32(_mm256_set1_epi32(-1), there, a.col_idxs + begin);
            entries[i] = _mm256_castps_si256(_mm256_maskz_loadu_ps(there, a.values + begin));
        }
        transpose(cols);
        transpose(entries);
        const __m256i rows = _mm256_add_epi32(_mm256_set1_epi32(static_cast<std::int32_t>(first)),
                                              _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
        const __m256i without_sign = _mm256_set1_epi32(0x7FFF'FFFF);
        const __m256 zero = _mm256_setzero_ps();
        __m256i diagonal = _mm256_setzero_si256();
        for (int c = 0; c < 8; ++c) {
            diagonal = _mm256_mask_mov_epi32(diagonal, _mm256_cmpeq_epi32_mask(cols[c], rows), entries[c]);
        }
        const __m256 of_diagonal = _mm256_castsi256_ps(diagonal);
        __m256 others = zero, opposed = zero;
        largest = zero;
        for (int c = 0; c < 8; ++c) {
            const __mmask8 is_other = _mm256_cmpneq_epi32_mask(cols[c], rows);
            const __m256 values = _mm256_castsi256_ps(entries[c]);
            const __m256 sizes = _mm256_castsi256_ps(_mm256_maskz_and_epi32(is_other, entries[c], without_sign));
            const __mmask8 is_opposed = _mm256_cmp_ps_mask(_mm256_mul_ps(values, of_diagonal), zero, _CMP_GT_OQ);
            others = _mm256_add_ps(others, sizes);
            largest = _mm256_max_ps(sizes, largest);
            opposed = _mm256_mask_add_ps(opposed, is_opposed, opposed, sizes);
        }
        sums = _mm256_add_ps(others, _mm256_castsi256_ps(_mm256_and_si256(diagonal, without_sign)));
        is_mixed = _mm256_cmp_ps_mask(_mm256_mul_ps(_mm256_set1_ps(10), opposed), others, _CMP_GT_OQ);
    }

    /// Whether 8 rows have at most 8 entries each.
    static bool fit(const std::int32_t* row_ptrs, size_type first)
    {
        const __m256i begins = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(row_ptrs + first));
        const __m256i ends = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(row_ptrs + first + 1));
        return _mm256_cmpgt_epi32_mask(_mm256_sub_epi32(ends, begins), _mm256_set1_epi32(8)) == 0;
    }
    /// is_mixed: or null.
    void store(float* to_largest, float* to_sums, std::int32_t* to_is_mixed) const
    {
        _mm256_storeu_ps(to_largest, largest);
        _mm256_storeu_ps(to_sums, sums);
        if (to_is_mixed != nullptr) {
            _mm256_storeu_si256(reinterpret_cast<__m256i*>(to_is_mixed), _mm256_maskz_set1_epi32(is_mixed, 1));
        }
    }
};

#else

template <class V, class I>
inline constexpr bool has_row_tiles = false;

struct EightMeasures {
    template <class Matrix>
    EightMeasures(const Matrix& a, size_type first);
    template <class I>
    static bool fit(const I* row_ptrs, size_type first);
    template <class R, class I>
    void store(R* to_largest, R* to_sums, I* to_is_mixed) const;
};

/// What code that is not compiled then names.
template <class Matrix, class... Args>
bool read_tile(const Matrix& a, const Args&... args);

#endif

/// left_i right_j a_ij for entries k, ..., k + 7 of up to `rows` rows, column by column; 0 where a row has no more.
template <int rows, class V, class I>
void read_scaled(const ScaledView<V, I>& scaled, size_type first, size_type count, size_type k, size_type width,
                 V (&tile)[tile_columns][rows])
{
    if constexpr (has_row_tiles<V, I>) {
        if (count == rows && read_tile(scaled, first, k, width, tile)) {
            return;
        }
    }
    std::fill_n(&tile[0][0], tile_columns * rows, V{});
    for (size_type i = 0; i < count; ++i) {
        const I from = scaled.a.row_ptrs[first + i];
        const size_type end = std::min<size_type>(k + tile_columns, scaled.a.row_ptrs[first + i + 1] - from);
        V* to = &tile[0][i];
        for (size_type j = from + k; j < from + end; ++j, to += rows) {
            *to = scaled_value(scaled, first + i, j);
            asm volatile("");  // loops as short as these take longer in vectors
        }
    }
}

}  // namespace linden::omp
