#pragma once

#include <linden/views.hpp>

#include <algorithm>
#include <bit>
#include <limits>

#include "omp/short_rows.hpp"

/// Rows of a product C = A B of few entries, by AVX-512: the products of a row are copied one behind the other, in
/// pieces of fixed length whatever the rows of B have, and then compared with all columns of the row at a time.
namespace linden::omp {

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512VL__) && defined(__AVX512CD__)

template <class V, class I>
inline constexpr bool has_short_products = has_short_rows<V, I>;

/// Eight columns and sums.
struct EightEntries {
    static constexpr int lanes = 8;
    using Cols = __m256i;
    using Values = __m256;

    static Cols load(const std::int32_t* cols, int n)
    {
        return _mm256_mask_loadu_epi32(_mm256_set1_epi32(std::numeric_limits<std::int32_t>::max()),
                                       static_cast<__mmask8>((1u << n) - 1), cols);
    }
    static Cols no_cols() { return _mm256_setzero_si256(); }
    static Values no_values() { return _mm256_setzero_ps(); }
    /// values + x y where cols are col
    static Values add(Cols cols, std::int32_t col, float x, float y, Values values)
    {
        return _mm256_mask3_fmadd_ps(_mm256_set1_ps(x), _mm256_set1_ps(y), values,
                                     _mm256_cmpeq_epi32_mask(cols, _mm256_set1_epi32(col)));
    }
    static Cols count_above(Cols cols, std::int32_t col, Cols counts)
    {
        return _mm256_mask_add_epi32(counts, _mm256_cmpgt_epi32_mask(cols, _mm256_set1_epi32(col)), counts,
                                     _mm256_set1_epi32(1));
    }
    static void store(Cols cols, std::int32_t* to) { _mm256_store_si256(reinterpret_cast<__m256i*>(to), cols); }
    static void store(Values values, float* to) { _mm256_store_ps(to, values); }
};

struct SixteenEntries {
    static constexpr int lanes = 16;
    using Cols = __m512i;
    using Values = __m512;

    static Cols load(const std::int32_t* cols, int n)
    {
        return _mm512_mask_loadu_epi32(_mm512_set1_epi32(std::numeric_limits<std::int32_t>::max()), ShortRow::first(n),
                                       cols);
    }
    static Cols no_cols() { return _mm512_setzero_si512(); }
    static Values no_values() { return _mm512_setzero_ps(); }
    static Values add(Cols cols, std::int32_t col, float x, float y, Values values)
    {
        return _mm512_mask3_fmadd_ps(_mm512_set1_ps(x), _mm512_set1_ps(y), values,
                                     _mm512_cmpeq_epi32_mask(cols, _mm512_set1_epi32(col)));
    }
    static Cols count_above(Cols cols, std::int32_t col, Cols counts)
    {
        return _mm512_mask_add_epi32(counts, _mm512_cmpgt_epi32_mask(cols, _mm512_set1_epi32(col)), counts,
                                     _mm512_set1_epi32(1));
    }
    static void store(Cols cols, std::int32_t* to) { _mm512_store_si512(to, cols); }
    static void store(Values values, float* to) { _mm512_store_ps(to, values); }
};

/// The products of a row.
class ShortProducts {
public:
    /// Most entries of rows of B.
    static constexpr std::int32_t most = 16;
    /// Most columns of a row of C that are compared.
    static constexpr std::int32_t most_cols = SixteenEntries::lanes;
    /// So many products of a row stay in vectors.
    static constexpr std::int32_t few = SixteenEntries::lanes;

    /// Copies them; false if a row of B is too long, or there are too many.
    bool collect(const CsrView<float, std::int32_t>& a, const CsrView<float, std::int32_t>& b, size_type row)
    {
        std::int32_t count = 0;
        for (std::int32_t i = a.row_ptrs[row]; i < a.row_ptrs[row + 1]; ++i) {
            const std::int32_t k = a.col_idxs[i];
            const std::int32_t from = b.row_ptrs[k];
            const std::int32_t length = b.row_ptrs[k + 1] - from;
            if ((length > most) | (from + most > b.num_nonzeros) | (count > most_products)) {
                return false;
            }
            copy(b, from, a.values[i], count);
            if (length > piece) {
                copy(b, from + piece, a.values[i], count + piece);
            }
            count += length;
        }
        // Zeros for a column that is there let loops end at multiples of some products.
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(cols_ + count), _mm256_set1_epi32(cols_[0]));
        _mm256_storeu_ps(left_ + count, _mm256_setzero_ps());
        _mm256_storeu_ps(right_ + count, _mm256_setzero_ps());
        count_ = (count + step - 1) / step * step;
        return true;
    }
    /// Collects them where they are at most 16, which then need no memory, and writes their different columns in
    /// ascending order; how many these are, up to 8. Else -1. There is room for 8.
    std::int32_t collect_few(const CsrView<float, std::int32_t>& a, const CsrView<float, std::int32_t>& b,
                             size_type row, std::int32_t* to)
    {
        constexpr std::int32_t none = std::numeric_limits<std::int32_t>::max();
        __m512i cols = _mm512_set1_epi32(none);
        __m512 left = _mm512_setzero_ps();
        __m512 right = _mm512_setzero_ps();
        std::int32_t count = 0;
        for (std::int32_t i = a.row_ptrs[row]; i < a.row_ptrs[row + 1]; ++i) {
            const std::int32_t k = a.col_idxs[i];
            const std::int32_t length = b.row_ptrs[k + 1] - b.row_ptrs[k];
            const std::int32_t from = b.row_ptrs[k] - count;  // so that the row lies behind the products before
            if ((count + length > few) | (from < 0) | (from + few > b.num_nonzeros)) {
                return -1;
            }
            const auto here = static_cast<__mmask16>(((1u << length) - 1) << count);
            cols = _mm512_mask_loadu_epi32(cols, here, b.col_idxs + from);
            left = _mm512_mask_broadcastss_ps(left, here, _mm_load_ss(a.values + i));
            right = _mm512_mask_loadu_ps(right, here, b.values + from);
            count += length;
        }
        const __m512i earlier = _mm512_maskz_conflict_epi32(0xFFFF, cols);
        const auto is_new = static_cast<__mmask16>(_mm512_testn_epi32_mask(earlier, earlier) & ((1u << count) - 1));
        const std::int32_t n = std::popcount(static_cast<unsigned>(is_new));
        if (n > EightEntries::lanes) {
            return -1;
        }
        const __m512i different = _mm512_mask_compress_epi32(_mm512_set1_epi32(none), is_new, cols);
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(to),
                            sorted_eight(_mm512_maskz_extracti64x4_epi64(0xF, different, 0)));
        _mm512_store_si512(cols_, cols);
        _mm512_store_ps(left_, left);
        _mm512_store_ps(right_, right);
        asm volatile("" : : : "memory");  // else GCC 12 takes them out of the vectors again by shuffles
        return n;
    }
    /// The sums of what has been collected so, in the order of products.
    void sum_few(const std::int32_t* cols, float* values) const
    {
        const __m256i own = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(cols));
        __m256 sums = _mm256_setzero_ps();
        for (std::int32_t j = 0; j < few; ++j) {
            sums = EightEntries::add(own, cols_[j], left_[j], right_[j], sums);
        }
        _mm256_storeu_ps(values, sums);
    }
    std::int32_t count() const { return count_; }
    std::int32_t col(std::int32_t product) const { return cols_[product]; }
    /// The columns of products that insert(column) holds for, one behind the other, and how many they are. There is
    /// room for 16 more. What is inserted does not wait for the number of columns before it, on which the place hangs
    /// that a column is written to.
    template <class Insert>
    std::int32_t different(const Insert& insert, std::int32_t* to)
    {
        std::int32_t n = 0;
        for (std::int32_t j = 0; j < count_; j += SixteenEntries::lanes) {
            unsigned is_new = 0;
            const std::int32_t lanes = std::min(SixteenEntries::lanes, count_ - j);
            for (std::int32_t i = 0; i < lanes; ++i) {
                is_new |= (insert(cols_[j + i]) ? 1u : 0u) << i;
            }
            _mm512_storeu_si512(
                to + n, _mm512_maskz_compress_epi32(static_cast<__mmask16>(is_new), _mm512_load_si512(cols_ + j)));
            n += std::popcount(is_new);
        }
        return n;
    }
    float left(std::int32_t product) const { return left_[product]; }
    float right(std::int32_t product) const { return right_[product]; }

    /// Sorts n <= most_cols columns, and sums the products of each in their order. There is room for most_cols + 1.
    void sum(std::int32_t* cols, float* values, std::int32_t n) const
    {
        if (n <= EightEntries::lanes) {
            sum<EightEntries>(cols, values, n);
        } else {
            sum<SixteenEntries>(cols, values, n);
        }
    }

private:
    static constexpr std::int32_t piece = 8;
    static constexpr std::int32_t step = 4;
    static constexpr std::int32_t most_products = 1024;

    void copy(const CsrView<float, std::int32_t>& b, std::int32_t from, float factor, std::int32_t to)
    {
        const auto* const cols = reinterpret_cast<const __m256i*>(b.col_idxs + from);
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(cols_ + to), _mm256_loadu_si256(cols));
        _mm256_storeu_ps(left_ + to, _mm256_set1_ps(factor));
        _mm256_storeu_ps(right_ + to, _mm256_loadu_ps(b.values + from));
    }
    template <class Entries>
    void sum(std::int32_t* cols, float* values, std::int32_t n) const
    {
        alignas(64) std::int32_t old_cols[Entries::lanes], ranks[Entries::lanes];
        alignas(64) float old_values[Entries::lanes];
        const auto own = Entries::load(cols, n);
        Entries::store(own, old_cols);
        auto sums = Entries::no_values();
        for (std::int32_t j = 0; j < count_; ++j) {
            sums = Entries::add(own, cols_[j], left_[j], right_[j], sums);
        }
        auto counts = Entries::no_cols();
        for (const auto col : old_cols) {
            counts = Entries::count_above(own, col, counts);
        }
        Entries::store(counts, ranks);
        Entries::store(sums, old_values);
        for (int lane = 0; lane < Entries::lanes; ++lane) {  // those that are none come behind the others
            cols[ranks[lane]] = old_cols[lane];
            values[ranks[lane]] = old_values[lane];
        }
    }

    std::int32_t count_ = 0;
    alignas(64) std::int32_t cols_[most_products + 2 * most + piece];
    alignas(64) float left_[most_products + 2 * most + piece];
    alignas(64) float right_[most_products + 2 * most + piece];
};

#else

template <class V, class I>
inline constexpr bool has_short_products = false;

/// What code that is not compiled then names.
class ShortProducts {
public:
    static constexpr std::int32_t most_cols = 0;
    static constexpr std::int32_t few = 0;

    template <class Matrix>
    bool collect(const Matrix& a, const Matrix& b, size_type row);
    std::int32_t count() const;
    std::int32_t col(std::int32_t product) const;
    template <class Matrix, class I>
    I collect_few(const Matrix& a, const Matrix& b, size_type row, I* to);
    template <class I, class V>
    void sum_few(const I* cols, V* values) const;
    template <class Insert, class I>
    I different(const Insert& insert, I* to);
    float left(std::int32_t product) const;
    float right(std::int32_t product) const;
    template <class I, class V>
    void sum(I* cols, V* values, I n) const;
};

#endif

}  // namespace linden::omp
