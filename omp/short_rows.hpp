#pragma once

#include <linden/views.hpp>

#include <bit>
#include <limits>
#include <type_traits>

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512VL__)
#include <immintrin.h>
#endif

/// Rows of at most 16 entries as vectors of AVX-512, with a mask of what exists. Loops over rows of transfers, whose
/// lengths differ, spend most of their time on ends that the processor has foretold wrongly.
namespace linden::omp {

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512VL__)

template <class V, class I>
inline constexpr bool has_short_rows = std::is_same_v<V, float>&& std::is_same_v<I, std::int32_t>;

/// A row of at most 16 entries.
struct ShortRow {
    static constexpr std::int32_t most = 16;
    static constexpr std::int32_t most_wanted = 8;  ///< of columns that are looked for

    const float* values;
    const std::int32_t* cols;
    std::int32_t length;

    ShortRow(const CsrView<float, std::int32_t>& a, size_type row)
        : values(a.values + a.row_ptrs[row]),
          cols(a.col_idxs + a.row_ptrs[row]),
          length(a.row_ptrs[row + 1] - a.row_ptrs[row])
    {
    }

    bool fits() const { return length <= most; }
    static __mmask16 first(std::int32_t count) { return static_cast<__mmask16>((1u << count) - 1); }
    __mmask16 mask() const { return first(length); }
    __m512 load_values() const { return _mm512_maskz_loadu_ps(mask(), values); }
    __m512i load_cols() const { return _mm512_maskz_loadu_epi32(mask(), cols); }

    /// Which of the entries are in a part of the row with so many columns, at most 8.
    __mmask16 find(const std::int32_t* part, std::int32_t count) const
    {
        const __m256i wanted =
            _mm256_mask_loadu_epi32(_mm256_set1_epi32(-1), static_cast<__mmask8>(first(count)), part);
        alignas(32) std::int32_t each[8];
        _mm256_store_si256(reinterpret_cast<__m256i*>(each), wanted);
        const __m512i here = _mm512_mask_loadu_epi32(_mm512_set1_epi32(-2), mask(), cols);
        __mmask16 found = 0;
        for (const auto col : each) {
            found |= _mm512_cmpeq_epi32_mask(here, _mm512_set1_epi32(col));
        }
        return found;
    }
};

/// In ascending order, by Batcher's network of merges. [Knuth98, 5.3.4]
inline __m256i sorted_eight(__m256i cols)
{
    const auto step = [&](__m256i partners, __mmask8 is_higher) {
        const __m256i others = _mm256_maskz_permutexvar_epi32(0xFF, partners, cols);
        cols = _mm256_mask_max_epi32(_mm256_maskz_min_epi32(0xFF, cols, others), is_higher, cols, others);
    };
    step(_mm256_setr_epi32(1, 0, 3, 2, 5, 4, 7, 6), 0b10101010);
    step(_mm256_setr_epi32(2, 3, 0, 1, 6, 7, 4, 5), 0b11001100);
    step(_mm256_setr_epi32(0, 2, 1, 3, 4, 6, 5, 7), 0b01000100);
    step(_mm256_setr_epi32(4, 5, 6, 7, 0, 1, 2, 3), 0b11110000);
    step(_mm256_setr_epi32(0, 1, 4, 5, 2, 3, 6, 7), 0b00110000);
    step(_mm256_setr_epi32(0, 2, 1, 4, 3, 6, 5, 7), 0b01010100);
    return cols;
}

/// Sixteen copies of the greatest of 16 values.
inline __m512 greatest(__m512 x)
{
    constexpr __mmask16 all = 0xFFFF;  // plain forms make GCC 12 warn of what they leave undefined
    const auto lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    for (const int distance : {8, 4, 2, 1}) {
        const auto others = _mm512_maskz_xor_epi32(all, lanes, _mm512_set1_epi32(distance));
        x = _mm512_maskz_max_ps(all, x, _mm512_maskz_permutexvar_ps(all, others, x));
    }
    return x;
}

/// The sum of 16 values, in sixteen copies.
inline __m512 total(__m512 x)
{
    constexpr __mmask16 all = 0xFFFF;
    const auto lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    for (const int distance : {8, 4, 2, 1}) {
        const auto others = _mm512_maskz_xor_epi32(all, lanes, _mm512_set1_epi32(distance));
        x = _mm512_maskz_add_ps(all, x, _mm512_maskz_permutexvar_ps(all, others, x));
    }
    return x;
}

inline __m512 magnitudes(__m512 x)
{
    constexpr __mmask16 all = 0xFFFF;
    return _mm512_castsi512_ps(_mm512_maskz_and_epi32(all, _mm512_castps_si512(x), _mm512_set1_epi32(0x7FFF'FFFF)));
}

/// Which entries are above `threshold` times the largest finite one, or not finite.
inline __mmask16 find_large(const ShortRow& row, double threshold)
{
    const __m512 sizes = magnitudes(row.load_values());
    const auto is_finite =
        _mm512_cmp_ps_mask(sizes, _mm512_set1_ps(std::numeric_limits<float>::infinity()), _CMP_LT_OQ);
    const __m512 most = greatest(_mm512_maskz_mov_ps(is_finite, sizes));
    const __m512 limit = _mm512_maskz_mul_ps(0xFFFF, _mm512_set1_ps(static_cast<float>(threshold)), most);
    const __mmask16 is_small = _mm512_cmp_ps_mask(sizes, limit, _CMP_LE_OQ) & is_finite;
    return static_cast<__mmask16>(~is_small) & row.mask();
}

/// The columns of large entries, `count` of them, to `to`.
inline void take_large(const ShortRow& row, double threshold, std::int32_t count, std::int32_t* to)
{
    const __m512i taken = _mm512_maskz_compress_epi32(find_large(row, threshold), row.load_cols());
    _mm512_mask_storeu_epi32(to, ShortRow::first(count), taken);
}

/// to := P - weight C, for a row of P of at most 8 entries and one of C.
inline void subtract(const ShortRow& p, const ShortRow& c, float weight, float* to)
{
    const __m512 old = _mm512_maskz_expand_ps(c.find(p.cols, p.length), p.load_values());
    _mm512_mask_storeu_ps(to, c.mask(), _mm512_fnmadd_ps(_mm512_set1_ps(weight), c.load_values(), old));
}

/// The values of `row` in `count` kept columns, at most 8, the others added to the first of the largest.
inline void truncate(const ShortRow& row, const std::int32_t* kept, std::int32_t count, float* to)
{
    const __mmask16 is_kept = row.find(kept, count);
    const __m512 values = row.load_values();
    const __m512 rest = total(_mm512_maskz_mov_ps(static_cast<__mmask16>(~is_kept), values));
    const __m512 sizes = _mm512_mask_mov_ps(_mm512_set1_ps(-1), is_kept, magnitudes(values));
    const auto is_largest = static_cast<unsigned>(_mm512_cmp_ps_mask(sizes, greatest(sizes), _CMP_EQ_OQ)) & is_kept;
    const auto first_largest = static_cast<__mmask16>(is_largest & (0 - is_largest));
    const __m512 result = _mm512_mask_add_ps(values, first_largest, values, rest);
    _mm512_mask_storeu_ps(to, ShortRow::first(count), _mm512_maskz_compress_ps(is_kept, result));
}

#else

template <class V, class I>
inline constexpr bool has_short_rows = false;

/// What code that is not compiled then names.
struct ShortRow {
    static constexpr std::int32_t most_wanted = 0;

    std::int32_t length;

    template <class Matrix>
    ShortRow(const Matrix& a, size_type row);
    bool fits() const;
};
unsigned find_large(const ShortRow& row, double threshold);
void take_large(const ShortRow& row, double threshold, std::int32_t count, std::int32_t* to);
void subtract(const ShortRow& p, const ShortRow& c, float weight, float* to);
void truncate(const ShortRow& row, const std::int32_t* kept, std::int32_t count, float* to);

#endif

}  // namespace linden::omp
