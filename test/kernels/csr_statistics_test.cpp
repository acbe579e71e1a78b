#include "core/kernels/statistics.hpp"
#include "test/support/kernel_cases.hpp"

namespace linden::test {
namespace {

template <class Types>
class CsrStatistics : public testing::Test {
};
TYPED_TEST_SUITE(CsrStatistics, TestedValueIndices, TypeNames);

template <class V, class I>
ValueCounts values_of(const Executor& exec, const CsrData<V, I>& a)
{
    const Csr<V, I> matrix(exec, a);
    Array<ValueCounts> counts(exec, 1);
    csr_statistics<V, I>(exec, matrix.view(), counts.data());
    return counts.to_host().front();
}

template <class V, class I>
std::vector<size_type> counts_of(const Executor& exec, const CsrData<V, I>& a)
{
    const auto c = values_of(exec, a);
    return {c.num_unmirrored, c.num_unsymmetric, c.num_not_hermitian, c.num_dominant, c.num_strictly_dominant};
}

/// Skew entries, zero, tiny and negative diagonals, rows with the signs of an M-matrix, exponents of rows.
template <class V, class I>
std::vector<size_type> more_counts_of(const Executor& exec, const CsrData<V, I>& a)
{
    const auto c = values_of(exec, a);
    return {c.num_skew,      c.num_zero_diagonal, c.num_tiny_diagonal, c.num_negative_diagonal,
            c.num_sign_rows, c.least_exponent,    c.most_exponent};
}

using Counts = std::vector<size_type>;

TYPED_TEST(CsrStatistics, ByHand)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    const V z = number<V>(1, 2);
    const size_type if_complex = is_complex<V> ? 1 : 0;
    on_each_executor([&](const Executor& exec) {
        // [4 z .; z 9 1; . . 0]: (1, 2) has no mirror image
        EXPECT_EQ(
            counts_of(exec, CsrData<V, I>{{3, 3}, {0, 2, 5, 6}, {0, 1, 0, 1, 2, 2}, {V{4}, z, z, V{9}, V{1}, V{}}}),
            (Counts{1, 1, 1 + 2 * if_complex, 3, 2}));
        // [-1 1; 1 1]
        EXPECT_EQ(counts_of(exec, CsrData<V, I>{{2, 2}, {0, 2, 4}, {0, 1, 0, 1}, {V{-1}, V{1}, V{1}, V{1}}}),
                  (Counts{0, 0, 0, 2, 0}));
        // A zero mirrors what is missing: [1 0; . 1], and [z .; 3 1].
        EXPECT_EQ(counts_of(exec, CsrData<V, I>{{2, 2}, {0, 2, 3}, {0, 1, 1}, {V{1}, V{}, V{1}}}),
                  (Counts{1, 0, 0, 2, 2}));
        EXPECT_EQ(counts_of(exec, CsrData<V, I>{{2, 2}, {0, 1, 3}, {0, 0, 1}, {z, V{3}, V{1}}}),
                  (Counts{1, 1, 1 + if_complex, 1, 1}));
        // Nothing to mirror: [2 1 .], and a wide row with no diagonal
        EXPECT_EQ(counts_of(exec, CsrData<V, I>{{1, 3}, {0, 2}, {0, 1}, {V{2}, V{1}}}), (Counts{0, 0, 0, 1, 1}));
        EXPECT_EQ(counts_of(exec, CsrData<V, I>{{1, 3}, {0, 1}, {1}, {V{2}}}), (Counts{0, 0, 0, 0, 0}));
    });
}

TYPED_TEST(CsrStatistics, SignsAndSizesByHand)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    using R = real_t<V>;
    const auto eps = std::numeric_limits<R>::epsilon();
    constexpr size_type none_least = INT64_MAX, none_most = INT64_MIN;
    on_each_executor([&](const Executor& exec) {
        // [4 -1 .; -1 -0.25 2; . 2 0]
        EXPECT_EQ(more_counts_of(exec, CsrData<V, I>{{3, 3},
                                                     {0, 2, 5, 7},
                                                     {0, 1, 0, 1, 2, 1, 2},
                                                     {V{4}, V{-1}, V{-1}, V(-0.25), V{2}, V{2}, V{}}}),
                  (Counts{0, 1, 0, 1, 1, 1, 2}));
        // Rows without entries, without a diagonal, behind the last column; tiny beside the row's largest.
        EXPECT_EQ(more_counts_of(exec, CsrData<V, I>{{4, 2}, {0, 0, 2, 3, 3}, {0, 1, 0}, {V{1024}, V(1e-6), V(0.5)}}),
                  (Counts{0, 1, 1, 0, 0, -1, 10}));
        EXPECT_EQ(more_counts_of(exec, CsrData<V, I>{{1, 1}, {0, 0}, {}, {}}),
                  (Counts{0, 1, 0, 0, 0, none_least, none_most}));
        // As far from Hermitian as rounding may leave it, and further.
        for (const int times : {512, 2048}) {
            const V other = V{-1} + V(static_cast<R>(times) * eps);
            EXPECT_EQ(more_counts_of(exec, CsrData<V, I>{{2, 2}, {0, 2, 4}, {0, 1, 0, 1}, {V{1}, V{-1}, other, V{1}}}),
                      (Counts{times == 512 ? 0 : 2, 0, 0, 0, 2, 0, 0}));
        }
        // A complex entry is of no sign; an infinite one is beyond all exponents.
        EXPECT_EQ(more_counts_of(exec, CsrData<V, I>{{1, 2}, {0, 2}, {0, 1}, {V{1}, number<V>(-1, 1)}}),
                  (Counts{0, 0, 0, 0, is_complex<V> ? 0 : 1, 0, 0}));
        EXPECT_EQ(
            more_counts_of(exec, CsrData<V, I>{{1, 1}, {0, 1}, {0}, {V{std::numeric_limits<R>::infinity()}}}).back(),
            2048);
    });
}

/// Diagonal entries of rows that have a column: smallest and largest real part.
template <class V, class I>
std::vector<size_type> diagonal_of(const Executor& exec, const CsrData<V, I>& a)
{
    const auto c = values_of(exec, a);
    return {c.least_diagonal, c.most_diagonal};
}

TYPED_TEST(CsrStatistics, DiagonalByHand)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    const auto bits = [](double least, double most) { return Counts{ordered_bits(least), ordered_bits(most)}; };
    on_each_executor([&](const Executor& exec) {
        EXPECT_EQ(diagonal_of(exec, CsrData<V, I>{{2, 2}, {0, 2, 3}, {0, 1, 1}, {V{4}, V{9}, V{4}}}), bits(4, 4));
        EXPECT_EQ(diagonal_of(exec, CsrData<V, I>{{2, 2}, {0, 1, 2}, {0, 1}, {V{-3}, V{-0.5}}}), bits(-3, -0.5));
        // Without an entry it is 0; behind the last column there is none.
        EXPECT_EQ(diagonal_of(exec, CsrData<V, I>{{2, 2}, {0, 1, 2}, {0, 0}, {V{2}, V{7}}}), bits(0, 2));
        EXPECT_EQ(diagonal_of(exec, CsrData<V, I>{{2, 1}, {0, 1, 2}, {0, 0}, {V{2}, V{7}}}), bits(2, 2));
        EXPECT_EQ(diagonal_of(exec, CsrData<V, I>{{1, 1}, {0, 1}, {0}, {number<V>(2, 1)}}),
                  is_complex<V> ? (Counts{INT64_MIN, INT64_MAX}) : bits(2, 2));
    });
}

TYPED_TEST(CsrStatistics, EqualUpToRoundingIsWeakDominance)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    using R = real_t<V>;
    const V tenth{R(1) / R(10)};
    on_each_executor([&](const Executor& exec) {
        for (const R factor : {1 - std::numeric_limits<R>::epsilon(), R(1), 1 + std::numeric_limits<R>::epsilon()}) {
            const CsrData<V, I> a{{1, 4}, {0, 4}, {0, 1, 2, 3}, {V{-factor * R(3) / R(10)}, tenth, tenth, tenth}};
            EXPECT_EQ(counts_of(exec, a), (Counts{0, 0, 0, 1, 0}));
        }
    });
}

TYPED_TEST(CsrStatistics, LikeReference)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    Random random(733);
    for (const auto rows : {0, 1, 31, 32, 33, 597, 3000, 9000}) {
        auto hermitian = random_hpd_csr<V, I>(random, rows, 5);
        EXPECT_EQ(counts_of(reference_executor(), hermitian)[2], 0);
        EXPECT_EQ(counts_of(reference_executor(), hermitian)[4], rows);
        std::vector<CsrData<V, I>> cases{hermitian};
        for (size_type k = 0; k < hermitian.num_nonzeros(); k += 17) {
            hermitian.values[k] = random.value<V>();
        }
        cases.push_back(std::move(hermitian));
        for (const auto pattern : all_patterns) {
            cases.push_back(random_csr<V, I>(random, {rows, rows}, 3, pattern));
            cases.push_back(random_csr<V, I>(random, {rows, rows + 9}, 3, pattern));
        }
        for (const auto& a : cases) {
            const auto expected = counts_of(reference_executor(), a);
            const auto more_expected = more_counts_of(reference_executor(), a);
            const auto diagonal_expected = diagonal_of(reference_executor(), a);
            on_each_other_executor([&](const Executor& exec) {
                EXPECT_EQ(counts_of(exec, a), expected);
                EXPECT_EQ(more_counts_of(exec, a), more_expected);
                EXPECT_EQ(diagonal_of(exec, a), diagonal_expected);
            });
        }
    }
}

}  // namespace
}  // namespace linden::test
