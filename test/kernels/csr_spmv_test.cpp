#include "core/kernels/csr.hpp"

#include <linden/io/problems.hpp>

#include "test/support/kernel_cases.hpp"

namespace linden::test {
namespace {

template <class Types>
class CsrSpmv : public testing::Test {
};
TYPED_TEST_SUITE(CsrSpmv, TestedValueIndices, TypeNames);

/// 3 x 4 with an empty row: [1 0 2 0; 0 0 0 0; 0 i 0 3]
template <class V, class I>
CsrData<V, I> small_matrix()
{
    return {{3, 4}, {0, 2, 2, 4}, {0, 2, 1, 3}, {V{1}, V{2}, number<V>(0, 1), V{3}}};
}

TYPED_TEST(CsrSpmv, ByHand)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    on_each_executor([](const Executor& exec) {
        const Csr<V, I> a(exec, small_matrix<V, I>());
        const auto b = Dense<V>::from_rows(exec, {{V{1}, V{5}}, {V{2}, V{6}}, {V{3}, V{7}}, {V{4}, V{8}}});
        auto x = Dense<V>::filled(exec, {3, 2}, V{1});
        csr_spmv<V, I>(exec, a.view(), V{2}, b.view(), V{-1}, x.view());
        EXPECT_EQ(x.to_host(), (std::vector<V>{V{13}, V{37}, V{-1}, V{-1}, number<V>(23, 4), number<V>(47, 12)}));
    });
}

TYPED_TEST(CsrSpmv, ZeroBetaDoesNotReadX)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    on_each_executor([](const Executor& exec) {
        const Csr<V, I> a(exec, small_matrix<V, I>());
        const auto b = Dense<V>::filled(exec, {4, 2}, V{1});
        auto x = Dense<V>::filled(exec, {3, 2}, not_a_number<V>());
        const Array<V> beta(exec, std::vector<V>{V{0}, V{1}});
        csr_spmv<V, I>(exec, a.view(), V{1}, b.view(), Scalar<V>::per_column(beta.data()), x.view());
        const auto values = x.to_host();
        EXPECT_EQ(values[0], V{3});
        EXPECT_EQ(values[2], V{0});
        EXPECT_EQ(values[4], number<V>(3, 1));
        EXPECT_TRUE(is_nan(values[1]) && is_nan(values[3]) && is_nan(values[5]));
    });
}

/// Runs x := alpha A b + beta x everywhere and compares: rows of `longest` products, up to 2 each, and one sum.
template <class V, class I>
void expect_same_product(Random& random, const CsrData<V, I>& a, size_type cols, size_type padding, V alpha, V beta,
                         size_type longest)
{
    Blocks<V> operands;
    operands.push_back(random_dense<V>(random, reference_executor(), {a.size.cols, cols}, padding));
    operands.push_back(random_dense<V>(random, reference_executor(), {a.size.rows, cols}, padding));
    expect_like_reference(operands, 4 * summation_factor(longest), [&](const Executor& exec, Blocks<V>& x) {
        const Csr<V, I> here(exec, a);
        csr_spmv<V, I>(exec, here.view(), alpha, std::as_const(x[0]).view(), beta, x[1].view());
    });
}

TYPED_TEST(CsrSpmv, LikeReference)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    Random random(201);
    const V alpha = random.value<V>();
    for_each_shape([&](Dim size, size_type padding) {
        const auto a = random_csr<V, I>(random, {size.rows, size.rows + 3}, 4);
        expect_same_product<V, I>(random, a, size.cols, padding, V{1}, V{0}, 9);
        expect_same_product<V, I>(random, a, size.cols, padding, alpha, V{2}, 9);
    });
}

/// Tiles of several passes, and rows in the lanes of two and more columns.
TYPED_TEST(CsrSpmv, ManyColumns)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    Random random(203);
    for (const char* grid : {"lap3d:9", "lap3d:16", "lap2d:40", "lap2d:61", "st27:7", "random:900:3:5"}) {
        SCOPED_TRACE(grid);
        const auto a = generate_problem<V, I>(grid);
        for (const size_type cols : {2, 3, 8}) {
            expect_same_product<V, I>(random, a, cols, 0, V{1}, V{0}, 27);
        }
    }
}

/// Two packs of columns to a thread, all or some of which have columns, and more columns than go at once.
TYPED_TEST(CsrSpmv, WideBlocks)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    Random random(204);
    const V alpha = random.value<V>();
    const V beta = random.value<V>();
    for (const char* grid : {"lap3d:7", "random:300:11:5"}) {
        SCOPED_TRACE(grid);
        const auto a = generate_problem<V, I>(grid);
        for (const size_type cols : {20, 27, 36, 64, 140}) {
            SCOPED_TRACE(cols);
            expect_same_product<V, I>(random, a, cols, 0, V{1}, V{0}, 27);
            expect_same_product<V, I>(random, a, cols, 4, alpha, beta, 27);
        }
    }
}

TYPED_TEST(CsrSpmv, ZeroBetaOfSomeColumnsDoesNotReadX)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    constexpr std::size_t cols = 34;
    on_each_executor([](const Executor& exec) {
        const Csr<V, I> a(exec, small_matrix<V, I>());
        const auto b = Dense<V>::filled(exec, {4, cols}, V{1});
        auto x = Dense<V>::filled(exec, {3, cols}, not_a_number<V>());
        std::vector<V> factors(cols, V{0});
        factors[5] = factors[33] = V{2};
        const Array<V> beta(exec, factors);
        csr_spmv<V, I>(exec, a.view(), V{1}, b.view(), Scalar<V>::per_column(beta.data()), x.view());
        const auto values = x.to_host();
        for (std::size_t col = 0; col < cols; ++col) {
            EXPECT_EQ(is_nan(values[col]), col == 5 || col == 33) << col;
            EXPECT_TRUE(is_nan(values[col]) || values[col] == V{3}) << col;
        }
    });
}

TYPED_TEST(CsrSpmv, UnevenRows)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    Random random(202);
    for (const auto pattern : all_patterns) {
        for (const size_type rows : {33, 597, 9000}) {
            const auto a = random_csr<V, I>(random, {rows, rows}, 3, pattern);
            for (const size_type cols : {1, 3}) {
                expect_same_product<V, I>(random, a, cols, 0, V{1}, V{0}, rows);
            }
        }
    }
}

/// Rows of 0 to 20 nonzeros, each length for `run` rows.
template <class V, class I>
CsrData<V, I> matrix_of_runs(Random& random, size_type run)
{
    CsrData<V, I> a{{21 * run, 40}, {0}, {}, {}};
    for (size_type row = 0; row < a.size.rows; ++row) {
        for (size_type k = 0; k < row / run; ++k) {
            a.col_idxs.push_back(static_cast<I>(2 * k + random.integer(0, 2)));
            a.values.push_back(random.value<V>());
        }
        a.row_ptrs.push_back(static_cast<I>(a.values.size()));
    }
    return a;
}

TYPED_TEST(CsrSpmv, RunsOfEqualRows)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    Random random(204);
    for (const size_type run : {1, 2, 5, 300}) {
        SCOPED_TRACE(run);
        const auto a = matrix_of_runs<V, I>(random, run);
        expect_same_product<V, I>(random, a, 1, 0, V{1}, V{0}, 20);
        expect_same_product<V, I>(random, a, 1, 0, random.value<V>(), V{2}, 20);
    }
}

}  // namespace
}  // namespace linden::test
