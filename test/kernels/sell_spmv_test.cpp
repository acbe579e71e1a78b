#include "core/kernels/sell.hpp"

#include <linden/matrix/ell.hpp>
#include <linden/matrix/sell.hpp>

#include "test/support/kernel_cases.hpp"
#include "test/support/sell_matrix.hpp"

namespace linden::test {
namespace {

template <class Types>
class SellSpmv : public testing::Test {
};
TYPED_TEST_SUITE(SellSpmv, TestedSellTypes);

/// The value in storage type S, exact in all: 3 x 4 [1 0 2 0; 0 0 0 0; 0 -4 0 3]
template <class V>
CsrData<V, std::int32_t> small_matrix()
{
    return {{3, 4}, {0, 2, 2, 4}, {0, 2, 1, 3}, {V{1}, V{2}, V{-4}, V{3}}};
}

TYPED_TEST(SellSpmv, ByHand)
{
    using V = typename TypeParam::value_type;
    using S = typename TypeParam::stored_type;
    using J = typename TypeParam::column_type;
    on_each_executor([](const Executor& exec) {
        for (const bool reversed : {false, true}) {
            const SellMatrix<S, J> a(exec, small_matrix<V>(), 32, reversed);
            const auto b = Dense<V>::from_rows(exec, {{V{1}, V{5}}, {V{2}, V{6}}, {V{3}, V{7}}, {V{4}, V{8}}});
            auto x = Dense<V>::filled(exec, {3, 2}, V{1});
            sell_spmv<V, S, J>(exec, a.view(), V{2}, b.view(), V{-1}, x.view());
            EXPECT_EQ(x.to_host(), (std::vector<V>{V{13}, V{37}, V{-1}, V{-1}, V{7}, V{-1}}));
        }
    });
}

TYPED_TEST(SellSpmv, PaddingReadsNothing)
{
    using V = typename TypeParam::value_type;
    using S = typename TypeParam::stored_type;
    using J = typename TypeParam::column_type;
    on_each_executor([](const Executor& exec) {
        // Columns 0 and 2 are those of row 0 alone, and column 0 is what padding might take by mistake.
        const SellMatrix<S, J> a(exec, small_matrix<V>(), 32, false);
        const auto nan = not_a_number<V>();
        for (const size_type cols : {1, 2}) {
            std::vector<V> host;
            for (const V value : {nan, V{1}, nan, V{1}}) {
                host.insert(host.end(), static_cast<std::size_t>(cols), value);
            }
            const auto b = Dense<V>::adopt(reference_executor(), {4, cols}, cols, host.data()).copy(exec);
            auto x = Dense<V>::filled(exec, {3, cols}, nan);
            sell_spmv<V, S, J>(exec, a.view(), V{1}, b.view(), V{0}, x.view());
            const auto values = x.to_host();
            EXPECT_TRUE(is_nan(values[0]));
            EXPECT_EQ(values[static_cast<std::size_t>(cols)], V{0});
            EXPECT_EQ(values[static_cast<std::size_t>(2 * cols)], V{-1});
        }
    });
}

TYPED_TEST(SellSpmv, LikeReference)
{
    using V = typename TypeParam::value_type;
    using S = typename TypeParam::stored_type;
    using J = typename TypeParam::column_type;
    Random random(211);
    const V alpha = random.value<V>();
    const auto expect_same = [&](size_type rows, size_type cols, size_type padding, Pattern pattern, bool reversed) {
        SCOPED_TRACE(std::to_string(rows) + " rows, " + std::to_string(cols) + " columns");
        const auto a = random_csr<V, std::int32_t>(random, {rows, rows + 3}, 4, pattern);
        Blocks<V> operands;
        operands.push_back(random_dense<V>(random, reference_executor(), {rows + 3, cols}, padding));
        operands.push_back(random_dense<V>(random, reference_executor(), {rows, cols}, padding));
        for (const V beta : {V{0}, V{2}}) {
            expect_like_reference(operands, 4 * summation_factor(rows), [&](const Executor& exec, Blocks<V>& x) {
                const SellMatrix<S, J> here(exec, a, reversed ? 64 : 32, reversed);
                sell_spmv<V, S, J>(exec, here.view(), alpha, std::as_const(x[0]).view(), beta, x[1].view());
            });
        }
    };
    for (const size_type rows : {0, 1, 31, 32, 33, 597}) {
        for (const auto pattern : all_patterns) {
            expect_same(rows, 1, 0, pattern, false);
            expect_same(rows, 3, 2, pattern, true);
        }
    }
    expect_same(597, 0, 0, Pattern::uniform, false);
    expect_same(597, 1, 1, Pattern::uniform, true);
    expect_same(100, 40, 0, Pattern::uniform, true);
    expect_same(9000, 1, 0, Pattern::uniform, true);
}

/// Columns that follow each other from row to row, and those that seem to in arithmetic of 16 bits.
TYPED_TEST(SellSpmv, RunsOfColumns)
{
    using V = typename TypeParam::value_type;
    using S = typename TypeParam::stored_type;
    using J = typename TypeParam::column_type;
    using I = std::int32_t;
    Random random(214);
    CsrData<V, I> band{{300, 302}, {0}, {}, {}};
    for (I row = 0; row < 300; ++row) {
        for (const I col : {row, row + 1, row + 2}) {
            if (row != 100 || col != 101) {
                band.col_idxs.push_back(col);
                band.values.push_back(random.value<V>());
            }
        }
        band.row_ptrs.push_back(static_cast<I>(band.col_idxs.size()));
    }
    CsrData<V, I> around{{32, 65536}, {0}, {}, {}};
    for (I row = 0; row < 32; ++row) {
        if (row != 15) {
            around.col_idxs.push_back(row < 15 ? 65520 + row : row - 16);
            around.values.push_back(random.value<V>());
        }
        around.row_ptrs.push_back(static_cast<I>(around.col_idxs.size()));
    }
    for (const auto& a : {band, around}) {
        for (const size_type cols : {1, 2}) {
            Blocks<V> operands;
            operands.push_back(random_dense<V>(random, reference_executor(), {a.size.cols, cols}, 0));
            operands.push_back(random_dense<V>(random, reference_executor(), {a.size.rows, cols}, 0));
            expect_like_reference(operands, 100, [&](const Executor& exec, Blocks<V>& x) {
                const SellMatrix<S, J> here(exec, a, 32, false);
                sell_spmv<V, S, J>(exec, here.view(), V{1}, std::as_const(x[0]).view(), V{0}, x[1].view());
            });
        }
    }
}

template <class Types>
class EllSpmv : public testing::Test {
};
TYPED_TEST_SUITE(EllSpmv, TestedValueIndices, TypeNames);

TYPED_TEST(EllSpmv, OfMemoryOfTheUser)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    on_each_executor([](const Executor& exec) {
        // [1 . 2; . . .; . 4 3] with a stride of 4, padding anywhere
        const V any = not_a_number<V>();
        Array<I> cols(exec, std::vector<I>{0, -1, -1, -1, -1, -1, 1, -1, 2, -1, 2, -1});
        Array<V> values(exec, std::vector<V>{V{1}, any, any, any, any, any, V{4}, any, V{2}, any, V{3}, any});
        const auto a = ell_view<V, I>(exec, {3, 3}, 3, 4, cols.data(), values.data());
        EXPECT_EQ(a.view().values, values.data());
        EXPECT_EQ(a.num_nonzeros(), 4);
        Dense<V> x(exec, {3, 1});
        a.apply(Dense<V>::vector(exec, {V{1}, V{10}, V{100}}), x);
        EXPECT_EQ(x.to_host(), (std::vector<V>{V{201}, V{0}, V{340}}));
        const auto csr = a.to_csr().to_host();
        EXPECT_EQ(csr.row_ptrs, (std::vector<I>{0, 2, 2, 4}));
        EXPECT_EQ(csr.col_idxs, (std::vector<I>{0, 2, 1, 2}));
        EXPECT_EQ(csr.values, (std::vector<V>{V{1}, V{2}, V{4}, V{3}}));
    });
}

TYPED_TEST(EllSpmv, LikeReference)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    Random random(212);
    for_each_shape([&](Dim size, size_type padding) {
        const auto a = random_csr<V, I>(random, {size.rows, size.rows + 3}, 4);
        Blocks<V> operands;
        operands.push_back(random_dense<V>(random, reference_executor(), {size.rows + 3, size.cols}, padding));
        operands.push_back(random_dense<V>(random, reference_executor(), size, padding));
        expect_like_reference(operands, 100, [&](const Executor& exec, Blocks<V>& x) {
            const auto here = Ell<V, I>::from_csr(Csr<V, I>(exec, a));
            sell_spmv<V, V, I>(exec, here.view(), V{2}, std::as_const(x[0]).view(), V{-1}, x[1].view());
        });
    });
}

}  // namespace
}  // namespace linden::test
