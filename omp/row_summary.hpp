#pragma once

#include <linden/views.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <type_traits>

#include "core/portable/summary.hpp"

#if defined(__AVX512F__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
#include <immintrin.h>
#endif

/// Summaries of rows in double precision, eight entries at a time by AVX-512: which side of the diagonal they are on is
/// a mask, not a branch.
namespace linden::omp {

#if defined(__AVX512F__) && defined(__AVX512DQ__) && defined(__AVX512VL__)

template <class V, class I>
inline constexpr bool has_row_summary = std::is_same_v<V, double>&& std::is_same_v<I, std::int32_t>;

/// As EntrySummary, with the same numbers. [SteeleEtAl14]
class RowSummary {
public:
    void add(const CsrView<double, std::int32_t>& a, size_type row)
    {
        constexpr std::int32_t lanes = 8;
        const std::int32_t end = a.row_ptrs[row + 1];
        for (std::int32_t k = a.row_ptrs[row]; k < end; k += lanes) {
            const auto here = static_cast<__mmask8>((1u << std::min(lanes, end - k)) - 1);
            add(here, _mm512_set1_epi64(row),
                _mm512_maskz_cvtepi32_epi64(here, _mm256_maskz_loadu_epi32(here, a.col_idxs + k)),
                _mm512_maskz_loadu_pd(here, a.values + k));
        }
    }
    EntrySummary total() const
    {
        EntrySummary result;
        alignas(64) std::uint64_t differences[8], largest[8];
        _mm512_store_si512(differences, difference_);
        _mm512_store_si512(largest, largest_);
        for (int lane = 0; lane < 8; ++lane) {
            result.difference += differences[lane];
            result.largest = std::max(result.largest, largest[lane]);
        }
        result.num_diagonal = num_diagonal_;
        result.num_negative = num_negative_;
        return result;
    }

private:
    static __m512i times(__m512i x, std::uint64_t factor)
    {
        return _mm512_mullo_epi64(x, _mm512_set1_epi64(static_cast<long long>(factor)));
    }
    static std::uint64_t count(__mmask8 mask)
    {
        return static_cast<std::uint64_t>(std::popcount(static_cast<unsigned>(mask)));
    }
    template <unsigned bits>
    static __m512i folded(__m512i x)
    {
        return _mm512_xor_si512(x, _mm512_maskz_srli_epi64(0xFF, x, bits));
    }
    void add(__mmask8 here, __m512i row, __m512i col, __m512d value)
    {
        const __mmask8 is_upper = _mm512_mask_cmplt_epi64_mask(here, row, col);
        const __mmask8 is_lower = _mm512_mask_cmplt_epi64_mask(here, col, row);
        const auto is_diagonal = static_cast<__mmask8>(here & ~(is_upper | is_lower));
        const __m512d zero = _mm512_setzero_pd();
        const __m512i bits =
            _mm512_maskz_mov_epi64(_mm512_cmp_pd_mask(value, zero, _CMP_NEQ_UQ), _mm512_castpd_si512(value));
        const __m512i low = _mm512_mask_mov_epi64(row, is_lower, col);
        const __m512i high = _mm512_mask_mov_epi64(col, is_lower, row);
        __m512i number = _mm512_add_epi64(_mm512_add_epi64(times(low, mix_step), times(high, entry_col_step)), bits);
        number = times(folded<30>(number), 0xBF58476D1CE4E5B9u);  // mixed
        number = folded<31>(times(folded<27>(number), 0x94D049BB133111EBu));
        difference_ = _mm512_mask_add_epi64(difference_, is_upper, difference_, number);
        difference_ = _mm512_mask_sub_epi64(difference_, is_lower, difference_, number);
        num_diagonal_ += count(is_diagonal);
        num_negative_ += count(_mm512_mask_cmp_pd_mask(is_diagonal, value, zero, _CMP_LT_OQ));
        const __m512i size = _mm512_and_si512(_mm512_castpd_si512(value), _mm512_set1_epi64(INT64_MAX));
        largest_ = _mm512_mask_max_epu64(largest_, here, largest_, size);
    }

    __m512i difference_ = _mm512_setzero_si512();
    __m512i largest_ = _mm512_setzero_si512();
    std::uint64_t num_diagonal_ = 0, num_negative_ = 0;
};

#else

template <class V, class I>
inline constexpr bool has_row_summary = false;

/// What code that is not compiled then names.
class RowSummary {
public:
    template <class Matrix>
    void add(const Matrix& a, size_type row);
    EntrySummary total() const;
};

#endif

/// The summary of rows [begin, end).
template <class V, class I>
EntrySummary summary_of_rows(const CsrView<V, I>& a, size_type begin, size_type end)
{
    if constexpr (has_row_summary<V, I>) {
        RowSummary summary;
        for (size_type row = begin; row < end; ++row) {
            summary.add(a, row);
        }
        return summary.total();
    } else {
        EntrySummary summary;
        for (size_type row = begin; row < end; ++row) {
            for (I k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
                summary.add(row, a.col_idxs[k], a.values[k]);
            }
        }
        return summary;
    }
}

}  // namespace linden::omp
