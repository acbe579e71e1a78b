#pragma once

#include <linden/half.hpp>
#include <linden/views_formats.hpp>

#include <cstdint>
#include <type_traits>

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512VL__)
#include <immintrin.h>
#endif

/// Rows of sliced ELLPACK in half precision by AVX-512: compilers take the conversions apart, and the 32 addresses of a
/// column through general registers. Products with the levels of multigrid take half the time with it.
namespace linden::omp {

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512VL__)

/// Whether 32 rows of these types can be added up by `sum_half_rows`.
template <class V, class S, class J>
inline constexpr bool has_half_rows =
    std::is_same_v<V, float>&& std::is_same_v<S, half>&& std::is_same_v<J, std::uint16_t>;

/// b[columns], for four columns of 16 bits.
[[gnu::always_inline]] inline __m128 load_four(std::int64_t columns, const float* b)
{
    const auto bits = static_cast<std::uint64_t>(columns);
    const auto value = [&](int i) { return _mm_load_ss(b + (bits >> (16 * i) & 0xFFFF)); };
    return _mm_movelh_ps(_mm_unpacklo_ps(value(0), value(1)), _mm_unpacklo_ps(value(2), value(3)));
}

/// The values of b at 16 columns, 0 at padding. Single loads take four fifths of the time of a gathering instruction on
/// Zen 4. Inlined, since GCC 12 keeps no vector in a register over a call.
[[gnu::always_inline]] inline __m512 gather_half_row(__m256i cols, const float* b)
{
    // Without masks GCC 12 warns of what it leaves undefined.
    const __mmask16 exists = _mm256_cmpneq_epu16_mask(cols, _mm256_set1_epi16(-1));
    const __m256i found = _mm256_maskz_mov_epi16(exists, cols);
    const __m256 low =
        _mm256_set_m128(load_four(_mm256_extract_epi64(found, 1), b), load_four(_mm256_extract_epi64(found, 0), b));
    const __m256 high =
        _mm256_set_m128(load_four(_mm256_extract_epi64(found, 3), b), load_four(_mm256_extract_epi64(found, 2), b));
    return _mm512_maskz_mov_ps(exists, _mm512_insertf32x8(_mm512_castps256_ps512(low), high, 1));
}

/// Asks for what a later slice reads of b beyond the one before it, if rows are fewer than columns: those of
/// restrictions go from line to line of a grid, which processors do not foresee. Inlined, since GCC 12 drops calls of
/// functions that do nothing else.
[[gnu::always_inline]] inline void fetch_ahead(const SellLayout<std::int32_t>& layout, const std::int32_t* bases,
                                               size_type slice, const float* b)
{
    constexpr size_type distance = 4, values_per_line = 16, most_values = 1024;
    if (layout.cols <= layout.rows || slice + distance >= layout.num_slices()) {
        return;
    }
    const size_type before = layout.first_column(slice + distance), last = layout.last_column(slice + distance);
    if (before == 0 || before == last) {
        return;
    }
    const size_type begin = bases[before - 1], end = bases[last - 1];
    for (size_type i = begin; i < end && end - begin <= most_values; i += values_per_line) {
        __builtin_prefetch(b + i);
    }
}

/// to[i] := half(values[i]), i < 16, with the one bit pattern that `half` has for what is no number.
inline void round_half_row(const float* values, half* to)
{
    constexpr __mmask16 all = 0xFFFF;
    const __m512 row = _mm512_loadu_ps(values);
    const __m256i rounded = _mm512_maskz_cvtps_ph(all, row, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    const __mmask16 is_none = _mm512_cmp_ps_mask(row, row, _CMP_UNORD_Q);
    const __m256i none = _mm256_or_si256(_mm256_and_si256(rounded, _mm256_set1_epi16(static_cast<short>(0x8000))),
                                         _mm256_set1_epi16(0x7E00));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm256_mask_mov_epi16(rounded, is_none, none));
}

/// sums[i] := (A b)(row at position first + i), i < 32; b is contiguous.
inline void sum_half_rows(const SellView<half, std::uint16_t>& a, size_type slice, size_type first, const float* b,
                          float* sums)
{
    constexpr __mmask16 all = 0xFFFF;
    const __m256i low_run = _mm256_setr_epi16(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const __m256i high_run = _mm256_add_epi16(low_run, _mm256_set1_epi16(16));
    const auto& layout = a.layout;
    fetch_ahead(layout, a.bases, slice, b);
    const size_type last = layout.last_column(slice);
    size_type entry = layout.first_column(slice) * layout.slice_rows + first - slice * layout.slice_rows;
    __m512 low = _mm512_setzero_ps();
    __m512 high = _mm512_setzero_ps();
    for (size_type c = layout.first_column(slice); c < last; ++c, entry += layout.slice_rows) {
        const auto* const cols = reinterpret_cast<const __m256i*>(a.col_idxs + entry);
        const auto* const values = reinterpret_cast<const __m256i*>(a.values + entry);
        const __m256i low_cols = _mm256_loadu_si256(cols);
        const __m256i high_cols = _mm256_loadu_si256(cols + 1);
        const std::uint16_t start = a.col_idxs[entry];
        const __m256i starts = _mm256_set1_epi16(static_cast<short>(start));
        const float* const base = b + a.bases[c];
        const __m256i differences = _mm256_or_si256(_mm256_xor_si256(low_cols, _mm256_add_epi16(low_run, starts)),
                                                    _mm256_xor_si256(high_cols, _mm256_add_epi16(high_run, starts)));
        __m512 of_low, of_high;
        if (_mm256_testz_si256(differences, differences) != 0 && start <= 0xFFFF - 32) {
            of_low = _mm512_loadu_ps(base + start);
            of_high = _mm512_loadu_ps(base + start + 16);
        } else {
            of_low = gather_half_row(low_cols, base);
            of_high = gather_half_row(high_cols, base);
        }
        low = _mm512_fmadd_ps(_mm512_maskz_cvtph_ps(all, _mm256_loadu_si256(values)), of_low, low);
        high = _mm512_fmadd_ps(_mm512_maskz_cvtph_ps(all, _mm256_loadu_si256(values + 1)), of_high, high);
    }
    _mm512_storeu_ps(sums, low);
    _mm512_storeu_ps(sums + 16, high);
}

#else

template <class V, class S, class J>
inline constexpr bool has_half_rows = false;

void round_half_row(const float* values, half* to);
void sum_half_rows(const SellView<half, std::uint16_t>& a, size_type slice, size_type first, const float* b,
                   float* sums);

#endif

}  // namespace linden::omp
