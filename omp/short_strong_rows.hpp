#pragma once

#include <linden/views.hpp>

#include <algorithm>
#include <bit>
#include <limits>

#include "core/kernels/aggregation.hpp"
#include "core/kernels/multigrid.hpp"
#include "core/portable/join_rest.hpp"
#include "omp/short_row_aggregates.hpp"
#include "omp/short_rows.hpp"

/// Strong entries of rows, and rows of prolongators of at most 8 of them, as vectors of AVX-512, with a mask of what
/// exists.
namespace linden::omp {

/// What a row whose marked entries are taken leaves for its diagonal.
template <class V, class I>
struct MarkedRow {
    I diagonal_at;
    V diagonal{};
    V weak{};         ///< the sum of those that are not marked
    real_t<V> sum{};  ///< of magnitudes of the others off the diagonal
};

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512VL__) && defined(__AVX512CD__)

template <class V, class I>
inline constexpr bool has_short_strong_rows = has_short_rows<V, I>;

/// Whether all entries of a row of at most 8 are strong by the limit of the row itself, or on the diagonal.
/// [StrengthRule]
inline bool is_all_strong(const CsrView<float, std::int32_t>& a, const StrengthRule<float>& rule, size_type row)
{
    const std::int32_t begin = a.row_ptrs[row];
    const auto there = static_cast<__mmask8>((1u << (a.row_ptrs[row + 1] - begin)) - 1);
    const __m256i cols = _mm256_maskz_loadu_epi32(there, a.col_idxs + begin);
    const __m256 values = _mm256_maskz_loadu_ps(there, a.values + begin);
    const __mmask8 is_diagonal =
        there & _mm256_cmpeq_epi32_mask(cols, _mm256_set1_epi32(static_cast<std::int32_t>(row)));
    const __m256 sizes =
        _mm256_castsi256_ps(_mm256_maskz_and_epi32(there, _mm256_castps_si256(values), _mm256_set1_epi32(0x7FFF'FFFF)));
    const __m256 diagonal =
        _mm256_broadcastss_ps(_mm256_castps256_ps128(_mm256_maskz_compress_ps(is_diagonal, values)));
    const __m256 limit = _mm256_set1_ps(static_cast<float>(0.9999 * rule.threshold) * rule.largest[row]);
    const __mmask8 is_above = _mm256_cmp_ps_mask(sizes, limit, _CMP_GE_OQ);
    const __mmask8 is_something = _mm256_cmp_ps_mask(sizes, _mm256_setzero_ps(), _CMP_GT_OQ);
    const __mmask8 is_opposed = _mm256_cmp_ps_mask(_mm256_mul_ps(values, diagonal), _mm256_setzero_ps(), _CMP_GT_OQ);
    return static_cast<__mmask8>((is_above & is_something & ~is_opposed) | is_diagonal | ~there) == 0xFF;
}

/// The strong entries of a row, and whether mirror images of others decide.
struct StrongOfRow {
    std::int32_t count = 0;
    bool has_doubtful = false;
};

/// The value on the diagonal, in 16 copies; 0 if there is none.
inline __m512 diagonal_of(const CsrView<float, std::int32_t>& a, size_type row)
{
    for (std::int32_t k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; k += ShortRow::most) {
        const __mmask16 there = ShortRow::first(std::min(ShortRow::most, a.row_ptrs[row + 1] - k));
        const __m512i cols = _mm512_maskz_loadu_epi32(there, a.col_idxs + k);
        const __mmask16 is_diagonal =
            _mm512_mask_cmpeq_epi32_mask(there, cols, _mm512_set1_epi32(static_cast<std::int32_t>(row)));
        if (is_diagonal != 0) {
            return _mm512_set1_ps(a.values[k + std::countr_zero(static_cast<unsigned>(is_diagonal))]);
        }
    }
    return _mm512_setzero_ps();
}

/// What PlainStrength says of a row, 16 entries at a time.  marks: of all entries of a, or null.
inline StrongOfRow find_strong(const CsrView<float, std::int32_t>& a, const StrengthRule<float>& rule, size_type row,
                               std::uint8_t* marks)
{
    const bool is_exact_row = rule.sums == nullptr || rule.sums[row] < 1000 * rule.largest[row];
    const __m512 diagonal = diagonal_of(a, row);
    const __m512 factor = _mm512_set1_ps(static_cast<float>(0.9999 * rule.threshold));
    const __m512 here = _mm512_set1_ps(rule.largest[row]);
    const __m512 zero = _mm512_setzero_ps();
    StrongOfRow result;
    for (std::int32_t k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; k += ShortRow::most) {
        const __mmask16 there = ShortRow::first(std::min(ShortRow::most, a.row_ptrs[row + 1] - k));
        const __m512i cols = _mm512_maskz_loadu_epi32(there, a.col_idxs + k);
        const __m512 values = _mm512_maskz_loadu_ps(there, a.values + k);
        const __m512 sizes = magnitudes(values);
        const __m512 others = _mm512_mask_i32gather_ps(zero, there, cols, rule.largest, 4);
        const __m512 limit = _mm512_mul_ps(factor, _mm512_maskz_min_ps(0xFFFF, here, others));
        const __mmask16 is_diagonal = _mm512_cmpeq_epi32_mask(cols, _mm512_set1_epi32(static_cast<std::int32_t>(row)));
        const __mmask16 is_above = _mm512_cmp_ps_mask(sizes, limit, _CMP_GE_OQ);
        const __mmask16 is_something = _mm512_cmp_ps_mask(sizes, zero, _CMP_GT_OQ);
        const __mmask16 is_opposed = _mm512_cmp_ps_mask(_mm512_mul_ps(values, diagonal), zero, _CMP_GT_OQ);
        const auto is_strong = static_cast<__mmask16>(there & ((is_above & is_something & ~is_opposed) | is_diagonal));
        if (marks != nullptr) {
            _mm_mask_storeu_epi8(marks + k, there, _mm_maskz_set1_epi8(is_strong, 1));
        }
        result.count += std::popcount(static_cast<unsigned>(is_strong));
        const auto rest = static_cast<__mmask16>(there & ~is_strong);
        if (rest != 0 && !result.has_doubtful) {
            const __m512 a_little_more = _mm512_mul_ps(_mm512_set1_ps(1.001F), sizes);
            const __mmask16 is_weak = _mm512_mask_cmp_ps_mask(rest, a_little_more, limit, _CMP_LT_OQ);
            const __m512 sums = rule.sums == nullptr ? zero : _mm512_mask_i32gather_ps(zero, rest, cols, rule.sums, 4);
            const __mmask16 is_exact =
                rule.sums == nullptr
                    ? rest
                    : _mm512_mask_cmp_ps_mask(rest, sums, _mm512_mul_ps(_mm512_set1_ps(1000), others), _CMP_LT_OQ);
            result.has_doubtful = !rule.is_hermitian || !is_exact_row || (is_weak & is_exact) != rest;
        }
    }
    return result;
}

/// The sum of those `chosen` of 16 values, in their order, added to `sum`.
inline float sum_of(float sum, __mmask16 chosen, __m512 values)
{
    alignas(64) float each[ShortRow::most];
    _mm512_store_ps(each, _mm512_maskz_compress_ps(chosen, values));
    const int n = std::popcount(static_cast<unsigned>(chosen));
    for (int i = 0; i < n; ++i) {
        sum += each[i];
    }
    return sum;
}

/// The marked entries of a row to their places from `at` on, 16 at a time.
inline MarkedRow<float, std::int32_t> take_marked_row(const CsrView<float, std::int32_t>& a, const std::uint8_t* marks,
                                                      size_type row, std::int32_t at, std::int32_t* col_idxs,
                                                      float* values)
{
    MarkedRow<float, std::int32_t> result{at};
    for (std::int32_t k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; k += ShortRow::most) {
        const __mmask16 there = ShortRow::first(std::min(ShortRow::most, a.row_ptrs[row + 1] - k));
        const __m512i cols = _mm512_maskz_loadu_epi32(there, a.col_idxs + k);
        const __m512 here = _mm512_maskz_loadu_ps(there, a.values + k);
        const __m128i marked = _mm_maskz_loadu_epi8(there, marks + k);
        const __mmask16 is_strong = _mm_test_epi8_mask(marked, marked);
        const __mmask16 is_diagonal =
            _mm512_mask_cmpeq_epi32_mask(there, cols, _mm512_set1_epi32(static_cast<std::int32_t>(row)));
        const int count = std::popcount(static_cast<unsigned>(is_strong));
        const __mmask16 kept = ShortRow::first(count);
        _mm512_mask_storeu_epi32(col_idxs + at, kept, _mm512_maskz_compress_epi32(is_strong, cols));
        _mm512_mask_storeu_ps(values + at, kept, _mm512_maskz_compress_ps(is_strong, here));
        if (is_diagonal != 0) {
            const unsigned before = (is_diagonal & (0u - is_diagonal)) - 1;
            result.diagonal_at = at + std::popcount(is_strong & before);
            result.diagonal = a.values[k + std::countr_zero(static_cast<unsigned>(is_diagonal))];
        }
        result.sum = sum_of(result.sum, static_cast<__mmask16>(is_strong & ~is_diagonal), magnitudes(here));
        result.weak = sum_of(result.weak, static_cast<__mmask16>(there & ~is_strong), here);
        at += count;
    }
    return result;
}

/// values[cols[k]] for the first 8 entries of a row of n, -1 behind them; so many entries are `left` in the matrix.
/// Loads one by one are faster than those of a vector.
inline __m256i values_at(const std::int32_t* cols, std::int32_t n, std::int32_t left, const std::int32_t* values)
{
    const auto there = static_cast<__mmask8>((1u << n) - 1);
    if (left < 8) {
        return _mm256_mmask_i32gather_epi32(_mm256_set1_epi32(-1), there, _mm256_maskz_loadu_epi32(there, cols), values,
                                            4);
    }
    const __m256i all = _mm256_setr_epi32(values[cols[0]], values[cols[1]], values[cols[2]], values[cols[3]],
                                          values[cols[4]], values[cols[5]], values[cols[6]], values[cols[7]]);
    return _mm256_mask_mov_epi32(_mm256_set1_epi32(-1), there, all);
}

/// Row `row` of P, which has at most 8 strong entries, as `multigrid_prolongator` says: its different columns are
/// sorted, and each of the row is compared with all of them, which tells where it adds to.
inline void make_short_row(const CsrView<float, std::int32_t>& f, const SmoothedAggregates<float, std::int32_t>& rule,
                           size_type row, std::int32_t at, std::int32_t* col_idxs, float* values)
{
    const std::int32_t begin = f.row_ptrs[row];
    const std::int32_t n = f.row_ptrs[row + 1] - begin;
    const __m256i found =
        values_at(f.col_idxs + begin, n, static_cast<std::int32_t>(f.num_nonzeros) - begin, rule.aggregates);
    const __mmask8 has_any = _mm256_cmpge_epi32_mask(found, _mm256_setzero_si256());
    const __m256i earlier = _mm256_maskz_conflict_epi32(0xFF, found);
    const __mmask8 is_new = has_any & _mm256_testn_epi32_mask(earlier, earlier);
    alignas(32) std::int32_t each[8];
    _mm256_store_si256(reinterpret_cast<__m256i*>(each), found);
    const __m256i cols = sorted_eight(
        _mm256_mask_compress_epi32(_mm256_set1_epi32(std::numeric_limits<std::int32_t>::max()), is_new, found));
    __m256 sums = _mm256_setzero_ps();
    for (std::int32_t k = 0; k < n; ++k) {
        const __mmask8 is_same = _mm256_cmpeq_epi32_mask(cols, _mm256_set1_epi32(each[k]));
        sums = _mm256_mask_add_ps(sums, is_same, sums, _mm256_set1_ps(f.values[begin + k]));
    }
    const float sum = rule.sums[row];
    const float weight = sum > 0 ? static_cast<float>(rule.damping) / sum : 0.0F;
    const __mmask8 is_own = _mm256_cmpeq_epi32_mask(cols, _mm256_set1_epi32(rule.aggregates[row]));
    const __m256 of_own = _mm256_maskz_mov_ps(is_own, _mm256_set1_ps(1));
    const auto kept = static_cast<__mmask8>((1u << std::popcount(static_cast<unsigned>(is_new))) - 1);
    _mm256_mask_storeu_ps(values + at, kept, _mm256_fnmadd_ps(_mm256_set1_ps(weight), sums, of_own));
    if (col_idxs != nullptr) {
        _mm256_mask_storeu_epi32(col_idxs + at, kept, cols);
    }
}

/// What JoinRest says of a row of at most 8 entries that are all strong: each root is compared with all of them, which
/// gives its sum, in the order of the row.
inline std::int32_t best_root_of_short_row(const CsrView<float, std::int32_t>& a, size_type row,
                                           const std::int32_t* roots)
{
    const std::int32_t begin = a.row_ptrs[row];
    const std::int32_t n = a.row_ptrs[row + 1] - begin;
    const auto there = static_cast<__mmask8>((1u << n) - 1);
    const __m256i found = values_at(a.col_idxs + begin, n, static_cast<std::int32_t>(a.num_nonzeros) - begin, roots);
    alignas(32) std::int32_t each[8];
    alignas(32) float sizes[8], results[8];
    _mm256_store_si256(reinterpret_cast<__m256i*>(each), found);
    _mm256_store_ps(
        sizes, _mm256_castsi256_ps(_mm256_and_si256(_mm256_castps_si256(_mm256_maskz_loadu_ps(there, a.values + begin)),
                                                    _mm256_set1_epi32(0x7FFF'FFFF))));
    __m256 sums = _mm256_setzero_ps();
    for (std::int32_t k = 0; k < n; ++k) {
        const __mmask8 is_same = _mm256_cmpeq_epi32_mask(found, _mm256_set1_epi32(each[k]));
        sums = _mm256_mask_add_ps(sums, is_same, sums, _mm256_set1_ps(sizes[k]));
    }
    _mm256_store_ps(results, sums);
    BestRoot<float, std::int32_t> best;
    for (std::int32_t k = 0; k < n; ++k) {
        best.compare(each[k], results[k]);
    }
    return best.root;
}

#else

template <class V, class I>
inline constexpr bool has_short_strong_rows = false;

/// What code that is not compiled then names.
struct StrongOfRow {
    std::int32_t count;
    bool has_doubtful;
};
template <class V, class I>
StrongOfRow find_strong(const CsrView<V, I>& a, const StrengthRule<real_t<V>>& rule, size_type row,
                        std::uint8_t* marks);
template <class V, class I>
MarkedRow<V, I> take_marked_row(const CsrView<V, I>& a, const std::uint8_t* marks, size_type row, I at, I* col_idxs,
                                V* values);
template <class V, class I>
bool is_all_strong(const CsrView<V, I>& a, const StrengthRule<real_t<V>>& rule, size_type row);
template <class V, class I>
void make_short_row(const CsrView<V, I>& f, const SmoothedAggregates<V, I>& rule, size_type row, I at, I* col_idxs,
                    V* values);
template <class V, class I>
I best_root_of_short_row(const CsrView<V, I>& a, size_type row, const I* roots);

#endif

}  // namespace linden::omp
