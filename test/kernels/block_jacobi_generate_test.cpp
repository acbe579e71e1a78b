#include <linden/matrix/csr.hpp>

#include "core/kernels/jacobi.hpp"
#include "test/support/diagonal_blocks.hpp"
#include "test/support/kernel_cases.hpp"

namespace linden::test {
namespace {

template <class Types>
class BlockJacobiGenerate : public testing::Test {
};
TYPED_TEST_SUITE(BlockJacobiGenerate, TestedValueIndices, TypeNames);

template <class S>
struct Generated {
    std::vector<S> values;  ///< column after column
    size_type num_singular;
};

template <class S, class V, class I>
Generated<S> generate(const Executor& exec, const CsrData<V, I>& a, const std::vector<size_type>& sizes)
{
    HostBlocks<S> layout;
    for (const auto size : sizes) {
        layout.add(size);
    }
    layout.values.resize(static_cast<std::size_t>(layout.value_ptrs.back()));
    DiagonalBlocks<S> blocks(exec, layout);
    const Csr<V, I> matrix(exec, a);
    Array<size_type> num_singular(exec, std::vector<size_type>{-1});
    block_jacobi_generate<V, S, I>(exec, matrix.view(), blocks.view(), num_singular.data());
    return {blocks.to_host(), num_singular.to_host().front()};
}

/// A matrix from its rows, zeros left out.
template <class V, class I>
CsrData<V, I> from_rows(std::initializer_list<std::initializer_list<V>> rows)
{
    CsrData<V, I> a{{static_cast<size_type>(rows.size()), static_cast<size_type>(rows.begin()->size())}, {0}, {}, {}};
    for (const auto& row : rows) {
        I col = 0;
        for (const auto& value : row) {
            if (value != V{}) {
                a.col_idxs.push_back(col);
                a.values.push_back(value);
            }
            ++col;
        }
        a.row_ptrs.push_back(static_cast<I>(a.values.size()));
    }
    return a;
}

TYPED_TEST(BlockJacobiGenerate, ByHand)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    // Blocks [4 2; 2 2], [0 2; 1 0] (which needs pivots), [i or 2].
    const V last = is_complex<V> ? number<V>(0, 1) : V{2};
    const auto a = from_rows<V, I>({{V{4}, V{2}, V{7}, V{0}, V{0}},
                                    {V{2}, V{2}, V{0}, V{0}, V{7}},
                                    {V{7}, V{0}, V{0}, V{2}, V{7}},
                                    {V{0}, V{7}, V{1}, V{0}, V{0}},
                                    {V{7}, V{0}, V{0}, V{7}, last}});
    on_each_executor([&](const Executor& exec) {
        const auto inverse = generate<V>(exec, a, {2, 2, 1});
        EXPECT_EQ(inverse.num_singular, 0);
        EXPECT_EQ(inverse.values,
                  (std::vector<V>{V{0.5}, V{-0.5}, V{-0.5}, V{1}, V{0}, V{0.5}, V{1}, V{0}, V{1} / last}));
    });
}

TYPED_TEST(BlockJacobiGenerate, SingularBlocksBecomeTheirDiagonal)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    const V nan = not_a_number<V>();
    // [1 2; 2 4] has rank 1; [0.1 0.3; 0.2 0.6], too, but for rounding; a zero row; NaN outside of the diagonal.
    const auto a = from_rows<V, I>({{V{1}, V{2}, V{0}, V{0}, V{0}, V{0}, V{0}, V{0}},
                                    {V{2}, V{4}, V{0}, V{0}, V{0}, V{0}, V{0}, V{0}},
                                    {V{0}, V{0}, V(real_t<V>(0.1)), V(real_t<V>(0.3)), V{0}, V{0}, V{0}, V{0}},
                                    {V{0}, V{0}, V(real_t<V>(0.2)), V(real_t<V>(0.6)), V{0}, V{0}, V{0}, V{0}},
                                    {V{0}, V{0}, V{0}, V{0}, V{8}, V{1}, V{0}, V{0}},
                                    {V{0}, V{0}, V{0}, V{0}, V{0}, V{0}, V{0}, V{0}},
                                    {V{0}, V{0}, V{0}, V{0}, V{0}, V{0}, V{4}, nan},
                                    {V{0}, V{0}, V{0}, V{0}, V{0}, V{0}, V{1}, V{2}}});
    on_each_executor([&](const Executor& exec) {
        const auto inverse = generate<V>(exec, a, {2, 2, 2, 2});
        EXPECT_EQ(inverse.num_singular, 4);
        const std::vector<V> expected{V{1},
                                      V{0},
                                      V{0},
                                      V{0.25},
                                      V{1} / V(real_t<V>(0.1)),
                                      V{0},
                                      V{0},
                                      V{1} / V(real_t<V>(0.6)),
                                      V{0.125},
                                      V{0},
                                      V{0},
                                      V{1},
                                      V{0.25},
                                      V{0},
                                      V{0},
                                      V{0.5}};
        expect_near(inverse.values, expected, 4);
    });
}

TYPED_TEST(BlockJacobiGenerate, BadScalingIsNotSingular)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    using R = real_t<V>;
    // D [2 1; 1 2] D with D = diag(1, 2^-40): its inverse is D^-1 [2 -1; -1 2] D^-1 / 3.
    const R d = std::ldexp(R{1}, -40);
    const auto a = from_rows<V, I>({{V{2}, V{d}}, {V{d}, V{2 * d * d}}});
    on_each_executor([&](const Executor& exec) {
        const auto inverse = generate<V>(exec, a, {2});
        EXPECT_EQ(inverse.num_singular, 0);
        const std::vector<R> scales{1, 1 / d, 1 / d, 1 / (d * d)};
        const std::vector<R> expected{R{2} / 3, R{-1} / 3, R{-1} / 3, R{2} / 3};
        for (std::size_t i = 0; i < 4; ++i) {
            expect_near<V>({inverse.values[i] / scales[i]}, {V{expected[i]}}, 16);
        }
    });
}

TYPED_TEST(BlockJacobiGenerate, WhatTheStorageCannotHoldCountsAsSingular)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    using S = single_precision_t<V>;
    using R = real_t<V>;
    const V tiny{std::ldexp(std::numeric_limits<float>::min(), -10)};
    const auto a = from_rows<V, I>({{V{4}, V{0}}, {V{0}, tiny}});
    on_each_executor([&](const Executor& exec) {
        const auto inverse = generate<S>(exec, a, {2});
        EXPECT_EQ(inverse.num_singular, 1);
        EXPECT_EQ(inverse.values, (std::vector<S>{S{0.25}, S{0}, S{0}, S{1}}));
        EXPECT_EQ(generate<V>(exec, a, {2}).num_singular, sizeof(R) == sizeof(float) ? 1 : 0);
    });
}

/// Blocks of 1 to 32 rows with large diagonals, so that inverses are well conditioned, in any order of rows.
template <class V, class I>
CsrData<V, I> random_blocks_matrix(Random& random, const std::vector<size_type>& sizes)
{
    CsrData<V, I> a{{}, {0}, {}, {}};
    size_type first = 0;
    for (const auto size : sizes) {
        for (size_type row = 0; row < size; ++row) {
            for (size_type col = 0; col < size; ++col) {
                const bool is_large = col == size - 1 - row;
                a.col_idxs.push_back(static_cast<I>(first + col));
                a.values.push_back(random.value<V>() + (is_large ? V(static_cast<real_t<V>>(2 * size)) : V{}));
            }
            a.row_ptrs.push_back(static_cast<I>(a.values.size()));
        }
        first += size;
    }
    a.size = {first, first};
    return a;
}

/// B B^-1 - I, its largest entry.
template <class V, class I>
double defect(const CsrData<V, I>& a, const std::vector<size_type>& sizes, const std::vector<V>& inverse)
{
    double largest = 0;
    std::size_t at = 0;
    for (const auto size : sizes) {
        const V* const block = a.values.data() + at;
        const V* const inverted = inverse.data() + at;
        for (size_type i = 0; i < size; ++i) {
            for (size_type j = 0; j < size; ++j) {
                V sum = i == j ? V{-1} : V{};
                for (size_type k = 0; k < size; ++k) {
                    sum += block[i * size + k] * inverted[j * size + k];
                }
                largest = std::max(largest, static_cast<double>(std::abs(sum)));
            }
        }
        at += static_cast<std::size_t>(size * size);
    }
    return largest;
}

// Inverses are right (within 32 eps for each of up to 32 rows), and those of the reference, also in float.
TYPED_TEST(BlockJacobiGenerate, InvertsBlocksOfEverySize)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    using S = single_precision_t<V>;
    Random random(304);
    std::vector<size_type> sizes;
    for (size_type i = 0; i < 200; ++i) {
        sizes.push_back(1 + i % 32);
    }
    const auto a = random_blocks_matrix<V, I>(random, sizes);
    const auto expected = generate<V>(reference_executor(), a, sizes);
    const auto expected_in_single = generate<S>(reference_executor(), a, sizes);
    EXPECT_EQ(expected.num_singular, 0);
    EXPECT_LT(defect(a, sizes, expected.values), 32 * 32 * std::numeric_limits<real_t<V>>::epsilon());
    on_each_other_executor([&](const Executor& exec) {
        const auto actual = generate<V>(exec, a, sizes);
        EXPECT_EQ(actual.num_singular, 0);
        expect_near(actual.values, expected.values, 32);
        expect_near(generate<S>(exec, a, sizes).values, expected_in_single.values, 32);
    });
}

TYPED_TEST(BlockJacobiGenerate, TakesBlocksOutOfAnyMatrix)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    Random random(305);
    for (const auto rows : tested_rows) {
        const auto a = random_hpd_csr<V, I>(random, rows, 5);
        std::vector<size_type> sizes(static_cast<std::size_t>(rows / 7), 7);
        sizes.insert(sizes.end(), rows % 7 > 0, rows % 7);
        const auto expected = generate<V>(reference_executor(), a, sizes);
        EXPECT_EQ(expected.num_singular, 0);
        on_each_other_executor(
            [&](const Executor& exec) { expect_near(generate<V>(exec, a, sizes).values, expected.values, 64); });
    }
}

}  // namespace
}  // namespace linden::test
